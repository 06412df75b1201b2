package kinds

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// two is the machine of the picture of the package.
func two(t *testing.T) *nodes.Machine {
	m, err := nodes.New(nodes.Config{
		Horizon: 100, Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{8, 64}, {0, 48}},
		Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0}, {1}}}},
	})
	require.NoError(t, err)
	return m
}

func workers(n int64) nodes.Request { return nodes.Request{Tasks: n, Each: nodes.Vector{4, 24}} }
func servers(n int64) nodes.Request { return nodes.Request{Tasks: n, Each: nodes.Vector{0, 32}} }

func TestThePicture(t *testing.T) {
	m := two(t)
	for _, x := range []struct {
		workers, servers int64
		want             string
	}{
		{2, 1, "[0, 10) 2 on 0; 1 on 1"},
		{1, 2, "[0, 10) 1 on 0; 1 on 0, 1 on 1"},
	} {
		o, err := Search(m, Request{Duration: 10, Kinds: []nodes.Request{workers(x.workers), servers(x.servers)}}, bookahead.Effort{})
		require.NoError(t, err)
		require.Equal(t, x.want, o.String())
	}
	both := Request{Duration: 10, Kinds: []nodes.Request{workers(2), servers(2)}}
	_, err := Search(m, both, bookahead.Effort{})
	require.Equal(t, nodes.ErrNever, err, "each kind alone has room, and so have the cores of both")
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 20, End: 100}}, []nodes.Added{{Has: nodes.Vector{0, 32}}})
	require.NoError(t, err)
	res, err := Reserve(m, both, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, "#1 #2 [20, 30) 2 on 0; 1 on 1, 1 on 2", res.String())
	require.True(t, res.Proven())
	both.Within = "rack"
	_, err = Search(m, both, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
}

// In turn, the largest tasks take the node on which the others could lie: the states find the place.
func TestAPlaceThatIsNotFoundInTurn(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{4, 8}, {4, 0}}})
	require.NoError(t, err)
	r := Request{Duration: 1, Kinds: []nodes.Request{{Tasks: 1, Each: nodes.Vector{4, 0}}, {Tasks: 1, Each: nodes.Vector{3, 8}}}}
	o, err := Search(m, r, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, "[0, 1) 1 on 1; 1 on 0", o.String())
	require.True(t, o.Proven())
	// With few steps there is no time for the states at 0, and nothing is better later.
	_, err = Search(m, r, bookahead.Effort{Steps: 100})
	require.ErrorIs(t, err, bookahead.ErrStopped)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Search(m, r, bookahead.Effort{Context: ctx})
	require.ErrorIs(t, err, bookahead.ErrStopped)
	require.ErrorIs(t, err, context.Canceled)
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	m := two(t)
	for text, spoil := range map[string]func(r *Request){
		"Duration":                       func(r *Request) { r.Duration = 0 },
		"Request.Kinds 0":                func(r *Request) { r.Kinds = nil },
		"Request.Kinds 9":                func(r *Request) { r.Kinds = make([]nodes.Request, 9) },
		"Request.Kinds[1].Ready 1":       func(r *Request) { r.Kinds[1].Ready = 1 },
		"Request.Kinds[1].Deadline 1":    func(r *Request) { r.Kinds[1].Deadline = 1 },
		"Request.Kinds[1].Duration 1":    func(r *Request) { r.Kinds[1].Duration = 1 },
		"Request.Kinds[1].Head":          func(r *Request) { r.Kinds[1].Head = nodes.Vector{1, 1} },
		"Request.Kinds[1].Together rack": func(r *Request) { r.Kinds[1].Together = "rack" },
		"Request.Kinds[1].Patience 3":    func(r *Request) { r.Kinds[1].Patience = 3 },
		"Request.Kinds[1]: ":             func(r *Request) { r.Kinds[1].Tasks = 0 },
		"Request.Each":                   func(r *Request) { r.Kinds[0].Each = nodes.Vector{1} },
		"Request.Kinds[0].Within site":   func(r *Request) { r.Kinds[0].Within, r.Within = "site", "rack" },
		"Request.Within site":            func(r *Request) { r.Kinds[0].Within, r.Within = "rack", "site" },
		"Request.Bundled site":           func(r *Request) { r.Kinds[0].Bundle, r.Kinds[0].Bundled = 1, "site" },
		"Request.Nodes 2":                func(r *Request) { r.Kinds[0].Nodes = []int{2} },
	} {
		r := Request{Duration: 10, Kinds: []nodes.Request{workers(1), servers(1)}}
		spoil(&r)
		_, err := Search(m, r, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, text)
		_, err = Reserve(m, r, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
	}
	_, err := Search(m, Request{Duration: 10, Kinds: []nodes.Request{workers(1)}}, bookahead.Effort{Steps: -1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// Few steps do not tell whether the start at 0 has a place. It is passed over, and the answer says so.
func TestAStartThatIsPassedOver(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{4, 8}, {4, 0}, {4, 8}}})
	require.NoError(t, err)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 10}, Servers: []int{2}})
	require.NoError(t, err)
	r := Request{Duration: 1, Kinds: []nodes.Request{{Tasks: 1, Each: nodes.Vector{4, 0}}, {Tasks: 1, Each: nodes.Vector{3, 8}}}}
	o, err := Search(m, r, bookahead.Effort{Steps: 200})
	require.NoError(t, err)
	require.Equal(t, "[10, 11) 1 on 0; 1 on 2, not before 0", o.String())
	require.False(t, o.Proven())
	o, err = Search(m, r, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, "[0, 1) 1 on 1; 1 on 0", o.String())
}

