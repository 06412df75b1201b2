package nodes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// tiny is a machine on which little happens in few ways: three nodes in two racks, two resources, and
// six ticks.
func tiny(deal string) Config {
	return Config{
		Horizon: 6, Resources: []string{"gpus", "cores"}, Policy: policies[deal],
		Nodes:  []Vector{{2, 1}, {2, 1}, {1, 2}},
		Levels: []Level{{"rack", [][]int{{0, 1}, {2}}}, {"row", [][]int{{0, 1, 2}}}},
		Sets:   map[string][]int{"few": {0}, "some": {1, 2}},
	}
}

// moves are all operations of a small run. Each does the same to a machine and to the oracle, and
// compares the answers.
var moves = []struct {
	name string
	run  func(l *long)
}{
	{"reserve a part of a node", reserves(Request{Duration: 2, Tasks: 1, Each: Vector{1, 1}})},
	{"reserve one on each node", reserves(Request{Duration: 1, Tasks: 3, Each: Vector{1, 0}, PerNode: 1})},
	{"reserve in a rack", reserves(Request{Duration: 3, Tasks: 2, Each: Vector{0, 1}, Within: "rack"})},
	{"reserve with a head", reserves(Request{Duration: 2, Tasks: 2, Each: Vector{1, 0}, Head: Vector{1, 1}})},
	{"reserve together", reserves(Request{Duration: 2, Tasks: 3, Each: Vector{1, 0}, Together: "rack"})},
	{"reserve a whole node", reserves(Request{Duration: 2, Tasks: 1, Each: Vector{0, 1}, Exclusive: true})},
	{"reserve in one rack, if that is soon", reserves(Request{Duration: 1, Tasks: 3, Each: Vector{1, 0}, Together: "rack", Patience: 2})},
	{"reserve a node, later", func(l *long) {
		now := l.x.o.now
		reserves(Request{Ready: now + 2, Deadline: now + 5, Duration: 2, Tasks: 1, Each: Vector{2, 1}, Except: []int{0}})(l)
	}},
	{"release the oldest", func(l *long) {
		id := l.oldest()
		require.Equal(l.t, l.x.o.drop(id), l.x.m.Release(id) == nil)
	}},
	{"advance", func(l *long) {
		now := l.x.o.now + 1
		require.Equal(l.t, l.x.o.advance(now), l.x.m.Advance(now))
	}},
	{"close node 0 soon", shuts(1, 3, 0)},
	{"close nodes 0 and 2", shuts(0, 2, 2, 0)},
	{"end the latest closure", func(l *long) {
		id, at := l.x.o.lastClosure, l.x.o.now+1
		require.Equal(l.t, kindOf(l.x.o.endClosure(id, at)), kindOf(l.x.m.EndClosure(id, at)))
	}},
	{"rebook the oldest, with a task more", rebooks(1, 0)},
	{"rebook the oldest, a tick shorter", rebooks(0, -1)},
	{"swap the first node of the oldest", func(l *long) {
		id := l.oldest()
		node := 0
		if id != 0 {
			node = l.x.o.live[id].Tasks[0].Node
		}
		want, wantErr := l.x.o.swap(id, node)
		got, err := l.x.m.Swap(id, node)
		l.same(want, got, wantErr, err)
	}},
	{"add a node", func(l *long) {
		c := bookahead.Closure{Interval: bookahead.Interval{Start: l.x.o.now + 1, End: l.x.o.now + 4}}
		more := []Added{{Has: Vector{1, 1}, Groups: map[string]int{"rack": 1, "row": 0}, Sets: []string{"few"}}}
		want, wantErr := l.x.o.extend(c, more)
		got, err := l.x.m.Extend(c, more)
		l.same(want, got, wantErr, err)
	}},
	{"displace", func(l *long) {
		want, wantErr := l.x.o.displace(Force{Swap: true}.filled(l.x.o))
		got, err := l.x.m.Displace(Force{Swap: true})
		l.same(want, got, wantErr, err)
	}},
}

func reserves(r Request) func(l *long) {
	return func(l *long) {
		wantOffer, wantErr := l.x.o.search(r, 0)
		offer, err := l.x.m.Search(r)
		l.same(wantOffer, offer, wantErr, err)
		want, wantErr := l.x.o.reserve(r)
		got, err := l.x.m.Reserve(r)
		l.same(want, got, wantErr, err)
	}
}

