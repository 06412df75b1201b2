package desk

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/scheduletest"
)

// TestManyGoroutines lets eight goroutines use one desk: each books, changes and cancels, asks, and
// tries things on clones, while the others do the same. It is meant for the race detector. BOOKAHEAD_OPS
// says how many commands there are in all, divided by ten.
func TestManyGoroutines(t *testing.T) {
	const many = 8
	d := opened(t, Config{Keep: 20})
	var all sync.WaitGroup
	for g := range many {
		all.Add(1)
		go func() {
			defer all.Done()
			u := user{d: d, rng: rand.New(rand.NewPCG(uint64(g), 9))}
			for range scheduletest.Operations() / 10 / many {
				err := u.step()
				if err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	all.Wait()
	require.NoError(t, d.Verify())
}

// user is one of several who use a desk.
type user struct {
	d   *Desk
	rng *rand.Rand
	ids []BookingID
}

// step does one thing. A refusal is an answer like another.
func (u *user) step() error {
	var err error
	n := u.rng.IntN(26)
	switch {
	case n < 6:
		var out Outcome
		out, err = u.d.Do(Book{Request: u.request(), Force: Force([]string{"", "lower"}[u.rng.IntN(2)])})
		if err == nil {
			u.ids = append(u.ids, out.Booking.ID)
		}
	case n < 8:
		_, err = u.d.Do(Change{ID: u.id(), To: u.request()})
	case n < 12:
		_, err = u.d.Do(Cancel{u.id()})
	case n < 13:
		_, err = u.d.Do(Advance{u.d.Now() + bookahead.Time(u.rng.IntN(2))})
	case n < 14:
		now := u.d.Now()
		_, err = u.d.Do(Close{On: "p", Units: 1, Interval: bookahead.Interval{Start: now, End: now + 4}, Force: Anybody})
	case n < 17:
		_, err = u.d.Decide(Book{Request: u.request()})
	case n < 18:
		u.d.Outages("")
		_, err = u.d.InTheWay("p", bookahead.Interval{Start: 0, End: bookahead.MaxTime}, nil)
	case n < 22:
		_, err = u.d.Do(u.rules())
	case n < 23:
		r := u.request()
		r.Deadline = r.Ready + 9
		_, err = u.d.Do(Book{Request: r, Wait: u.d.Now() + 9})
	case n < 24:
		err = u.ask()
	default:
		return u.whatIf()
	}
	for _, kind := range []error{bookahead.ErrInvalid, bookahead.ErrNotFound, bookahead.ErrUnavailable} {
		if errors.Is(err, kind) {
			return nil
		}
	}
	return err
}

// rules returns a command about series, quotas or terms.
func (u *user) rules() Command {
	now := u.d.Now()
	switch u.rng.IntN(8) {
	case 0, 1:
		r := u.request()
		r.Ready, r.Deadline, r.Shapes = 0, 0, r.Shapes[:1]
		c := BookSeries{Request: r, Partly: u.rng.IntN(2) == 0, Needs: now + 3}
		for i := range 3 {
			start := now + bookahead.Time(8*i)
			c.At = append(c.At, bookahead.Interval{Start: start, End: start + 10})
		}
		return c
	case 2:
		s, err := u.d.Series(SeriesID(1 + u.rng.IntN(9)))
		if err != nil || s.Needs == 0 {
			return Advance{now}
		}
		return Continue{ID: s.ID, Needed: s.Needs, At: Occurrences{{Start: now, End: now + 9}}, Partly: true, Needs: max(s.Needs, now) + 5}
	case 3:
		return CancelSeries{ID: SeriesID(1 + u.rng.IntN(9))}
	case 4:
		return SetQuota{Name: "week", Quota: Quota{Each: true, On: []string{"p", "q", "s"}, Ticks: 40, Every: 30, Waiting: 2}}
	case 5:
		return SetQuota{Name: "day", Quota: Quota{Ticks: 60 + u.rng.Int64N(90), Window: 20}}
	case 6:
		return DropQuota{[]string{"week", "day"}[u.rng.IntN(2)]}
	}
	t := Terms{Longest: 5, Before: 1, After: bookahead.Duration(u.rng.IntN(2)), Ahead: 40}
	return SetTerms{On: []string{"p", "q", "s", "n"}[u.rng.IntN(4)], Terms: t}
}

// ask asks for the rules, the waiting bookings and the obstacles, while others change them.
func (u *user) ask() error {
	for k := range u.d.Waiting() {
		_, err := u.d.Why(k.Request, bookahead.Effort{})
		if err != nil && !errors.Is(err, bookahead.ErrInvalid) {
			return err
		}
		break
	}
	for _, q := range u.d.Quotas() {
		_, _, _ = u.d.QuotaUse(q.Name, "a", bookahead.Interval{Start: 0, End: 99})
	}
	u.d.OverQuota()
	u.d.AllSeries()
	_, err := u.d.Search(u.request(), bookahead.Effort{})
	return err
}

// whatIf writes to a clone, which leaves the desk as it is.
func (u *user) whatIf() error {
	c := user{d: u.d.Clone(), rng: u.rng, ids: u.ids}
	_, _ = c.d.Do(Book{Key: "what if", Request: u.request()})
	_, _ = c.d.Do(Cancel{c.id()})
	if u.rng.IntN(4) > 0 {
		return nil
	}
	return c.d.Verify()
}

func (u *user) id() BookingID {
	if len(u.ids) == 0 {
		return 1
	}
	return u.ids[u.rng.IntN(len(u.ids))]
}

func (u *user) request() Request {
	now := u.d.Now()
	r := Request{Owner: string(rune('a' + u.rng.IntN(8))), Priority: u.rng.Int64N(3), Ready: now + bookahead.Time(u.rng.IntN(20))}
	for range 1 + u.rng.IntN(2) {
		p := Part{On: []string{"p", "q", "s", "pq", "n"}[u.rng.IntN(5)], Units: 1 + u.rng.Int64N(3), Duration: bookahead.Duration(1 + u.rng.IntN(6))}
		if p.On == "n" {
			p.Tasks = &nodes.Request{Each: nodes.Vector{2}}
		}
		r.Shapes = append(r.Shapes, Shape{p})
	}
	r.Deadline = r.Ready + 40
	return r
}