// Two nodes have 2 GPUs free each. One of them is free as a whole, so that one exclusive task has room, and two have not.
func TestExclusiveKindsNeedWholeNodes(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}, {3}}})
	require.NoError(t, err)
	_, err = m.Reserve(nodes.Request{Duration: 10, Tasks: 1, Each: nodes.Vector{1}, Nodes: []int{1}})
	require.NoError(t, err)
	one := nodes.Request{Tasks: 1, Each: nodes.Vector{2}, Exclusive: true}
	res, err := Reserve(m, Request{Duration: 1, Kinds: []nodes.Request{one, one}}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, "#2 #3 [10, 11) 1 on 0; 1 on 1", res.String())
}

// A reservation of which a kind is gone is not released, so that nothing is given back by half.
func TestReleaseOfAPart(t *testing.T) {
	m := two(t)
	res, err := Reserve(m, Request{Duration: 10, Kinds: []nodes.Request{workers(1), servers(1)}}, bookahead.Effort{})
	require.NoError(t, err)
	require.NoError(t, m.Release(res.IDs[1]))
	require.Equal(t, bookahead.ErrNotFound, Release(m, res))
	_, err = m.Reservation(res.IDs[0])
	require.NoError(t, err)
	res.IDs[1] = res.IDs[0]
	require.NoError(t, Release(m, res), "an ID that is named twice counts once")
	require.NoError(t, m.Verify())
}

// Groups without nodes are groups. A node in no group is none of them, and no other node's.
func TestGroupsWithoutNodes(t *testing.T) {
	free := []nodes.Vector{{4, 8}, {4, 0}, {1, 1}, {1, 1}}
	open := func(racks ...[]int) *nodes.Machine {
		m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: free, Levels: []nodes.Level{{Name: "rack", Groups: racks}}})
		require.NoError(t, err)
		return m
	}
	// In turn, the first kind takes node 0, and only the states find the place.
	r := Request{Within: "rack", Duration: 1, Kinds: []nodes.Request{{Tasks: 1, Each: nodes.Vector{4, 0}}, {Tasks: 1, Each: nodes.Vector{3, 8}}}}
	o, err := Search(open(nil, nil, nil, nil, []int{0, 1}), r, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, "[0, 1) 1 on 1; 1 on 0", o.String())

	// Nodes 2 and 3 are in one rack, the sixth, and node 1 is in none: no rack has room for the bundle of 3.
	m := open([]int{0}, nil, nil, nil, nil, []int{2, 3})
	x, err := begin(m, Request{Duration: 1, Kinds: []nodes.Request{{Tasks: 3, Each: nodes.Vector{1, 0}, Bundle: 3, Bundled: "rack"}}}, bookahead.Effort{})
	require.NoError(t, err)
	tasks, known := x.pack([]nodes.Vector{{0, 0}, {1, 0}, {1, 0}, {1, 0}})
	require.True(t, known)
	require.Nil(t, tasks)
}

