package route

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
)

// Reference: Stevens, De Leenheer, Develder, Dhoedt, Christodoulopoulos,
// Kokkinos, Varvarigos, "Multi-cost job routing and scheduling in Grid
// networks", 2009. Numbers that the figures do not have are ours: the text gives
// the lengths of the two paths of Fig. 4, and of Fig. 7 to 9 the delays, b, R, EST
// and k, not each bit.

func bits(t *testing.T, s string) *avail.Vector {
	v, err := avail.Parse(s)
	require.NoError(t, err)
	return v
}

// §3.3 and §3.4, Fig. 4: d∞ of C → B → E and of C → E is 0.4 either way, and
// SAMCRA as published may return the former. With the refined order it returns C →
// E: (0.4, 0.1) < (0.4, 0.2).
func TestFigure4(t *testing.T) {
	const b, c, e = 0, 1, 2
	n, err := New(3, []Link{
		{From: c, To: b, Weights: []float64{2, 1}},
		{From: b, To: e, Weights: []float64{2, 1}},
		{From: c, To: e, Weights: []float64{1, 4}},
	}, nil, Config{Weights: 2})
	require.NoError(t, err)
	q := Query{Source: c, Servers: []Server{{Node: e}}, Limits: []float64{10, 10}}
	r, err := n.SAMCRA(q)
	require.NoError(t, err)
	require.Equal(t, []int{2}, r.Links)
	require.Equal(t, []float64{1, 4}, r.Weights)
	hop, err := n.SAMCRAHopByHop(q)
	require.NoError(t, err)
	require.Equal(t, r.Links, hop.Links)

	// d∞ cannot tell the two apart, and takes the first.
	const d = 3
	n, err = New(4, []Link{
		{From: c, To: b, Weights: []float64{2, 1}},
		{From: b, To: e, Weights: []float64{2, 1}},
		{From: c, To: d, Weights: []float64{1, 2}},
		{From: d, To: e, Weights: []float64{0, 2}},
	}, nil, Config{Weights: 2})
	require.NoError(t, err)
	for order, want := range map[pathOrder][]float64{refined: {1, 4}, maxNorm: {4, 2}} {
		q.order = order
		r, err = n.SAMCRA(q)
		require.NoError(t, err)
		require.Equal(t, want, r.Weights)
	}
}

// §3.2, Fig. 2: the servers are one virtual node, and the load of a server is
// the weight of its last link: of two servers, the nearer may be too busy.
func TestFigure2(t *testing.T) {
	n, err := New(3, []Link{
		{From: 0, To: 1, Weights: []float64{1, 0}},
		{From: 1, To: 2, Weights: []float64{1, 0}},
	}, nil, Config{Weights: 2})
	require.NoError(t, err)
	q := Query{Servers: []Server{{1, []float64{0, 9}}, {2, []float64{0, 3}}}, Limits: []float64{10, 10}}
	r, err := n.SAMCRA(q)
	require.NoError(t, err)
	require.Equal(t, 1, r.Server)
	require.Equal(t, []float64{2, 3}, r.Weights)
	q.Limits[0] = 1
	r, err = n.SAMCRA(q)
	require.NoError(t, err)
	require.Equal(t, 0, r.Server, "the other is too far")
}

// §4.1, Fig. 5: the vector of a link follows from its profile, slot by slot.
func TestFigure5(t *testing.T) {
	line, err := carts.NewIndexed(1, carts.Config{Booked: []bookahead.Offer{
		{Interval: bookahead.Interval{Start: 4, End: 7}, Units: 1},
	}})
	require.NoError(t, err)
	n, err := New(2, []Link{{To: 1, Schedule: line}}, nil, Config{Slots: 10})
	require.NoError(t, err)
	require.Equal(t, "1111000111", n.Free(0).String())
}

