package route

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/internal/depth"
)

func TestNewRefuses(t *testing.T) {
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	short, err := avail.NewVector(3)
	require.NoError(t, err)
	bare := struct{ bookahead.Keeper }{pool} // which lists no free blocks
	locked := bookahead.Locked(pool)
	type arguments struct {
		nodes   int
		link    Link
		cluster Cluster
		config  Config
	}
	good := arguments{2, Link{To: 1, Weights: []float64{1}}, Cluster{CPUs: 4, Speed: 1, Pool: pool}, Config{Weights: 1, Slots: 5}}
	try := func(a arguments) error {
		_, err := New(a.nodes, []Link{a.link}, []Cluster{a.cluster}, a.config)
		return err
	}
	require.NoError(t, try(good))
	for want, change := range map[string]func(*arguments){
		"bookahead: nodes 0 is not between 1 and 2147483647":                          func(a *arguments) { a.nodes = 0 },
		"bookahead: Config.Weights -1 is negative":                                    func(a *arguments) { a.config.Weights = -1 },
		"bookahead: Config.Origin -1 is negative, or too near to the end of the axis": func(a *arguments) { a.config.Origin = -1 },
		"bookahead: Config.Slots -1 is not between 0 and 2147483584":                  func(a *arguments) { a.config.Slots = -1 },
		"bookahead: Link[0].From 2 is not one of 2 nodes":                             func(a *arguments) { a.link.From = 2 },
		"bookahead: Link[0].To -1 is not one of 2 nodes":                              func(a *arguments) { a.link.To = -1 },
		"bookahead: Link[0].To 0 is where the link comes from":                        func(a *arguments) { a.link.To = 0 },
		"bookahead: Link[0].Delay -1 is not between 0 and 2147483584":                 func(a *arguments) { a.link.Delay = -1 },
		"bookahead: Link[0].Weights [] are not the 1 of Config.Weights":               func(a *arguments) { a.link.Weights = nil },
		"bookahead: Link[0].Weights[0] -1 is not a number from 0 to 1e+290":           func(a *arguments) { a.link.Weights = []float64{-1} },
		"bookahead: Link[0].Weights[0] NaN is not a number from 0 to 1e+290":          func(a *arguments) { a.link.Weights = []float64{math.NaN()} },
		"bookahead: Link[0].Free 3 slots, not the 5 of Config.Slots":                  func(a *arguments) { a.link.Free = short },
		"bookahead: Link[0].Free given together with a Schedule: only one of them may say when the link is free": func(a *arguments) {
			a.link.Free, a.link.Schedule = short, pool
		},
		"bookahead: Link[0].Units 1 is negative, or there is no Schedule":                  func(a *arguments) { a.link.Units = 1 },
		"bookahead: Link[0].Schedule struct { bookahead.Keeper } is no bookahead.Profiler": func(a *arguments) { a.link.Schedule = bare },
		"bookahead: Link[0].Schedule *bookahead.locked is no bookahead.Profiler":           func(a *arguments) { a.link.Schedule = bookahead.Locked(bare) },
		"bookahead: Cluster[0].Pool *carts.Indexed is that of Link[0].Schedule as well":    func(a *arguments) { a.link.Schedule, a.link.Units = locked, 1 },
		"bookahead: Cluster[0].Pool *bookahead.locked is that of Link[0].Schedule as well": func(a *arguments) { a.link.Schedule, a.link.Units, a.cluster.Pool = pool, 1, locked },
		"bookahead: Cluster[0].CPUs 5 are more than the 4 units of Pool":                   func(a *arguments) { a.cluster.CPUs, a.cluster.Pool = 5, locked },
		"bookahead: Cluster[0].Node 2 is not one of 2 nodes":                               func(a *arguments) { a.cluster.Node = 2 },
		"bookahead: Cluster[0].CPUs 0 is less than 1":                                      func(a *arguments) { a.cluster.CPUs = 0 },
		"bookahead: Cluster[0].Speed 0 is less than 1":                                     func(a *arguments) { a.cluster.Speed = 0 },
		"bookahead: Cluster[0].Pool *bookahead.locked is no bookahead.Profiler":            func(a *arguments) { a.cluster.Pool = bookahead.Locked(bare) },
		"bookahead: Cluster[0].Pool <nil> is nil":                                          func(a *arguments) { a.cluster.Pool = nil },
	} {
		a := good
		change(&a)
		err := try(a)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
	}
}

