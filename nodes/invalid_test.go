package nodes

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// busyRacks is a machine of two racks on which something is booked, running and closed.
func busyRacks(t *testing.T) *Machine {
	c := racks()
	c.Horizon = 100
	m, err := New(c)
	require.NoError(t, err)
	for range 2 {
		_, err = m.Reserve(Request{Duration: 20, Tasks: 3, Each: Vector{2, 8}, Head: Vector{0, 4}})
		require.NoError(t, err)
	}
	_, err = m.Reserve(Request{Ready: 30, Duration: 20, Tasks: 2, Each: Vector{8, 8}})
	require.NoError(t, err)
	require.NoError(t, m.Advance(5))
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 40}, Servers: []int{3, 1}})
	require.NoError(t, err)
	return m
}

// refusal is an argument that makes no sense, and how the error names it.
type refusal struct {
	field, value string
	call         func(m *Machine) error
}

// requestRefusals are requests that make no sense. A running reservation has no Ready.
func requestRefusals(call func(m *Machine, r Request) error, running bool) (list []refusal) {
	for _, c := range []struct {
		field, value string
		spoil        func(r *Request)
	}{
		{"Request.Tasks", "-1", func(r *Request) { r.Tasks = -1 }},
		{"Request.Tasks", "0", func(r *Request) { r.Tasks = 0 }},
		{"Request.PerNode", "-7", func(r *Request) { r.PerNode = -7 }},
		{"Request.Duration", "-2", func(r *Request) { r.Duration = -2 }},
		{"Request.Duration", "9223372036854775807", func(r *Request) { r.Ready, r.Duration = 6, math.MaxInt64 }},
		{"Request.Deadline", "14", func(r *Request) { r.Ready, r.Deadline = 5, 14 }},
		{"Request.Each[1]", "-8", func(r *Request) { r.Each = Vector{1, -8} }},
		{"Request.Each", "[0 0]", func(r *Request) { r.Each = Vector{0, 0} }},
		{"Request.Each", "[]", func(r *Request) { r.Each = nil }},
		{"Request.Each", "[1]", func(r *Request) { r.Each = Vector{1} }},
		{"Request.Each", "[1 1 0]", func(r *Request) { r.Each = Vector{1, 1, 0} }},
		{"Request.Head[0]", "-1", func(r *Request) { r.Head = Vector{-1, 1} }},
		{"Request.Head", "[0 0]", func(r *Request) { r.Head = Vector{0, 0} }},
		{"Request.Head", "[1]", func(r *Request) { r.Head = Vector{1} }},
		{"Request.Head", "[]", func(r *Request) { r.Head = Vector{} }},
		{"Request.Nodes", "4", func(r *Request) { r.Nodes = []int{1, 4} }},
		{"Request.Nodes", "2", func(r *Request) { r.Nodes = []int{2, 1, 2} }},
		{"Request.Nodes", "-1", func(r *Request) { r.Nodes = []int{3, -1} }},
		{"Request.Except", "9", func(r *Request) { r.Except = []int{9} }},
		{"Request.Except", "0", func(r *Request) { r.Except = []int{0, 0} }},
		{"Request.Except", "-5", func(r *Request) { r.Except = []int{-5} }},
		{"Request.Set", "a100", func(r *Request) { r.Set = "a100" }},
		{"Request.Within", "site", func(r *Request) { r.Within = "site" }},
		{"Request.Together", "site", func(r *Request) { r.Together = "site" }},
		{"Request.Patience", "-3", func(r *Request) { r.Patience, r.Together = -3, "rack" }},
		{"Request.Patience", "3", func(r *Request) { r.Patience = 3 }},
		{"Request.Bundle", "-2", func(r *Request) { r.Bundle, r.Bundled = -2, "rack" }},
		{"Request.Bundle", "1", func(r *Request) { r.Bundle = 1 }},
		{"Request.Bundled", "rack", func(r *Request) { r.Bundled = "rack" }},
		{"Request.Bundled", "site", func(r *Request) { r.Bundle, r.Bundled = 1, "site" }},
		{"Request.Tasks", "5", func(r *Request) { r.Tasks, r.Bundle, r.Bundled = 5, 2, "rack" }},
		{"Request.Together", "rack", func(r *Request) { r.Together, r.Bundle, r.Bundled = "rack", 1, "row" }},
	} {
		r := Request{Ready: 6, Duration: 10, Tasks: 1, Each: Vector{1, 8}}
		c.spoil(&r)
		if !running || c.field != "Request.Deadline" && c.field != "Request.Patience" && c.value != "9223372036854775807" {
			list = append(list, refusal{c.field, c.value, func(m *Machine) error { return call(m, r) }})
		}
	}
	return list
}