// Each kind has room alone, but the cores of both have none: ever, while node 1 is closed, or because a booking keeps the workers
// out until node 1 is closed.
func TestTheSumOfKindsHasNoRoom(t *testing.T) {
	r := Request{Duration: 10, Kinds: []nodes.Request{workers(2), servers(3)}}
	_, err := Search(two(t), r, bookahead.Effort{})
	require.Equal(t, nodes.ErrNever, err)

	r = Request{Deadline: 24, Duration: 10, Kinds: []nodes.Request{workers(2), servers(1)}}
	for start, want := range map[bookahead.Time]error{0: nodes.ErrClosed, 14: bookahead.ErrUnavailable} {
		m := two(t)
		_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: start, End: 100}, Servers: []int{1}})
		require.NoError(t, err)
		if start > 0 {
			_, err = m.Reserve(nodes.Request{Duration: 6, Tasks: 1, Each: nodes.Vector{8, 1}})
			require.NoError(t, err)
		}
		_, err = Search(m, r, bookahead.Effort{})
		require.Equal(t, want, err)
	}
}

// Groups of a level follow each other in any order. No nodes are none, and not all.
func TestBoth(t *testing.T) {
	require.Equal(t, []int{0, 1, 3, 5}, both(nil, []int{5, 3, 0, 1}))
	require.Equal(t, []int{3, 1}, both([]int{3, 1, 2}, []int{5, 3, 0, 1}))
	require.Equal(t, []int{}, both(nil, nil))
	require.Equal(t, []int{}, both([]int{}, []int{1}))
}

// Searches are queries, which may run beside each other and beside those of the machine.
func TestSearchesSideBySide(t *testing.T) {
	m := two(t)
	r := Request{Duration: 10, Kinds: []nodes.Request{workers(1), servers(2)}}
	want, err := Search(m, r, bookahead.Effort{})
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 20 {
				o, err := Search(m, r, bookahead.Effort{})
				assert.NoError(t, err)
				assert.Equal(t, want, o)
				_, err = m.Search(servers(1))
				assert.Error(t, err) // it has no Duration
			}
		}()
	}
	all.Wait()
	require.NoError(t, m.Verify())
}

// The error is that of the kind that has no place by itself.
func TestAKindWithoutAPlace(t *testing.T) {
	m := two(t)
	r := Request{Duration: 10, Kinds: []nodes.Request{servers(1), workers(3)}}
	_, err := Search(m, r, bookahead.Effort{})
	require.ErrorIs(t, err, nodes.ErrNever)
	require.ErrorContains(t, err, "Request.Kinds[1]")
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: bookahead.MaxTime}, Servers: []int{0}})
	require.NoError(t, err)
	r.Kinds[1].Tasks = 2
	_, err = Search(m, r, bookahead.Effort{})
	require.ErrorIs(t, err, nodes.ErrClosed)
}

// Numbers at the edges take no more work than small ones.
func TestHugeNumbers(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"bytes"}, Nodes: []nodes.Vector{{nodes.MaxAmount}, {nodes.MaxAmount}}})
	require.NoError(t, err)
	big := func(tasks, each int64) nodes.Request { return nodes.Request{Tasks: tasks, Each: nodes.Vector{each}} }
	o, err := Search(m, Request{Duration: math.MaxInt64 - 1, Kinds: []nodes.Request{big(nodes.MaxAmount, 1), big(nodes.MaxAmount/2, 2)}}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(0), o.Start)
	_, err = Search(m, Request{Duration: 5, Kinds: []nodes.Request{big(nodes.MaxAmount+1, 1), big(nodes.MaxAmount/2, 2)}}, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	_, err = Search(m, Request{Duration: 5, Kinds: []nodes.Request{big(2*nodes.MaxAmount-3, 1), big(2, 2)}}, bookahead.Effort{Steps: 1 << 20})
	require.Error(t, err)
}
