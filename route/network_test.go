package route

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
)

func TestNewRefuses(t *testing.T) {
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	short, err := avail.NewVector(3)
	require.NoError(t, err)
	hidden := bookahead.Locked(pool)
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
		"bookahead: Link[0].Weights[0] -1 is negative or not finite":                  func(a *arguments) { a.link.Weights = []float64{-1} },
		"bookahead: Link[0].Weights[0] NaN is negative or not finite":                 func(a *arguments) { a.link.Weights = []float64{math.NaN()} },
		"bookahead: Link[0].Free 3 slots, not the 5 of Config.Slots":                  func(a *arguments) { a.link.Free = short },
		"bookahead: Link[0].Free given together with a Schedule: one of them says what is free": func(a *arguments) {
			a.link.Free, a.link.Schedule = short, pool
		},
		"bookahead: Link[0].Units 1 is negative, or there is no Schedule":         func(a *arguments) { a.link.Units = 1 },
		"bookahead: Link[0].Schedule *bookahead.LockedSchedule is not a Profiler": func(a *arguments) { a.link.Schedule = hidden },
		"bookahead: Cluster[0].Node 2 is not one of 2 nodes":                      func(a *arguments) { a.cluster.Node = 2 },
		"bookahead: Cluster[0].CPUs 0 is less than 1":                             func(a *arguments) { a.cluster.CPUs = 0 },
		"bookahead: Cluster[0].Speed 0 is less than 1":                            func(a *arguments) { a.cluster.Speed = 0 },
		"bookahead: Cluster[0].Pool *bookahead.LockedSchedule is not a Profiler":  func(a *arguments) { a.cluster.Pool = hidden },
		"bookahead: Cluster[0].Pool <nil> is not a Profiler":                      func(a *arguments) { a.cluster.Pool = nil },
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
	n, err := New(2, []Link{{To: 1, Delay: MaxDelay}}, []Cluster{{Node: 0, CPUs: 4, Speed: 3, Pool: pool}}, Config{Wait: true})
	require.NoError(t, err)
	for _, ready := range []bookahead.Time{0, 1 << 40, bookahead.MaxTime - 4} {
		task := Task{Ready: ready, Burst: 7, Work: 10, CPUs: 4}
		p, err := n.Earliest(task)
		require.NoError(t, err)
		require.Equal(t, bookahead.Interval{Start: ready, End: ready + 4}, p.Run)
		require.True(t, p.Send.Empty())
		require.Equal(t, ready, p.Arrival)
		require.Empty(t, p.Links)
		if ready == 0 {
			q, err := n.MCT(task, nil)
			require.NoError(t, err)
			require.Equal(t, p.Run, q.Run)
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

// broken is a schedule that fails.
type broken struct {
	*carts.Indexed
	err error
}

func (b broken) Search(bookahead.Request) (bookahead.Offer, error) { return bookahead.Offer{}, b.err }
func (b broken) Advance(bookahead.Time) error                      { return b.err }

// What a schedule fails with is told, and nothing is booked.
func TestSchedulesFail(t *testing.T) {
	pool, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	fault := errors.New("out of paper")
	bad := broken{pool, fault}
	task := Task{Burst: 1, Work: 1, CPUs: 1}
	n, err := New(2, []Link{{To: 1}}, []Cluster{{Node: 1, CPUs: 2, Speed: 1, Pool: bad}}, Config{Slots: 5})
	require.NoError(t, err)
	require.Equal(t, 1, n.Clusters())
	_, err = n.Earliest(task)
	require.Equal(t, fault, err)
	_, err = n.ECT(task)
	require.Equal(t, fault, err)
	require.Equal(t, fault, n.Advance(1))
	n, err = New(2, []Link{{To: 1, Schedule: bad}}, nil, Config{Slots: 5})
	require.NoError(t, err)
	require.Equal(t, fault, n.Advance(1))

	// A pool that is smaller than the cluster says it is.
	n, err = New(1, nil, []Cluster{{CPUs: 2, Speed: 1, Pool: pool}}, Config{})
	require.NoError(t, err)
	task.CPUs = 2
	_, err = n.Earliest(task)
	require.ErrorIs(t, err, bookahead.ErrInvalid)

	// Something else has released what the network has booked.
	line, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	n, err = New(2, []Link{{To: 1, Schedule: line}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: 5})
	require.NoError(t, err)
	task.CPUs = 1
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