// changeRefusals are closures and nodes that make no sense.
func changeRefusals() (list []refusal) {
	w := bookahead.Interval{Start: 10, End: 30}
	for _, c := range []struct {
		field, value string
		c            bookahead.Closure
	}{
		{"Closure.Interval", "[10, 10)", bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 10}, Servers: []int{1}}},
		{"Closure.Interval", "[10, 3)", bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 3}, Servers: []int{1}}},
		{"Closure.Interval", "[1, 5)", bookahead.Closure{Interval: bookahead.Interval{Start: 1, End: 5}, Servers: []int{1}}},
		{"Closure.Servers", "[]", bookahead.Closure{Interval: w}},
		{"Closure.Servers", "[]", bookahead.Closure{Interval: w, Units: 2}},
		{"Closure.Servers", "4", bookahead.Closure{Interval: w, Servers: []int{0, 4}}},
		{"Closure.Servers", "-1", bookahead.Closure{Interval: w, Servers: []int{-1}}},
		{"Closure.Servers", "1", bookahead.Closure{Interval: w, Servers: []int{1, 0, 1}}},
		{"Closure.Units", "1", bookahead.Closure{Interval: w, Servers: []int{1, 0}, Units: 1}},
		{"Closure.Units", "-2", bookahead.Closure{Interval: w, Servers: []int{1, 0}, Units: -2}},
	} {
		list = append(list, refusal{c.field, c.value, func(m *Machine) error {
			_, err := m.Close(c.c)
			return err
		}})
	}
	good := Added{Has: Vector{8, 64}, Groups: map[string]int{"rack": 1, "row": 0}, Sets: []string{"h100"}}
	for _, c := range []struct {
		field, value string
		c            bookahead.Closure
		more         []Added
	}{
		{"Closure.Interval", "[10, 10)", bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 10}}, []Added{good}},
		{"Closure.Interval", "[1, 5)", bookahead.Closure{Interval: bookahead.Interval{Start: 1, End: 5}}, []Added{good}},
		{"Closure.Servers", "[4]", bookahead.Closure{Interval: w, Servers: []int{4}}, []Added{good}},
		{"Closure.Units", "2", bookahead.Closure{Interval: w, Units: 2}, []Added{good}},
		{"added", "0", bookahead.Closure{Interval: w}, nil},
		{"added.Groups[\"rack\"]", "3", bookahead.Closure{Interval: w}, []Added{good, {Has: Vector{1, 1}, Groups: map[string]int{"rack": 3}}}},
		{"added.Groups[\"rack\"]", "-1", bookahead.Closure{Interval: w}, []Added{{Has: Vector{1, 1}, Groups: map[string]int{"rack": -1}}}},
		{"added.Groups", "map[rack:0 site:0]", bookahead.Closure{Interval: w}, []Added{{Has: Vector{1, 1}, Groups: map[string]int{"rack": 0, "site": 0}}}},
		{"added.Sets", "a100", bookahead.Closure{Interval: w}, []Added{good, {Has: Vector{1, 1}, Sets: []string{"h100", "a100"}}}},
		{"Config.Nodes[4]", "[1]", bookahead.Closure{Interval: w}, []Added{{Has: Vector{1}}}},
		{"Config.Nodes[5].cores", "-1", bookahead.Closure{Interval: w}, []Added{good, {Has: Vector{1, -1}}}},
		{"Config.Nodes[4].gpus", fmt.Sprint(int64(MaxAmount + 1)), bookahead.Closure{Interval: w}, []Added{{Has: Vector{MaxAmount + 1, 1}}}},
		{"Config.Levels[1]", "node 4", bookahead.Closure{Interval: w}, []Added{{Has: Vector{1, 1}, Groups: map[string]int{"rack": 0}}}},
		{"Config.Sets[\"h100\"]", "4", bookahead.Closure{Interval: w}, []Added{{Has: Vector{1, 1}, Sets: []string{"h100", "h100"}}}},
	} {
		list = append(list, refusal{c.field, c.value, func(m *Machine) error {
			_, err := m.Extend(c.c, c.more)
			return err
		}})
	}
	return append(list,
		refusal{"at", "41", func(m *Machine) error { return m.EndClosure(1, 41) }},
		refusal{"now", "4", func(m *Machine) error { return m.Advance(4) }},
		refusal{"now", fmt.Sprint(int64(bookahead.MaxTime)), func(m *Machine) error { return m.Advance(bookahead.MaxTime) }},
		refusal{"Request.Tasks", "0", func(m *Machine) error {
			_, err := m.Displace(Force{Request: &Request{Duration: 1, Each: Vector{1, 1}}})
			return err
		}},
		refusal{"Request.Duration", "0", func(m *Machine) error {
			_, err := m.Displace(Force{Again: func(Reservation) (Request, bool) { return Request{}, true }})
			return err
		}},
		refusal{"Request.Each", "[1]", func(m *Machine) error {
			_, err := m.Tasks(Vector{1}, 0)
			return err
		}},
		refusal{"Request.PerNode", "-1", func(m *Machine) error {
			_, err := m.Tasks(Vector{1, 1}, -1)
			return err
		}},
	)
}

