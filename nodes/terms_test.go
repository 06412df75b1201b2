package nodes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// sixNodes has three racks of two nodes, of which node 5 alone has no GPU of the kind "h100".
func sixNodes(t *testing.T) *Machine {
	t.Helper()
	m, err := New(Config{
		Resources: []string{"gpus"}, Nodes: slices.Repeat([]Vector{{8}}, 6),
		Levels: []Level{{"rack", [][]int{{0, 1}, {2, 3}, {4, 5}}}},
		Sets:   map[string][]int{"h100": {0, 1, 2, 3, 4}},
	})
	require.NoError(t, err)
	return m
}

// closes closes nodes for a time.
func closes(t *testing.T, m *Machine, start, end bookahead.Time, list ...int) bookahead.ClosureID {
	t.Helper()
	c, err := m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: start, End: end}, Servers: list})
	require.NoError(t, err)
	return c.ID
}

// reserved books a request, and returns the reservation.
func reserved(t *testing.T, m *Machine, r Request) Reservation {
	t.Helper()
	res, err := m.Reserve(r)
	require.NoError(t, err)
	return res
}

// A gang of one rack loses its rack. Nodes 3 and 4 are free at once, and lie in two racks:
//
//	time      0    5    10        20        30
//	rack 0    ████ gang ░░░░ closed ...
//	rack 1    2    │    ██████████│
//	          3    │              │
//	rack 2    4    │              │
//	          5    │    ██████████│
func TestADisplacedGangStaysInOneRack(t *testing.T) {
	m := sixNodes(t)
	for _, k := range []int{2, 5} {
		booked(t, m, Request{Ready: 10, Duration: 10, Tasks: 1, Each: Vector{8}, Nodes: []int{k}})
	}
	gang := reserved(t, m, Request{Duration: 30, Tasks: 2, Each: Vector{8}, PerNode: 1, Within: "rack"})
	require.Equal(t, []Share{{0, 1}, {1, 1}}, gang.Tasks)
	closes(t, m, 5, 60, 0, 1)
	require.NoError(t, m.Advance(5))
	done, err := m.Displace(Force{})
	require.NoError(t, err)
	require.Len(t, done.Moved, 1)
	require.Equal(t, "#3 [20, 45) 1 on 2, 1 on 3", done.Moved[0].To.String())
}

// The job moves to a node of its set, although another node is free earlier.
func TestADisplacedJobStaysInItsSet(t *testing.T) {
	for name, r := range map[string]Request{
		"set":    {Set: "h100"},
		"nodes":  {Nodes: []int{0, 1}},
		"except": {Except: []int{5, 4}},
	} {
		m := sixNodes(t)
		r.Duration, r.Tasks, r.Each = 10, 1, Vector{8}
		job := reserved(t, m, r)
		require.Equal(t, []Share{{0, 1}}, job.Tasks)
		for k := 1; k < 5; k++ {
			booked(t, m, Request{Duration: bookahead.Duration(20 + k), Tasks: 1, Each: Vector{8}, Nodes: []int{k}})
		}
		closes(t, m, 0, 60, 0)
		done, err := m.Displace(Force{})
		require.NoError(t, err)
		require.Len(t, done.Moved, 1)
		require.Equal(t, "#1 [21, 31) 1 on 1", done.Moved[0].To.String(), name)
	}
}

// A node takes as many tasks as the request allows, and not as many as it happened to take.
func TestADisplacedJobHasThePerNodeOfItsRequest(t *testing.T) {
	for perNode, want := range map[int64]string{0: "#1 [0, 10) 4 on 2", 2: "#1 [0, 10) 2 on 2, 2 on 3"} {
		m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{2}, {2}, {4}, {4}}, Policy: LowestIndex()})
		require.NoError(t, err)
		booked(t, m, Request{Duration: 10, Tasks: 4, Each: Vector{1}, PerNode: perNode})
		closes(t, m, 0, 60, 0, 1)
		done, err := m.Displace(Force{})
		require.NoError(t, err)
		require.Equal(t, want, done.Moved[0].To.String())
	}
}

