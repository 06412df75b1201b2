package office

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
)

// Search returns the earliest place of a wish. It books nothing.
func (l *Look) Search(w *api.Wish) (api.Offer, error) {
	r, err := l.request(w)
	if err != nil {
		return api.Offer{}, err
	}
	b, err := l.desk.Search(r, l.effort)
	switch {
	case isRefused(err):
		return api.Offer{}, l.refused(w, &r, problemOf(err))
	case err != nil:
		return api.Offer{}, problemOf(err)
	}
	return l.offer(w, &b), nil
}

// offer returns a place with the wish that books it: at its time, and in its shape.
func (l *Look) offer(w *api.Wish, b *desk.Booking) api.Offer {
	start, end := l.wall(b.Start), l.wall(b.End)
	o := api.Offer{Start: start, End: end, Places: []api.Place{}, Wish: *w}
	for i := range b.Places {
		o.Places = append(o.Places, l.place(&b.Places[i]))
	}
	o.Wish.Ready, o.Wish.Deadline = &start, &end
	if w.Volume == nil && w.Pieces == nil && b.Shape > 0 {
		o.Wish.Parts = w.Or[b.Shape-1]
	}
	o.Wish.Or = nil
	return o
}

// Why says why a wish has no place, or only a late one, without alternatives.
func (l *Look) Why(w *api.Wish) (api.Refusal, error) {
	r, err := l.request(w)
	if err != nil {
		return api.Refusal{}, err
	}
	return l.why(&r)
}

func (l *Look) why(r *desk.Request) (v api.Refusal, err error) {
	why, err := l.desk.Why(*r, l.effort)
	if err != nil {
		return v, problemOf(err)
	}
	v.Together = why.Together
	for _, o := range slices.Concat(why.Obstacles, why.Waiting) {
		v.Reasons = append(v.Reasons, clean(o.Text(l.Clock, "Mon 2 Jan 15:04")))
	}
	if !why.Next.Empty() {
		v.Next = l.at(why.Next.Start)
	}
	return v, nil
}

// maxAlternatives is how many alternatives a refusal has.
const maxAlternatives = 5

// Alternatives returns places for a wish that has none: later, on other schedules of its kind, shorter, or with fewer units.
func (l *Look) Alternatives(w *api.Wish) ([]api.Offer, error) {
	r, err := l.request(w)
	if err != nil {
		return nil, err
	}
	list := []api.Offer{}
	for b, err := range l.desk.Alternatives(r, l.vary(&r), l.effort) {
		if err != nil && !errors.Is(err, bookahead.ErrStopped) {
			return nil, problemOf(err)
		}
		if err != nil || len(list) == maxAlternatives {
			break
		}
		list = append(list, l.alternative(w, &r, &b))
	}
	return list, nil
}

// vary says how an alternative may differ: up to two weeks later; if there is one part, also on other schedules like its own,
// shorter, or with fewer units.
func (l *Look) vary(r *desk.Request) desk.Vary {
	fortnight, _ := l.Ticks(14 * day)
	v := desk.Vary{Until: max(r.Deadline, r.Ready, l.desk.Now()) + bookahead.Time(fortnight)}
	if len(r.Shapes) > 1 || len(r.Shapes[0]) > 1 || r.Volume != nil || r.Pieces != nil {
		return v
	}
	p := r.Shapes[0][0]
	v.Units = desk.Down(p.Units, 1, max(1, p.Units/4))
	v.Durations = desk.Down(p.Duration, 1, max(1, p.Duration/4))
	if p.Servers != nil || p.Tasks != nil && (p.Tasks.Nodes != nil || p.Tasks.Within != "" || p.Tasks.Together != "") {
		return v
	}
	own := l.schedule(p.On)
	for i := range l.schedules {
		s := &l.schedules[i]
		_, broker := s.Kind.(desk.Broker)
		if s.Name == p.On || broker || len(v.On) == 8 {
			continue
		}
		if fmt.Sprintf("%T", s.Kind) == fmt.Sprintf("%T", own.Kind) && slices.Equal(l.resources(s), l.resources(own)) && l.unit(s.Name) == l.unit(p.On) {
			v.On = append(v.On, s.Name)
		}
	}
	return v
}

// unit returns what a unit of a schedule is.
func (l *Look) unit(name string) string {
	s := l.office.Config.Find(name)
	if s == nil {
		return ""
	}
	return s.Unit
}

// alternative returns a place that differs from a wish, and says how.
func (l *Look) alternative(w *api.Wish, r *desk.Request, b *desk.Booking) api.Offer {
	o := l.offer(w, b)
	var list []string
	if len(r.Shapes) == 1 && len(r.Shapes[0]) == 1 && r.Volume == nil && r.Pieces == nil {
		asked, got := r.Shapes[0][0], b.Request.Shapes[b.Shape][0]
		part := w.Parts[0]
		if got.On != asked.On {
			list = append(list, "on "+got.On)
		}
		if got.Units != asked.Units {
			list = append(list, fmt.Sprintf("%d instead of %d", got.Units, asked.Units))
		}
		if got.Duration != asked.Duration {
			list = append(list, fmt.Sprintf("for %s instead of %s", l.lasts(got.Duration), l.lasts(asked.Duration)))
		}
		part.Schedule, part.Units, part.Duration = got.On, got.Units, l.lasts(got.Duration)
		o.Wish.Parts = []api.Part{part}
	}
	if r.Deadline != 0 && b.End > r.Deadline {
		list = append(list, "later")
	}
	o.Text = strings.Join(list, ", ")
	return o
}

// refused adds to the problem of a wish that has no place the reasons, and places that would do instead.
func (l *Look) refused(w *api.Wish, r *desk.Request, problem error) error {
	var p *Problem
	if !errors.As(problem, &p) || p.Kind != Unavailable {
		return problem
	}
	p.Detail = "there is no place"
	v := api.Refusal{}
	why, err := l.why(r)
	if err == nil {
		v = why
	}
	v.Alternatives, _ = l.Alternatives(w) // whatever is found
	p.Refusal = &v
	return p
}

// refusedChange is refused for another wish of a booking, whose own place counts as free. A booking that has begun stays where it is,
// and needs a place for the rest alone: no other place would do, so there are only reasons.
func (l *Look) refusedChange(b *desk.Booking, w *api.Wish, r *desk.Request, problem error) error {
	now := l.desk.Now()
	_, err := l.desk.Do(desk.Cancel{ID: b.ID}) // of this copy
	if err != nil {
		return problem
	}
	begun := b.State == desk.Running
	if begun && len(r.Shapes) == 1 && len(r.Shapes[0]) == 1 {
		rest := slices.Clone(r.Shapes[0])
		rest[0].Duration = max(1, rest[0].Duration-bookahead.Duration(now-b.Start))
		r.Ready, r.Shapes = now, []desk.Shape{rest}
	}
	err = l.refused(w, r, problem)
	var p *Problem
	if begun && errors.As(err, &p) && p.Refusal != nil {
		p.Refusal.Alternatives = nil
	}
	return err
}