// §4.1, Fig. 6: Ŵ(r) of a cluster for r = 1 and r = 2: at least r CPUs are free.
func TestFigure6(t *testing.T) {
	pool, err := carts.NewIndexed(2, carts.Config{Booked: []bookahead.Offer{
		{Interval: bookahead.Interval{Start: 1, End: 6}, Units: 1},
		{Interval: bookahead.Interval{Start: 3, End: 5}, Units: 1},
	}})
	require.NoError(t, err)
	n, err := New(1, nil, []Cluster{{CPUs: 2, Speed: 1, Pool: pool}}, Config{})
	require.NoError(t, err)
	for cpus, want := range map[int64]string{1: "11100111", 2: "10000011"} {
		pairs, err := n.Candidates(Task{Burst: 1, Work: 1, CPUs: cpus, Deadline: 8})
		require.NoError(t, err)
		require.Len(t, pairs, 1)
		require.Equal(t, want, pairs[0].Ready().String())
	}
}

// figure7 is the network of Fig. 7 to 9: S → B → E with d_SB = 2 and 4 more to E.
// The vector of B → E is the one given.
func figure7(t *testing.T, far string, c Config) *Network {
	pool, err := carts.NewIndexed(1, carts.Config{Booked: []bookahead.Offer{
		{Interval: bookahead.Interval{Start: 10, End: 12}, Units: 1},
	}})
	require.NoError(t, err)
	c.Slots = 16
	n, err := New(3, []Link{
		{From: 0, To: 1, Delay: 2, Free: bits(t, "1110111100111111")},
		{From: 1, To: 2, Delay: 4, Free: bits(t, far)},
	}, []Cluster{{Node: 2, CPUs: 1, Speed: 1, Pool: pool}}, c)
	require.NoError(t, err)
	return n
}

// §4.3, Fig. 8 and 9: Ĉ_BE, 0011111101101111 when it left B, is shifted by 2·d_SB =
// 4: by d_SB = 2 for its age, which the network does not need, and by 2 for
// the way of the data. R(3) = 0, EST = 0 + 3 + 6 = 9, and Ŵ_E is masked in its first 9
// places.
func TestFigures7To9(t *testing.T) {
	n := figure7(t, "1111110110111100", Config{})
	task := Task{Burst: 3, Work: 4, CPUs: 1, Deadline: 16}
	pairs, err := n.Candidates(task)
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	c := pairs[0]
	require.Equal(t, bookahead.Duration(6), c.Delay)
	require.Equal(t, "1110011000110000", c.Path.String())
	require.Equal(t, bookahead.Time(0), c.Send.Start, "R(3)")
	require.Equal(t, bookahead.Time(9), c.Arrival, "EST")
	require.Equal(t, "0000000001001111", c.Ready().String())
	require.Equal(t, bookahead.Interval{Start: 12, End: 16}, c.Run, "§4.4, step 1: R(4)")

	p, err := n.MCT(task, nil)
	require.NoError(t, err)
	require.Equal(t, c.Run, p.Run)
	q, err := n.Earliest(task)
	require.NoError(t, err)
	p.Spent, q.Spent = Spent{}, Spent{}
	require.Equal(t, p, q)

	// §4.4, step 4: the vectors are updated, each at its time.
	_, err = n.Commit(p)
	require.NoError(t, err)
	require.Equal(t, "0000111100111111", n.Free(0).String())
	require.Equal(t, "1100010110111100", n.Free(1).String())
}

// §4.3: known at the source, Ĉ_BE is shifted by d_SB = 2 only.
func TestOneWay(t *testing.T) {
	n := figure7(t, "0011111101101111", Config{})
	pairs, err := n.Candidates(Task{Burst: 2, Work: 1, CPUs: 1, Deadline: 16})
	require.NoError(t, err)
	require.Equal(t, "1110110100111100", pairs[0].Path.String())
	require.Equal(t, bookahead.Time(8), pairs[0].Arrival)
}

// §4.4, end: tell-and-wait waits for the round trip, 2·6 slots, before it sends.
func TestTellAndWait(t *testing.T) {
	n := figure7(t, "0011111101101111", Config{Wait: true})
	p, err := n.Earliest(Task{Burst: 2, Work: 1, CPUs: 1})
	require.NoError(t, err)
	require.Equal(t, bookahead.Interval{Start: 12, End: 14}, p.Send)
	require.Equal(t, bookahead.Time(20), p.Arrival)
	q, err := n.MCT(Task{Burst: 2, Work: 1, CPUs: 1}, nil)
	require.NoError(t, err)
	require.Equal(t, p.Send, q.Send)
}

