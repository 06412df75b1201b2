package plan_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// beside is a queue on copies of the schedules of a desk, kept as the package comment says.
type beside struct {
	t        *testing.T
	d        *desk.Desk
	q        *plan.Queue
	lab      bookahead.Keeper
	farm     *nodes.Machine
	bookings map[plan.ID]desk.BookingID
	people   map[desk.BookingID]bookahead.ID // on the copy
	on       map[desk.BookingID]string
}

func newBeside(t *testing.T) *beside {
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	for _, c := range []desk.Command{
		desk.AddSchedule{Name: "lab", Kind: desk.Servers{Count: 6, Prefer: "best"}},
		desk.AddSchedule{Name: "farm", Kind: desk.Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {4}, {4}}}},
	} {
		_, err = d.Do(c)
		require.NoError(t, err)
	}
	always := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
	x := &beside{t: t, d: d, bookings: map[plan.ID]desk.BookingID{}, people: map[desk.BookingID]bookahead.ID{}, on: map[desk.BookingID]string{}}
	x.lab, err = d.Schedule("lab", always)
	require.NoError(t, err)
	x.farm, err = d.Machine("farm", always)
	require.NoError(t, err)
	list := []plan.Schedule{{Name: "lab", Pool: x.lab}, {Name: "farm", Nodes: x.farm}}
	x.q, err = plan.New(plan.Config{Schedules: list, Backfill: plan.EASY(1), Grace: 3})
	require.NoError(t, err)
	return x
}

// person books on the desk, and then on the copy.
func (x *beside) person(owner string, ready bookahead.Time, part desk.Part) {
	o, err := x.d.Do(desk.Book{Request: desk.Request{Owner: owner, Ready: ready, Shapes: []desk.Shape{{part}}}})
	require.NoError(x.t, err)
	at := o.Booking.Places[0]
	if part.Tasks != nil {
		r, err := x.farm.ReserveOffer(nodes.Offer{Interval: at.Interval, Tasks: at.Nodes, Head: at.Head}, *part.Tasks)
		require.NoError(x.t, err)
		x.people[o.Booking.ID] = r.ID
	} else {
		same := bookahead.At(at.Start, at.Len(), at.Units)
		same.Servers = at.Servers
		r, err := x.lab.Reserve(same)
		require.NoError(x.t, err)
		x.people[o.Booking.ID] = r.ID
	}
	x.on[o.Booking.ID] = at.On
	x.q.Changed()
}

// book books the place of a job on the desk, with a request that leaves no other place: each node has as many tasks.
func (x *beside) book(id plan.ID) {
	j, f, err := x.q.Job(id)
	require.NoError(x.t, err)
	at := f.Places[0]
	part := desk.Part{On: at.On, Units: at.Units, Duration: at.Len(), Servers: at.Servers}
	if tasks := j.Shapes[f.Shape][0].Tasks; tasks != nil {
		part.Tasks = &nodes.Request{Each: tasks.Each, PerNode: at.Nodes[0].Tasks}
		for _, n := range at.Nodes {
			require.Equal(x.t, at.Nodes[0].Tasks, n.Tasks)
			part.Tasks.Nodes = append(part.Tasks.Nodes, n.Node)
		}
	}
	o, err := x.d.Do(desk.Book{Request: desk.Request{Owner: "queue", Title: string(id), Ready: at.Start, Deadline: at.End, Shapes: []desk.Shape{{part}}}})
	require.NoError(x.t, err)
	b := o.Booking.Places[0]
	require.Equal(x.t, at.Interval, b.Interval)
	require.Equal(x.t, at.Servers, b.Servers)
	require.Equal(x.t, at.Nodes, b.Nodes)
	x.bookings[id] = o.Booking.ID
}