func TestTasksAreChecked(t *testing.T) {
	n, err := New(2, []Link{{To: 1}}, nil, Config{Slots: 5})
	require.NoError(t, err)
	good := Task{Burst: 1, Work: 1, CPUs: 1}
	for want, change := range map[string]func(*Task){
		"bookahead: Task.Source 2 is not one of 2 nodes":    func(t *Task) { t.Source = 2 },
		"bookahead: Task.Burst 0 is less than 1":            func(t *Task) { t.Burst = 0 },
		"bookahead: Task.Work 0 is less than 1":             func(t *Task) { t.Work = 0 },
		"bookahead: Task.CPUs 0 is less than 1":             func(t *Task) { t.CPUs = 0 },
		"bookahead: Task.Deadline 3 is not after Ready = 3": func(t *Task) { t.Ready, t.Deadline = 3, 3 },
	} {
		task := good
		change(&task)
		_, err := n.Earliest(task)
		require.EqualError(t, err, want)
		_, err = n.MCT(task, nil)
		require.EqualError(t, err, want)
		_, err = n.MCB(task)
		require.EqualError(t, err, want)
		_, err = n.ECT(task)
		require.EqualError(t, err, want)
		_, err = n.Candidates(task)
		require.EqualError(t, err, want)
	}
	_, err = n.Earliest(good)
	require.Equal(t, bookahead.ErrUnavailable, err, "no cluster")
}

// The data is where the cluster is: nothing is sent, whatever the links. Times at
// the end of the axis do not wrap.
func TestNothingIsSent(t *testing.T) {
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	n, err := New(2, []Link{{To: 1, Delay: maxDelay}}, []Cluster{{Node: 0, CPUs: 4, Speed: 3, Pool: pool}}, Config{Wait: true})
	require.NoError(t, err)
	for _, ready := range []bookahead.Time{0, 1 << 40, bookahead.MaxTime - 4} {
		task := Task{Ready: ready, Burst: 7, Work: 10, CPUs: 4}
		p, err := n.Earliest(task)
		require.NoError(t, err)
		require.Equal(t, bookahead.Interval{Start: ready, End: ready + 4}, p.Run)
		require.True(t, p.Send.Empty())
		require.Equal(t, ready, p.Arrival)
		require.Empty(t, p.Links)
		pairs, err := n.Candidates(task)
		require.NoError(t, err)
		require.Len(t, pairs, 1)
		require.Equal(t, p.Run, pairs[0].Run)
		for _, plan := range []func(Task) (Plan, error){
			n.ECT, n.MCB,
			func(t Task) (Plan, error) { return n.MCT(t, nil) },
			func(t Task) (Plan, error) { return n.AWMCT(t, nil) },
		} {
			q, err := plan(task)
			require.NoError(t, err)
			p.Spent, q.Spent, p.Bound, q.Bound = Spent{}, Spent{}, 0, 0
			require.Equal(t, fmt.Sprint(p), fmt.Sprint(q))
		}
		if ready == 0 {
			_, err = n.Commit(p)
			require.NoError(t, err)
		}
	}
	_, err = n.Earliest(Task{Ready: bookahead.MaxTime - 3, Burst: 7, Work: 10, CPUs: 4})
	require.Equal(t, bookahead.ErrUnavailable, err)
	_, err = n.Earliest(Task{Burst: 1, Work: math.MaxInt64, CPUs: 5})
	require.Equal(t, bookahead.ErrUnavailable, err, "too few CPUs")
	_, err = n.Earliest(Task{Burst: math.MaxInt64, Work: math.MaxInt64, CPUs: 1, Source: 1})
	require.Equal(t, bookahead.ErrUnavailable, err, "no link")
}