// Each error names the field and the value, and the machine is as it was, to the byte.
func TestRefusalsChangeNothing(t *testing.T) {
	calls := map[string][]refusal{
		"Search": requestRefusals(func(m *Machine, r Request) error { _, err := m.Search(r); return err }, false),
		"Reserve": requestRefusals(func(m *Machine, r Request) error {
			_, err := m.Reserve(r)
			return err
		}, false),
		"SearchFor a running one": requestRefusals(func(m *Machine, r Request) error { _, err := m.SearchFor(1, r); return err }, true),
		"Rebook a running one":    requestRefusals(func(m *Machine, r Request) error { _, err := m.Rebook(1, r); return err }, true),
		"Rebook one to come":      requestRefusals(func(m *Machine, r Request) error { _, err := m.Rebook(3, r); return err }, false),
		"changes":                 changeRefusals(),
		"ReserveOffer": offerRefusals(func(m *Machine, o Offer, each, head Vector) error {
			_, err := m.ReserveOffer(o, Request{Each: each, Head: head})
			return err
		}),
		"RebookOffer of a running one": append(offerRefusals(func(m *Machine, o Offer, each, head Vector) error {
			_, err := m.RebookOffer(1, o, Request{Each: each, Head: head})
			return err
		}), refusal{"Offer.End", "5", func(m *Machine) error {
			_, err := m.RebookOffer(1, offerOf(0, 5, Share{0, 1}), Request{Each: Vector{1, 1}})
			return err
		}}),
		"RebookOffer of one to come": offerRefusals(func(m *Machine, o Offer, each, head Vector) error {
			_, err := m.RebookOffer(3, o, Request{Each: each, Head: head})
			return err
		}),
	}
	for name, list := range calls {
		m := busyRacks(t)
		before, err := m.MarshalBinary()
		require.NoError(t, err)
		for _, c := range list {
			err := c.call(m)
			var invalid *bookahead.InvalidError
			require.ErrorAs(t, err, &invalid, "%s: %s %s", name, c.field, c.value)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.Equal(t, c.field, invalid.Field, name)
			require.Equal(t, c.value, fmt.Sprint(invalid.Value), "%s: %s", name, c.field)
			require.ErrorContains(t, err, c.field+" "+c.value+" "+invalid.Reason)
			require.NotEmpty(t, invalid.Reason)
			after, err := m.MarshalBinary()
			require.NoError(t, err)
			require.Equal(t, before, after, "%s: %s %s", name, c.field, c.value)
		}
		require.NoError(t, m.Verify())
	}
}