// pass makes a pass, lets the desk follow, and starts what may start.
func (x *beside) pass(now bookahead.Time) (delayed, overran, again int) {
	r, err := x.q.Pass(context.Background(), now)
	require.NoError(x.t, err)
	for _, e := range r.Events {
		switch e.Kind {
		case plan.Delayed:
			delayed++
		case plan.Overrun:
			overran++
			_, err := x.d.Do(desk.Overrun{ID: x.bookings[e.Job], Until: e.To})
			if e.On != "" { // others have its place: it holds that, and neither side has a booking of it
				require.Error(x.t, err)
			} else if err != nil { // it is over on the desk, because others had its place before
				x.book(e.Job)
				again++
			}
		}
	}
	_, err = x.d.Do(desk.Advance{Now: now})
	require.NoError(x.t, err)
	for _, s := range r.Starts {
		x.book(s.Job)
		require.NoError(x.t, x.q.Started(s.Job))
	}
	return delayed, overran, again
}

// agree checks that both sides have booked the same from now on.
func (x *beside) agree() {
	w := bookahead.Interval{Start: x.q.Now(), End: bookahead.MaxTime}
	always := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
	lab, err := x.d.Schedule("lab", always)
	require.NoError(x.t, err)
	farm, err := x.d.Machine("farm", always)
	require.NoError(x.t, err)
	list := func(k bookahead.Keeper, m *nodes.Machine) (all []string) {
		for r := range k.Reservations(w) {
			all = append(all, fmt.Sprint(r.End, max(r.Start, w.Start), r.Servers))
		}
		for r := range m.Reservations(w) {
			all = append(all, fmt.Sprint(r.End, max(r.Start, w.Start), r.Tasks))
		}
		slices.Sort(all)
		return all
	}
	require.Equal(x.t, list(lab, farm), list(x.lab, x.farm))
}

// first returns the first key of a map, if there is one.
func first[K cmp.Ordered, V any](m map[K]V) []K {
	keys := slices.Sorted(maps.Keys(m))
	return keys[:min(1, len(keys))]
}

// A queue and a desk that hear of each other as the package comment says have the same bookings at each time.
func TestBesideADesk(t *testing.T) {
	delayed, overran, again, ended, cancelled := 0, 0, 0, 0, 0
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 8))
		x := newBeside(t)
		for n := range 150 {
			name := []string{"lab", "farm"}[rng.IntN(2)]
			units, d := 1+rng.Int64N(3), bookahead.Duration(2+rng.IntN(12))
			tasks := map[string]*nodes.Request{"farm": {Each: nodes.Vector{1 + rng.Int64N(4)}, PerNode: 1}}[name]
			switch rng.IntN(5) {
			case 0:
				x.person("ann", x.q.Now()+bookahead.Time(rng.IntN(20)), desk.Part{On: name, Units: units, Duration: d, Tasks: tasks})
			case 1:
				for _, id := range first(x.people) {
					b, err := x.d.Booking(id)
					if err == nil && b.State == desk.Booked {
						_, err := x.d.Do(desk.Cancel{ID: id})
						require.NoError(t, err)
						require.NoError(t, x.q.Release(x.on[id], x.people[id]))
						cancelled++
					}
					delete(x.people, id)
				}
			case 2:
				part := plan.Part{On: name, Units: units, Duration: d, Tasks: tasks}
				require.NoError(t, x.q.Submit(plan.Job{ID: plan.ID(fmt.Sprint(n)), Submitted: x.q.Now(), Shapes: []plan.Shape{{part}}}))
			case 3:
				for _, id := range first(x.bookings) {
					_, f, err := x.q.Job(id)
					if err == nil && f.State == plan.Running {
						require.NoError(t, x.q.Ended(x.q.Now(), id))
						_, _ = x.d.Do(desk.End{ID: x.bookings[id]}) // it is over already if the desk had no room for an overrun
						ended++
					}
					delete(x.bookings, id)
				}
			default:
				late, over, anew := x.pass(x.q.Now() + 1 + bookahead.Time(rng.IntN(3)))
				delayed, overran, again = delayed+late, overran+over, again+anew
			}
			x.agree()
		}
	}
	for i, n := range []int{delayed, overran, again, ended, cancelled} {
		require.Greater(t, n, []int{20, 50, 0, 50, 50}[i], i)
	}
}