// Two clusters of which nothing is known that far ahead are told apart by when they
// end the work.
func TestTheFarFuture(t *testing.T) {
	const far = bookahead.Time(1) << 40
	busy, err := carts.NewIndexed(1, carts.Config{Booked: []bookahead.Offer{
		{Interval: bookahead.Interval{Start: far, End: far + 9}, Units: 1},
	}})
	require.NoError(t, err)
	n, err := New(1, nil, []Cluster{{CPUs: 1, Speed: 1, Pool: busy}, {CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{})
	require.NoError(t, err)
	p, err := n.MCT(Task{Ready: far, Burst: 1, Work: 3, CPUs: 1}, nil)
	require.NoError(t, err)
	require.Equal(t, 1, p.Cluster)
	require.Equal(t, bookahead.Interval{Start: far, End: far + 3}, p.Run)
}

// Queries run side by side.
func TestQueriesAreParallel(t *testing.T) {
	n := benchNetwork(t, grid(5), 400, 3)
	want, err := n.Earliest(Task{Source: 7, Burst: 20, Work: 50, CPUs: 1})
	require.NoError(t, err)
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 50 {
				got, err := n.Earliest(Task{Source: 7, Burst: 20, Work: 50, CPUs: 1})
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		})
	}
}

// broken is a schedule that fails, once it has an error.
type broken struct {
	*carts.Indexed
	err  error
	torn bool // Blocks yields blocks that make no sense
}

func (b *broken) Search(r bookahead.Request) (bookahead.Offer, error) {
	if b.err != nil {
		return bookahead.Offer{}, b.err
	}
	return b.Indexed.Search(r)
}

func (b *broken) Advance(now bookahead.Time) error {
	if b.err != nil {
		return b.err
	}
	return b.Indexed.Advance(now)
}

func (b *broken) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	if b.torn {
		return func(yield func(bookahead.Block) bool) { yield(bookahead.Block{}) }
	}
	return b.Indexed.Blocks(w)
}

func (b *broken) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	if b.err != nil {
		return bookahead.Availability{}, b.err
	}
	return b.Indexed.RangeQuery(w)
}

func indexed(t *testing.T, capacity int64) *carts.Indexed {
	s, err := carts.NewIndexed(capacity, carts.Config{})
	require.NoError(t, err)
	return s
}

// All schedules begin at the Origin, wherever their clocks were.
func TestSchedulesAreAdopted(t *testing.T) {
	line, pool := indexed(t, 1), indexed(t, 1)
	require.NoError(t, line.Advance(7))
	links, clusters := []Link{{To: 1, Schedule: line}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: pool}}
	_, err := New(2, links, clusters, Config{Slots: 5, Origin: 10})
	require.NoError(t, err)
	for _, s := range []*carts.Indexed{line, pool} {
		require.ErrorIs(t, s.Advance(9), bookahead.ErrInvalid)
	}
	require.NoError(t, line.Advance(11))
	_, err = New(2, links, clusters, Config{Slots: 5, Origin: 10})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "bookahead: Link[0].Schedule *carts.Indexed cannot move to Config.Origin = 10: ")
	_, err = New(2, nil, clusters, Config{Origin: 9})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "bookahead: Cluster[0].Pool *carts.Indexed cannot move to Config.Origin = 9: ")

	fault := errors.New("out of paper")
	_, err = New(2, []Link{{To: 1, Schedule: &broken{Indexed: line, err: fault}}}, nil, Config{})
	require.Equal(t, fault, err)
	_, err = New(2, []Link{{To: 1, Schedule: &broken{Indexed: indexed(t, 1), torn: true}}}, nil, Config{Slots: 5})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// Two that share a schedule would not see each other's bookings.