// A valid request without a place, and an ID that is not booked, change nothing either.
func TestFailuresChangeNothing(t *testing.T) {
	m := busyRacks(t)
	before, err := m.MarshalBinary()
	require.NoError(t, err)
	large := Request{Ready: 6, Duration: 90, Tasks: 9, Each: Vector{8, 1}}
	for name, call := range map[string]func() error{
		"Search":   func() error { _, err := m.Search(large); return err },
		"Reserve":  func() error { _, err := m.Reserve(large); return err },
		"Rebook":   func() error { _, err := m.Rebook(1, large); return err },
		"Rebook 3": func() error { _, err := m.Rebook(3, large); return err },
		"Displace": func() error { _, err := m.Displace(Force{Request: &large}); return err },
		"beyond":   func() error { _, err := m.Search(Request{Duration: 101, Tasks: 1, Each: Vector{1, 1}}); return err },
		"ReserveOffer": func() error {
			_, err := m.ReserveOffer(offerOf(6, 16, Share{0, 1}, Share{1, 9}), Request{Each: Vector{1, 8}})
			return err
		},
		"ReserveOffer on a closed node": func() error {
			_, err := m.ReserveOffer(offerOf(39, 41, Share{3, 1}), Request{Each: Vector{0, 1}})
			return err
		},
		"ReserveOffer in the past": func() error {
			_, err := m.ReserveOffer(offerOf(4, 6, Share{0, 1}), Request{Each: Vector{0, 1}})
			return err
		},
		"ReserveOffer beyond the horizon": func() error {
			_, err := m.ReserveOffer(offerOf(6, 106, Share{0, 1}), Request{Each: Vector{0, 1}})
			return err
		},
		"RebookOffer that swaps": func() error {
			_, err := m.RebookOffer(1, offerOf(0, 20, Share{2, 3}), Request{Each: Vector{2, 8}})
			return err
		},
		"RebookOffer into the past": func() error {
			_, err := m.RebookOffer(3, offerOf(4, 20, Share{2, 1}), Request{Each: Vector{1, 1}})
			return err
		},
		"all spared": func() error {
			r := Request{Ready: 6, Duration: 10, Deadline: 16, Tasks: 4, Each: Vector{1, 60}, PerNode: 1}
			_, err := m.Displace(Force{Request: &r, Spare: func(Reservation) bool { return true }})
			return err
		},
	} {
		require.ErrorIs(t, call(), bookahead.ErrUnavailable, name)
	}
	small := Request{Ready: 6, Duration: 10, Tasks: 1, Each: Vector{1, 1}}
	for name, call := range map[string]func() error{
		"Release":   func() error { return m.Release(4) },
		"Release 0": func() error { return m.Release(0) },
		"Rebook":    func() error { _, err := m.Rebook(4, small); return err },
		"RebookOffer": func() error {
			_, err := m.RebookOffer(4, offerOf(6, 9, Share{0, 1}), Request{Each: small.Each})
			return err
		},
		"SearchFor":   func() error { _, err := m.SearchFor(0, small); return err },
		"Reservation": func() error { _, err := m.Reservation(4); return err },
		"EndClosure":  func() error { return m.EndClosure(2, 20) },
	} {
		require.Equal(t, bookahead.ErrNotFound, call(), name)
	}
	after, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// The caller may change the slices given and returned, because the machine shares neither.
func TestNothingIsShared(t *testing.T) {
	c := racks()
	c.Horizon = 100
	m, err := New(c)
	require.NoError(t, err)
	spoil := func(lists ...[]int) {
		for _, list := range lists {
			for i := range list {
				list[i] = 0
			}
		}
	}
	for _, v := range c.Nodes {
		v[0], v[1] = 1, 1
	}
	spoil(c.Levels[0].Groups[0], c.Levels[0].Groups[1], c.Levels[1].Groups[0], c.Sets["h100"])
	c.Resources[0], c.Levels[0].Name = "none", "none"

	r := Request{Duration: 10, Tasks: 2, Each: Vector{8, 8}, Head: Vector{0, 8}, Nodes: []int{3, 2}, Set: "h100"}
	_, err = m.Reserve(r)
	require.ErrorIs(t, err, bookahead.ErrUnavailable, "node 2 is in the set, and node 3 is not")
	r.Set, r.Within = "", "rack"
	res, err := m.Reserve(r)
	require.NoError(t, err)
	shut := bookahead.Closure{Interval: bookahead.Interval{Start: 5, End: 8}, Servers: []int{3, 2}}
	listed, err := m.Close(shut)
	require.NoError(t, err)
	require.Equal(t, []int{3, 2}, shut.Servers, "the machine does not sort what is the caller's")
	node := Added{Has: Vector{8, 64}, Groups: map[string]int{"rack": 0, "row": 0}, Sets: []string{"h100"}}
	x, err := m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 5, End: 90}}, []Added{node})
	require.NoError(t, err)
	before, err := m.MarshalBinary()
	require.NoError(t, err)

	change := func(res Reservation) {
		res.Tasks[0].Tasks, res.Each[0], res.HeadTakes[1] = 99, 99, 99
	}
	change(res)
	r.Each[0], r.Head[1], r.Nodes[0], node.Has[0], node.Sets[0] = 7, 7, 7, 7, "none"
	spoil(shut.Servers, listed.Servers, x.Servers)
	for res := range m.Reservations(m.Frame().Window()) {
		change(res)
	}
	one, err := m.Reservation(res.ID)
	require.NoError(t, err)
	change(one)
	for c := range m.Closures() {
		spoil(c.Servers)
	}
	for o := range m.Overbooked(m.Frame().Window()) {
		spoil(o.Servers)
	}
	offer, err := m.SearchFor(res.ID, Request{Duration: 10, Tasks: 2, Each: Vector{8, 8}})
	require.NoError(t, err)
	offer.Tasks[0].Tasks = 99
	after, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NoError(t, m.Verify())
	moved, err := m.Rebook(res.ID, Request{Duration: 10, Tasks: 1, Each: Vector{8, 8}, Head: Vector{0, 1}})
	require.NoError(t, err)
	change(moved)
	require.NoError(t, m.Verify())
}

