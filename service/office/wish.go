package office

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/config"
	"github.com/bookahead/bookahead/service/who"
	"github.com/bookahead/bookahead/volume"
)

// request makes a request of a wish, as far as the desk need not be asked: everything but a volume and pieces.
func (l *Look) request(w *api.Wish) (r desk.Request, err error) {
	r = desk.Request{Owner: w.Owner, Title: w.Title, Labels: w.Labels, Priority: w.Priority}
	if r.Owner == "" {
		r.Owner = l.caller.Owner
	} else if wrong := config.CheckName(r.Owner); wrong != nil {
		return r, invalid("owner", "%v", wrong)
	}
	r.Ready, err = l.ready("ready", w.Ready)
	if err == nil {
		r.Deadline, err = l.deadline("deadline", w.Deadline)
	}
	if err != nil {
		return r, err
	}
	forms := w.Or
	if w.Volume == nil {
		forms = append([][]api.Part{w.Parts}, w.Or...)
	}
	for i, parts := range forms {
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
	return r, nil
}

// wanted makes a request of a wish. A volume and pieces are planned, so that the request has their places.
func (l *Look) wanted(w *api.Wish) (desk.Request, error) {
	if w.Volume != nil && (len(w.Parts) > 0 || len(w.Or) > 0 || w.Pieces != nil) {
		return desk.Request{}, invalid("volume", "is given with parts, or or pieces: it stands instead of them")
	}
	if w.Pieces != nil && (len(w.Parts) != 1 || len(w.Or) > 0) {
		return desk.Request{}, invalid("pieces", "are given, and there is not one part alone")
	}
	r, err := l.request(w)
	switch {
	case err != nil:
		return r, err
	case w.Volume != nil:
		return l.volume(r, w.Volume)
	case w.Pieces != nil:
		return l.pieces(r, w.Pieces)
	}
	return r, nil
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

func (l *Look) part(at string, w *api.Part) (p desk.Part, err error) {
	s := l.schedule(w.Schedule)
	if s == nil {
		return p, invalid(at+".schedule", "%q is no schedule", w.Schedule)
	}
	p = desk.Part{On: w.Schedule, Units: max(1, w.Units), Servers: w.Servers}
	p.Duration, err = l.length(at+".duration", w.Duration)
	if err == nil && p.Duration < 1 {
		err = invalid(at+".duration", "%q is no length of time", string(w.Duration))
	}
	if err == nil {
		p.Offset, err = l.length(at+".offset", w.Offset)
	}
	if err == nil && w.After != nil {
		gap := desk.Gap{}
		gap.Least, err = l.length(at+".after.least", w.After.Least)
		if err == nil {
			gap.Most, err = l.length(at+".after.most", w.After.Most)
		}
		p.After = &gap
	}
	if err != nil {
		return p, err
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

// volume plans a volume.
func (l *Look) volume(r desk.Request, w *api.Volume) (desk.Request, error) {
	if l.schedule(w.Schedule) == nil {
		return r, invalid("volume.schedule", "%q is no schedule", w.Schedule)
	}
	tick := int64(l.Tick.Seconds())
	v := volume.Request{
		Ready: r.Ready, Deadline: r.Deadline, Volume: (w.Amount + tick - 1) / tick,
		Most: w.Most, Least: w.Least, Stretches: w.Stretches,
	}
	planned, _, err := l.desk.VolumeRequest(r, w.Schedule, v, l.effort)
	if err != nil {
		return r, problemOf(err)
	}
	return planned, nil
}

// pieces plans work that may stop. A plan on a copy does not know quotas: a Book that one refuses says so.
//
// The copy does not know buffers either, so a piece is planned with its buffers, and each later piece takes theirs beside its
// restart. So buffers lie within the opening hours here, where a Book would let them lie outside, and pieces are a little longer
// than they must be.
func (l *Look) pieces(r desk.Request, w *api.Pieces) (desk.Request, error) {
	p := r.Shapes[0][0]
	rule, err := l.rule(w)
	if err != nil {
		return r, err
	}
	s := l.schedule(p.On)
	before, after := bookahead.Time(s.Terms.Before), bookahead.Time(s.Terms.After)
	both := s.Terms.Before + s.Terms.After
	window := bookahead.Interval{Start: max(r.Ready-before, l.desk.Now()), End: s.Frame.Horizon}
	if r.Deadline != 0 {
		window.End = min(window.End, r.Deadline+after)
	}
	rule.Restart += both
	if rule.Least > 0 {
		rule.Least += both // the first piece has them too
	}
	if rule.Gap > 0 {
		rule.Gap = max(1, rule.Gap-both)
	}
	work := p.Duration + both
	if window.Empty() {
		return r, problemOf(bookahead.ErrUnavailable)
	}
	var times []bookahead.Interval
	switch s.Kind.(type) {
	case desk.Broker:
		return r, invalid("pieces", "%q is a broker, and the pieces lie on one schedule: name it", p.On)
	case desk.Nodes:
		machine, wrong := l.desk.Machine(p.On, window)
		if wrong != nil {
			return r, problemOf(wrong)
		}
		ask := *p.Tasks
		ask.Ready, ask.Deadline, ask.Duration, ask.Tasks = window.Start, window.End, work, p.Units
		times, err = pieces.SearchNodes(machine, ask, rule, l.effort)
	default:
		keeper, wrong := l.desk.Schedule(p.On, window)
		if wrong != nil {
			return r, problemOf(wrong)
		}
		ask := bookahead.Request{Ready: window.Start, Deadline: window.End, Duration: work, Units: p.Units, Servers: p.Servers}
		times, err = pieces.Search(keeper, ask, rule, l.effort)
	}
	if err != nil {
		return r, problemOf(err)
	}
	if len(times) > desk.MaxParts {
		return r, problemOf(fmt.Errorf("the work would lie in %d pieces, which are more than %d: %w", len(times), desk.MaxParts, bookahead.ErrUnavailable))
	}
	for i := range times {
		times[i].Start, times[i].End = times[i].Start+before, times[i].End-after
	}
	return r.InPieces(p, times), nil
}

func (l *Look) rule(w *api.Pieces) (rule pieces.Rule, err error) {
	rule.Least, err = l.length("pieces.least", w.Least)
	if err == nil {
		rule.Gap, err = l.length("pieces.gap", w.Gap)
	}
	if err == nil {
		rule.Restart, err = l.length("pieces.restart", w.Restart)
	}
	return rule, err
}

// allowed checks that a caller may have a wish.
func allowed(c who.Caller, r *desk.Request, preempt string) error {
	switch {
	case c.Role < who.Booker:
		return forbidden("%s may look, and not book", orNobody(c.Owner))
	case !c.May(r.Owner):
		return forbidden("%s may not book for %q", c.Owner, r.Owner)
	case r.Priority > 0 && c.Role < who.Operator:
		return forbidden("only an operator may give a priority above 0, and it is %d", r.Priority)
	case preempt != "" && c.Role < who.Operator:
		return forbidden("only an operator may let others give way")
	}
	return nil
}

func orNobody(owner string) string {
	if owner == "" {
		return "somebody unknown"
	}
	return owner
}

// isRefused reports whether an error says that a wish has no place.
func isRefused(err error) bool { return errors.Is(err, bookahead.ErrUnavailable) }