func TestSchedulesAreNotShared(t *testing.T) {
	s, other := indexed(t, 1), indexed(t, 1)
	cluster := Cluster{Node: 1, CPUs: 1, Speed: 1, Pool: s}
	for want, c := range map[string]struct {
		links    []Link
		clusters []Cluster
	}{
		"bookahead: Link[1].Schedule *carts.Indexed is that of Link[0].Schedule as well": {links: []Link{{To: 1, Schedule: s}, {To: 1, Schedule: s}}},
		"bookahead: Cluster[0].Pool *carts.Indexed is that of Link[1].Schedule as well": {
			[]Link{{To: 1, Schedule: other}, {To: 1, Schedule: s}}, []Cluster{cluster},
		},
		"bookahead: Cluster[1].Pool *carts.Indexed is that of Cluster[0].Pool as well": {clusters: []Cluster{cluster, cluster}},
		"bookahead: Link[1].Schedule *bookahead.locked is that of Link[0].Schedule as well": {
			links: []Link{{To: 1, Schedule: bookahead.Locked(s)}, {To: 1, Schedule: bookahead.Locked(s)}},
		},
	} {
		_, err := New(2, c.links, c.clusters, Config{Slots: 5})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
	}
	// Schedules that cannot be compared are not compared, and do no harm.
	_, err := New(2, []Link{{To: 1, Schedule: incomparable{s, nil}}, {To: 1, Schedule: incomparable{other, nil}}}, nil, Config{Slots: 5})
	require.NoError(t, err)
}

type incomparable struct {
	*carts.Indexed
	_ []int
}

// Servers of which one is free at each tick, but none throughout, are no units: a
// plan could not be booked.
func TestServersAreRefused(t *testing.T) {
	sr, err := carts.NewSR(2, carts.Config{Horizon: 100})
	require.NoError(t, err)
	slotted, err := idletree.NewSlotted(2, idletree.SlottedConfig{Horizon: 100})
	require.NoError(t, err)
	tree, err := idletree.NewTree(2, idletree.Config{Horizon: 100})
	require.NoError(t, err)
	for _, s := range []bookahead.Schedule{sr, slotted, tree, bookahead.Locked(tree)} {
		for _, origin := range []bookahead.Time{0, 1000} {
			_, err = New(2, []Link{{To: 1, Schedule: s}}, nil, Config{Slots: 5, Origin: origin})
			require.EqualError(t, err, fmt.Sprintf("bookahead: Link[0].Schedule %T knows its servers, and does not count units", s))
			_, err = New(1, nil, []Cluster{{CPUs: 1, Speed: 1, Pool: s}}, Config{Origin: origin})
			require.EqualError(t, err, fmt.Sprintf("bookahead: Cluster[0].Pool %T knows its servers, and does not count units", s))
		}
	}
}