// twoWays has two ways from 0 to 1, of delay 1 and 2, with the vectors given, and
// one link from there to the cluster at 2.
func twoWays(t *testing.T, fast, slow, last string) *Network {
	pool, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	n, err := New(3, []Link{
		{From: 0, To: 1, Delay: 1, Free: bits(t, fast)},
		{From: 0, To: 1, Delay: 2, Free: bits(t, slow)},
		{From: 1, To: 2, Free: bits(t, last)},
	}, []Cluster{{Node: 2, CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: len(fast)})
	require.NoError(t, err)
	return n
}

// printed is Eq. (3) of the paper.
var printed = pruning{superfluous: func(a, b *label) bool { return a.starts.Covers(b.starts) }}

// mctPrinted is MCT with the domination of Eq. (3) in phase 1, as printed. It finds fewer paths, and may miss the best.
func (n *Network) mctPrinted(t Task, f Objective) (Plan, error) { return n.list(t, printed, f.judge()) }

// §4.4, Eq. (3): a path that is faster and as available comes to the next link at
// another time, when that may be taken. The path that Eq. (3) prunes is the only way here.
func TestEquation3IsNotSafe(t *testing.T) {
	n := twoWays(t, "1110000000", "1110000000", "0011100000")
	task := Task{Burst: 3, Work: 1, CPUs: 1}
	_, err := n.mctPrinted(task, nil)
	require.Equal(t, bookahead.ErrUnavailable, err)
	p, err := n.MCT(task, nil)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, p.Links)
	require.Equal(t, bookahead.Interval{Start: 5, End: 6}, p.Run)
	q, err := n.Earliest(task)
	require.NoError(t, err)
	require.Equal(t, p.Run, q.Run)
}

// §4.5: by weight alone the slots of a path can be many and the wrong ones.
func TestWeightIsNotEnough(t *testing.T) {
	n := twoWays(t, "1101101101", "0111000000", "1111111111")
	task := Task{Burst: 3, Work: 1, CPUs: 1}
	p, err := n.AWMCT(task, nil)
	require.NoError(t, err, "a path on which the burst never fits prunes none")
	require.Equal(t, bookahead.Time(6), p.Arrival)

	n = twoWays(t, "1000001110", "1110000000", "1111111111")
	p, err = n.AWMCT(task, nil)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(10), p.Arrival)
	p, err = n.MCT(task, nil)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(5), p.Arrival)
}

// §4.4, Eq. (5) leaves the speed of the clusters out: a cluster that is free in
// fewer slots may be faster.
func TestEquation5KnowsNoSpeed(t *testing.T) {
	slow, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	fast, err := carts.NewIndexed(1, carts.Config{Booked: []bookahead.Offer{
		{Interval: bookahead.Interval{Start: 8, End: 9}, Units: 1},
	}})
	require.NoError(t, err)
	n, err := New(1, nil, []Cluster{{CPUs: 1, Speed: 1, Pool: slow}, {CPUs: 1, Speed: 2, Pool: fast}}, Config{})
	require.NoError(t, err)
	p, err := n.MCT(Task{Burst: 1, Work: 6, CPUs: 1}, nil)
	require.NoError(t, err)
	require.Equal(t, 1, p.Cluster)
	require.Equal(t, bookahead.Interval{End: 3}, p.Run)
}

// §4.4, step 2: "in case of a tie, select the path with the smallest propagation
// delay".
func TestTies(t *testing.T) {
	pool, err := carts.NewIndexed(1, carts.Config{Booked: []bookahead.Offer{{Interval: bookahead.Interval{End: 30}, Units: 1}}})
	require.NoError(t, err)
	n, err := New(2, []Link{{To: 1, Delay: 5}, {To: 1, Delay: 3}, {To: 1, Delay: 4}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: 40})
	require.NoError(t, err)
	for _, plan := range []func(Task) (Plan, error){n.Earliest, n.ECT, n.MCB, func(t Task) (Plan, error) { return n.MCT(t, nil) }} {
		p, err := plan(Task{Burst: 2, Work: 1, CPUs: 1})
		require.NoError(t, err)
		require.Equal(t, []int{1}, p.Links)
		require.Equal(t, bookahead.Time(31), p.Run.End)
	}
}