// The node is drained: the job that runs may finish, the job that is booked for later moves, and Displace
// says who holds the node while it is closed.
func TestADrainLetsRunningJobsFinish(t *testing.T) {
	m := sixNodes(t)
	runs := reserved(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{8}})
	later := reserved(t, m, Request{Ready: 10, Duration: 10, Tasks: 1, Each: Vector{8}, Nodes: []int{0, 1}})
	require.NoError(t, m.Advance(2))
	closes(t, m, 2, bookahead.MaxTime, 0)
	done, err := m.Displace(Force{Spare: func(res Reservation) bool { return res.Start <= 2 }})
	require.NoError(t, err)
	require.Len(t, done.Moved, 1)
	require.Equal(t, []Reservation{runs}, done.Spared)
	require.Equal(t, later, done.Moved[0].From)
	require.Equal(t, "#2 [10, 20) 1 on 1", done.Moved[0].To.String())
	over := slices.Collect(m.Overbooked(m.Frame().Window()))
	require.Len(t, over, 1)
	require.Equal(t, bookahead.Interval{Start: 2, End: 10}, over[0].Interval)
	kept, err := m.Reservation(runs.ID)
	require.NoError(t, err)
	require.Equal(t, runs, kept)
	require.NoError(t, m.Verify())
}

// The bytes of a machine have the terms of its reservations, and a clone has them too.
func TestTermsAreRemembered(t *testing.T) {
	m := sixNodes(t)
	want := []*Terms{
		nil,
		{PerNode: 1 << 40},
		{Within: "rack", Nodes: []int{0, 1, 3, 4, 5}, PerNode: 3},
		{Together: "rack", Set: "h100", Except: []int{2, 4}},
		{Nodes: []int{5}},
	}
	for i, x := range want {
		r := Request{Ready: bookahead.Time(100 * i), Duration: 10, Tasks: 1, Each: Vector{1}}
		if x != nil {
			r.PerNode, r.Set, r.Within, r.Together = x.PerNode, x.Set, x.Within, x.Together
			r.Nodes, r.Except = slices.Clone(x.Nodes), slices.Clone(x.Except)
			slices.Reverse(r.Nodes)
			slices.Reverse(r.Except)
		}
		res := reserved(t, m, r)
		require.Equal(t, x, res.Terms)
		if len(r.Nodes) > 0 { // the machine shares no slice with the caller
			r.Nodes[0] = 4
		}
	}
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	read := new(Machine)
	require.NoError(t, read.UnmarshalBinary(data))
	for _, x := range []*Machine{m, m.Clone(), read} {
		for i, terms := range want {
			res, err := x.Reservation(bookahead.ID(i + 1))
			require.NoError(t, err)
			require.Equal(t, terms, res.Terms)
		}
		require.NoError(t, x.Verify())
	}
}

// Rebook and the offers that are booked as they are give the terms of their requests.
func TestTermsFollowTheRequest(t *testing.T) {
	m := sixNodes(t)
	r := Request{Duration: 10, Tasks: 2, Each: Vector{8}, Within: "rack"}
	res := reserved(t, m, r)
	r.Within, r.Together = "", "rack"
	anew, err := m.Rebook(res.ID, r)
	require.NoError(t, err)
	require.Equal(t, &Terms{Together: "rack"}, anew.Terms)
	r.Together, r.Set = "", "h100"
	anew, err = m.RebookOffer(res.ID, anew.Offer, r)
	require.NoError(t, err)
	require.Equal(t, &Terms{Set: "h100"}, anew.Terms)
	r.Set, r.Tasks, r.Ready, r.Deadline = "", -7, 1<<60, 3 // not read
	anew, err = m.RebookOffer(res.ID, anew.Offer, r)
	require.NoError(t, err)
	require.Nil(t, anew.Terms)
	r.Within = "row"
	_, err = m.ReserveOffer(Offer{Interval: bookahead.Interval{Start: 50, End: 60}, Tasks: []Share{{0, 1}}, Head: -1}, r)
	refused(t, err, "Request.Within")
}

// A reservation that has moved by a request of Again has the terms of this request from then on.
func TestADisplacedReservationHasTheTermsOfAgain(t *testing.T) {
	m := sixNodes(t)
	booked(t, m, Request{Duration: 10, Tasks: 2, Each: Vector{8}, Within: "rack"})
	closes(t, m, 0, 60, 0)
	done, err := m.Displace(Force{Again: func(old Reservation) (Request, bool) {
		r := old.Again(0)
		r.Within, r.Except = "", []int{1, 5}
		return r, true
	}})
	require.NoError(t, err)
	require.Equal(t, "#1 [0, 10) 1 on 2, 1 on 3", done.Moved[0].To.String())
	require.Equal(t, &Terms{Except: []int{1, 5}}, done.Moved[0].To.Terms)
	kept, err := m.Reservation(1)
	require.NoError(t, err)
	require.Equal(t, done.Moved[0].To, kept)
}