// An Advance that fails leaves the network as it was, and a further Advance brings it to the
// state of a network without the fault.
func TestAdvanceFails(t *testing.T) {
	fault := errors.New("out of paper")
	for name, fail := range map[string]func(pool, line *broken){
		"pool":   func(pool, _ *broken) { pool.err = fault },
		"link":   func(_, line *broken) { line.err = fault },
		"blocks": func(_, line *broken) { line.torn = true },
		"none":   func(_, _ *broken) {},
	} {
		t.Run(name, func(t *testing.T) {
			pool, line := &broken{Indexed: indexed(t, 1)}, &broken{Indexed: indexed(t, 1)}
			n, err := New(3, []Link{{To: 1, Free: bits(t, "11111101")}, {From: 1, To: 2, Schedule: line}},
				[]Cluster{{Node: 2, CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: 8})
			require.NoError(t, err)
			p, err := n.Earliest(Task{Ready: 3, Burst: 2, Work: 1, CPUs: 1})
			require.NoError(t, err)
			id, err := n.Commit(p)
			require.NoError(t, err)
			fail(pool, line)
			if name != "none" {
				require.Error(t, n.Advance(2))
				require.Equal(t, bookahead.Time(0), n.Now())
				require.Equal(t, "11100101", n.Free(0).String())
				require.Equal(t, "11100101", n.runs[0].String())
				require.Equal(t, "11100111", n.Free(1).String())
				*pool, *line = broken{Indexed: pool.Indexed}, broken{Indexed: line.Indexed}
				_, err = n.Commit(p)
				require.Equal(t, bookahead.ErrUnavailable, err, "it is booked still")
			}
			require.NoError(t, n.Advance(2))
			require.Equal(t, bookahead.Time(2), n.Now())
			require.Equal(t, "10010111", n.Free(0).String())
			require.Equal(t, "10010111", n.runs[0].String())
			require.Equal(t, "10011111", n.Free(1).String())
			_, err = n.Commit(p)
			require.Equal(t, bookahead.ErrUnavailable, err)
			require.NoError(t, n.Release(id))
			require.Equal(t, "11110111", n.Free(0).String())
			_, err = n.Commit(p)
			require.NoError(t, err)
		})
	}
}

// A link that is booked but cannot be read is given back.
func TestRefreshFails(t *testing.T) {
	line := &broken{Indexed: indexed(t, 1)}
	n, err := New(2, []Link{{To: 1, Schedule: line}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Slots: 8})
	require.NoError(t, err)
	p, err := n.Earliest(Task{Burst: 2, Work: 1, CPUs: 1})
	require.NoError(t, err)
	line.torn = true
	_, err = n.Commit(p)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.Equal(t, 8, n.Free(0).Weight())
	line.torn = false
	a, err := line.RangeQuery(p.Send)
	require.NoError(t, err)
	require.Equal(t, int64(1), a.Free)
	_, err = n.Commit(p)
	require.NoError(t, err)
}

// A booking that is released long before its end is not kept until then.
func TestReleasedIsForgotten(t *testing.T) {
	n, err := New(2, []Link{{To: 1}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Slots: 5000})
	require.NoError(t, err)
	commit := func() bookahead.ID {
		p, err := n.Earliest(Task{Burst: 1, Work: 1, CPUs: 1})
		require.NoError(t, err)
		id, err := n.Commit(p)
		require.NoError(t, err)
		return id
	}
	for range 10 {
		commit()
	}
	for range depth.Cases(1000) {
		require.NoError(t, n.Release(commit()))
		require.Equal(t, 10, n.booked.Len())
	}
	require.NoError(t, n.Advance(50))
	require.Equal(t, bookahead.ErrNotFound, n.Release(1), "it has ended")
}

// The error of a schedule is returned, and nothing is booked.
func TestSchedulesFail(t *testing.T) {
	pool := indexed(t, 1)
	fault := errors.New("out of paper")
	bad := &broken{Indexed: pool}
	task := Task{Burst: 1, Work: 1, CPUs: 1}
	n, err := New(2, []Link{{To: 1}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: bad}}, Config{Slots: 5})
	require.NoError(t, err)
	require.Equal(t, 1, n.Clusters())
	bad.err = fault
	_, err = n.Earliest(task)
	require.Equal(t, fault, err)
	_, err = n.ECT(task)
	require.Equal(t, fault, err)
	task.Source = 1
	_, err = n.MCT(task, nil)
	require.Equal(t, fault, err)
	task.Source = 0
	require.Equal(t, fault, n.Advance(1))

	// Something else has released a reservation of the network.
	line, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	n, err = New(2, []Link{{To: 1, Schedule: line}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: 5})
	require.NoError(t, err)
	p, err := n.Earliest(task)
	require.NoError(t, err)
	id, err := n.Commit(p)
	require.NoError(t, err)
	require.NoError(t, line.Release(1))
	require.Equal(t, bookahead.ErrNotFound, n.Release(id))
	require.Equal(t, 5, n.Free(0).Weight())
	a, err := pool.RangeQuery(bookahead.Interval{End: 5})
	require.NoError(t, err)
	require.Equal(t, int64(1), a.Free, "what could be given back is")
}
