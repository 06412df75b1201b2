package office

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/who"
	"github.com/bookahead/bookahead/volume"
)

// request makes a request of a wish.
func (l *Look) request(w *api.Wish) (r desk.Request, _ error) {
	switch {
	case w.Volume != nil && (len(w.Parts) > 0 || len(w.Or) > 0 || w.Pieces != nil):
		return r, invalid("volume", "is given with parts, or with pieces: it stands instead of them")
	case w.Pieces != nil && (len(w.Parts) != 1 || len(w.Or) > 0):
		return r, invalid("pieces", "are given, and there is not one part alone")
	}
	r = desk.Request{Owner: cmp.Or(w.Owner, l.caller.Owner), Title: w.Title, Labels: w.Labels, Priority: w.Priority}
	wrong := config.CheckName(r.Owner)
	if wrong != nil {
		return r, invalid("owner", "%v", wrong)
	}
	x := times{clock: l.clock}
	r.Ready, r.Deadline = x.ready("ready", w.Ready), x.deadline("deadline", w.Deadline)
	if x.err != nil {
		return r, x.err
	}
	if w.Volume != nil {
		return l.volume(r, w.Volume)
	}
	for i, parts := range append([][]api.Part{w.Parts}, w.Or...) {
		field := "parts"
		if i > 0 {
			field = fmt.Sprintf("or[%d]", i-1)
		}
		shape, err := l.shape(field, parts)
		if err != nil {
			return r, err
		}
		r.Shapes = append(r.Shapes, shape)
	}
	if w.Pieces == nil {
		return r, nil
	}
	rule := pieces.Rule{
		Least: x.length("pieces.least", w.Pieces.Least), Gap: x.length("pieces.gap", w.Pieces.Gap), Restart: x.length("pieces.restart", w.Pieces.Restart),
	}
	return r.InPieces(r.Shapes[0][0], rule), x.err
}

// shape makes the parts of one form.
func (l *Look) shape(field string, parts []api.Part) (desk.Shape, error) {
	if len(parts) == 0 {
		return nil, invalid(field, "is empty: name what you want")
	}
	var shape desk.Shape
	for i := range parts {
		at := fmt.Sprintf("%s[%d]", field, i)
		p, err := l.part(at, &parts[i])
		if err != nil {
			return nil, err
		}
		shape = append(shape, p)
	}
	return shape, nil
}

func (l *Look) part(at string, w *api.Part) (p desk.Part, _ error) {
	s := l.schedule(w.Schedule)
	if s == nil {
		return p, invalid(at+".schedule", "%q is no schedule", w.Schedule)
	}
	x := times{clock: l.clock}
	p = desk.Part{
		On: w.Schedule, Units: max(1, w.Units), Servers: w.Servers,
		Duration: x.length(at+".duration", w.Duration), Offset: x.length(at+".offset", w.Offset),
	}
	if p.Duration < 1 {
		x.fail(at+".duration", "%q is no length of time", string(w.Duration))
	}
	if w.After != nil {
		p.After = &desk.Gap{Least: x.length(at+".after.least", w.After.Least), Most: x.length(at+".after.most", w.After.Most)}
	}
	if x.err != nil {
		return p, x.err
	}
	resources := l.resources(s)
	if resources == nil {
		if w.Each != nil || w.Nodes != nil || w.PerNode != 0 || w.Within != "" || w.Packed != "" {
			return p, invalid(at, "asks for nodes, and %q has none", w.Schedule)
		}
		return p, nil
	}
	t := nodes.Request{Each: make(nodes.Vector, len(resources)), PerNode: w.PerNode, Nodes: w.Nodes, Within: w.Within, Together: w.Packed}
	if len(w.Each) == 0 {
		t.Each[0] = 1
	}
	for name, amount := range w.Each {
		i := slices.Index(resources, name)
		if i < 0 || amount < 0 {
			return p, invalid(at+".each", "%q is none of %q, or its amount %d is negative", name, resources, amount)
		}
		t.Each[i] = amount
	}
	p.Tasks = &t
	return p, nil
}

// schedule returns a schedule by its name; nil if there is none.
func (l *Look) schedule(name string) *desk.Listing {
	i := slices.IndexFunc(l.schedules, func(s desk.Listing) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &l.schedules[i]
}

// resources returns the resources of the nodes of a schedule, or of the first schedule of a broker; nil if there are no nodes.
func (l *Look) resources(s *desk.Listing) []string {
	switch k := s.Kind.(type) {
	case desk.Nodes:
		return k.Resources
	case desk.Broker:
		return l.resources(l.schedule(k.Of[0]))
	}
	return nil
}

// volume makes a request for a volume.
func (l *Look) volume(r desk.Request, w *api.Volume) (desk.Request, error) {
	if l.schedule(w.Schedule) == nil {
		return r, invalid("volume.schedule", "%q is no schedule", w.Schedule)
	}
	tick := int64(l.Tick.Seconds())
	v := volume.Request{
		Ready: r.Ready, Deadline: r.Deadline, Volume: (w.Amount + tick - 1) / tick,
		Most: w.Most, Least: w.Least, Stretches: w.Stretches,
	}
	err := v.Validate()
	if err != nil {
		return r, problemOf(err)
	}
	return r.OfVolume(w.Schedule, v), nil
}

// allowed makes a request of a wish, and checks that the caller may have it. A booking keeps a priority that it has.
func (l *Look) allowed(w *api.Wish, has int64, preempt string) (desk.Request, error) {
	r, err := l.request(w)
	c := &l.caller
	switch {
	case err != nil:
		return r, err
	case c.Role < who.Booker:
		return r, forbidden("%s may look, and not book", orNobody(c.Owner))
	case !c.May(r.Owner):
		return r, forbidden("%s may not book for %q", c.Owner, r.Owner)
	case r.Priority > max(0, has) && c.Role < who.Operator:
		return r, forbidden("only an operator may give a priority above 0, and it is %d", r.Priority)
	case preempt != "" && c.Role < who.Operator:
		return r, forbidden("only an operator may let others give way")
	}
	return r, nil
}

func orNobody(owner string) string {
	if owner == "" {
		return "somebody unknown"
	}
	return owner
}

// isRefused reports whether an error says that a wish has no place.
func isRefused(err error) bool { return errors.Is(err, bookahead.ErrUnavailable) }