func shuts(from, to bookahead.Time, list ...int) func(l *long) {
	return func(l *long) {
		c := bookahead.Closure{Interval: bookahead.Interval{Start: l.x.o.now + from, End: l.x.o.now + to}, Servers: list}
		want, wantErr := l.x.o.close(c)
		got, err := l.x.m.Close(c)
		l.same(want, got, wantErr, err)
	}
}

func rebooks(tasks int64, ticks bookahead.Duration) func(l *long) {
	return func(l *long) {
		id := l.oldest()
		old := l.x.o.live[id]
		r := anew(old, 0)
		r.Ready, r.PerNode = l.x.o.now, 0
		r.Tasks, r.Duration = r.Tasks+tasks, r.Duration+ticks
		wantOffer, wantErr := l.x.o.searchFor(id, r)
		offer, err := l.x.m.SearchFor(id, r)
		l.same(wantOffer, offer, wantErr, err)
		want, wantErr := l.x.o.rebook(id, r)
		got, err := l.x.m.Rebook(id, r)
		l.same(want, got, wantErr, err)
	}
}

// oldest returns the lowest ID that is live, 0 if there is none.
func (l *long) oldest() bookahead.ID {
	least := bookahead.ID(0)
	for id := range l.x.o.live {
		if least == 0 || id < least {
			least = id
		}
	}
	return least
}

// look compares all that a machine tells.
func (l *long) look() {
	all := bookahead.Interval{Start: 0, End: 100}
	l.same(l.x.o.on(all, nil), slices.Collect(l.x.m.ReservationsOn(all, nil)), nil, nil)
	l.same(l.x.o.overbooked(all), slices.Collect(l.x.m.Overbooked(all)), nil, nil)
	l.same(l.x.o.frame(), l.x.m.Frame(), nil, nil)
	l.same(l.x.o.closuresNow(), slices.Collect(l.x.m.Closures()), nil, nil)
	each := Vector{1, 1}
	wantFrame, _ := l.x.o.frameOfTasks(each, 0)
	frame, err := l.x.m.limits(each, 0)
	l.same(wantFrame, frame, nil, err)
	for k := range l.x.o.c.Nodes {
		l.same(l.x.o.idle(k, each, all), slices.Collect(l.x.m.Idle(k, each, all)), nil, nil)
	}
	require.NoError(l.t, l.x.m.Verify())
}

// tree runs all sequences of so many further moves. It goes on with a clone at each move.
func (l *long) tree(length int, made []string) int {
	if length == 0 {
		return 0
	}
	here, ran := l.x, 0
	for _, move := range moves {
		if move.name == "add a node" && len(here.o.c.Nodes) > 4 {
			continue
		}
		l.x = &world{m: here.m.copied(), o: here.o.clone()}
		l.sequence = append(made, move.name)
		move.run(l)
		l.look()
		ran += 1 + l.tree(length-1, l.sequence)
	}
	l.x = here
	return ran
}

// TestAllShortSequences runs all sequences of moves up to a length, with each policy: 3, and with the
// default policy 4, or 5 if BOOKAHEAD_OPS asks for a million operations. With less than 5 000, it is 2.
func TestAllShortSequences(t *testing.T) {
	budget := depth.Operations()
	for _, deal := range []string{"lowest", "best", "fewest", "spread", "own"} {
		length := 3
		switch {
		case deal == "lowest" && budget >= 1_000_000:
			length = 5
		case deal == "lowest" && budget >= depth.Usual:
			length = 4
		case budget < depth.Usual/4:
			length = 2
		}
		l := &long{t: t, x: &world{m: open(t, tiny(deal)), o: newOracle(tiny(deal), deal)}}
		defer func() {
			if t.Failed() {
				t.Logf("after %q", l.sequence)
			}
		}()
		t.Logf("%s: %d operations, of all sequences of up to %d, agree with the oracle", deal, l.tree(length, nil), length)
	}
}

func open(t require.TestingT, c Config) booker {
	m, err := New(c)
	require.NoError(t, err)
	return newRealOf(m, 1)
}