// The largest machine works in bounded time and memory, and one node more is refused.
func TestMillionNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second")
	}
	c := Config{Resources: []string{"cores"}, Nodes: slices.Repeat([]Vector{{64}}, maxNodes), Horizon: 1000}
	c.Levels = []Level{{Name: "rack"}}
	for k := 0; k < maxNodes; k += 1024 {
		c.Levels[0].Groups = append(c.Levels[0].Groups, seq(maxNodes)[k:k+1024])
		if k > 8*1024 {
			break
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	was, began := stats.TotalAlloc, time.Now()
	m, err := New(c)
	require.NoError(t, err)
	runtime.ReadMemStats(&stats)
	t.Logf("New took %v, and %d bytes a node", time.Since(began), (stats.TotalAlloc-was)/maxNodes)
	require.Less(t, (stats.TotalAlloc-was)/maxNodes, uint64(2000))
	require.Less(t, time.Since(began), 30*time.Second)

	res, err := m.Reserve(Request{Duration: 10, Tasks: maxNodes, Each: Vector{33}})
	require.NoError(t, err)
	require.Len(t, res.Tasks, maxNodes)
	late, err := m.Reserve(Request{Duration: 10, Tasks: 1, Each: Vector{32}, Nodes: []int{maxNodes - 1}})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(10), late.Start)
	rack, err := m.Reserve(Request{Duration: 10, Tasks: 1024, PerNode: 1, Each: Vector{31}, Within: "rack"})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(0), rack.Start)
	require.Equal(t, Share{1023, 1}, rack.Tasks[1023])
	require.NoError(t, m.Release(res.ID))
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 1, End: 2}}, []Added{{Has: Vector{64}}})
	refused(t, err, "Config.Nodes")
	require.Equal(t, maxNodes, m.Frame().Servers)

	c.Nodes = append(c.Nodes, Vector{64})
	_, err = New(c)
	refused(t, err, "Config.Nodes")
	require.ErrorContains(t, err, fmt.Sprint(maxNodes+1))
}
