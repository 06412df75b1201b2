package route

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/scheduletest"
)

func TestHunt(t *testing.T) { scheduletest.Hunt(t, hunted) }

func FuzzHunt(f *testing.F) { scheduletest.FuzzHunt(f, hunted) }

// hunted makes small networks with delays, weights and clocks at the edges, and runs every search
// on them with a small effort. A plan must keep its task's terms, and Commit must accept it.
func hunted(h *scheduletest.Hunter) {
	n := huntNetwork(h)
	if n == nil {
		return
	}
	h.Calls(func() {
		switch h.IntN(10) {
		case 0:
			now := bookahead.Time(h.Number())
			h.Does("Advance(%d)", now)
			h.Weigh(func() { expected(h, n.Advance(now)) })
		case 1:
			id := bookahead.ID(h.Number())
			h.Does("Release(%d)", id)
			h.Weigh(func() { expected(h, n.Release(id)) })
		case 2, 3:
			huntQuery(h, n)
		default:
			huntTask(h, n)
		}
	})
}

func huntNetwork(h *scheduletest.Hunter) *Network {
	origin := bookahead.Time(h.Number())
	c := Config{Weights: 2, Origin: origin, Slots: []int{1, 20, 100, 1000, -1, 1<<31 - 1}[h.IntN(6)], Wait: h.IntN(2) == 0}
	if c.Slots > 1000 && h.IntN(8) > 0 { // slots take room by contract
		c.Slots = 64
	}
	nodes := 3 + h.IntN(3)
	var links []Link
	for range 4 + h.IntN(5) {
		l := Link{From: h.IntN(nodes), To: h.IntN(nodes), Delay: bookahead.Duration(h.IntN(4)), Weights: []float64{1, 2}}
		if h.IntN(4) == 0 {
			l.Delay = bookahead.Duration(h.Number())
			l.Weights = []float64{float64(max(0, h.Number())), float64(max(0, h.Number()))}
		}
		if h.IntN(3) == 0 {
			pool, err := carts.NewFlat(5, carts.Config{})
			require.NoError(h, err)
			l.Schedule, l.Units = pool, h.Number()
			if h.IntN(4) > 0 {
				l.Units = 2
			}
		}
		if l.From != l.To || h.IntN(8) == 0 {
			links = append(links, l)
		}
	}
	pool, err := carts.NewFlat(5, carts.Config{})
	require.NoError(h, err)
	clusters := []Cluster{{Node: h.IntN(nodes), CPUs: 4, Speed: max(1, h.Number()), Pool: pool}}
	if c.Slots > 1000 {
		links = nil
	}
	h.Does("New(%d, %+v, %+v, %+v)", nodes, links, clusters, c)
	var n *Network
	h.Weigh(func() { n, err = New(nodes, links, clusters, c) })
	expected(h, err)
	return n
}

// expected checks that an error is one that a network may return.
func expected(h *scheduletest.Hunter, err error) {
	for _, e := range []error{bookahead.ErrInvalid, bookahead.ErrUnavailable, bookahead.ErrNotFound, bookahead.ErrStopped} {
		if errors.Is(err, e) {
			return
		}
	}
	require.NoError(h, err)
}

func huntTask(h *scheduletest.Hunter, n *Network) {
	t := Task{
		Source: h.IntN(3), Ready: bookahead.Time(h.Number()), Burst: bookahead.Duration(h.Number()), Work: h.Number(), CPUs: 1 + int64(h.IntN(4)),
		Effort: bookahead.Effort{Steps: 2000},
	}
	if h.IntN(2) == 0 {
		t.Burst = 1 + bookahead.Duration(h.IntN(5))
	}
	if h.IntN(2) == 0 {
		t.Ready = n.Now()
	}
	if h.IntN(8) > 0 {
		t.Burst, t.Work = max(1, t.Burst), max(1, t.Work)
	}
	if h.IntN(3) == 0 {
		t.Deadline = bookahead.Time(h.Number())
	}
	if h.IntN(8) == 0 {
		t.CPUs, t.Source = h.Number(), int(int32(h.Number()))
	}
	names := []string{"Earliest", "ECT", "MCT", "MCTPrinted", "AWMCT", "MCB", "Candidates"}
	i := h.IntN(len(names))
	h.Does("%s(%+v) at %d", names[i], t, n.Now())
	var p Plan
	var err error
	h.Weigh(func() {
		switch names[i] {
		case "Earliest":
			p, err = n.Earliest(t)
		case "ECT":
			p, err = n.ECT(t)
		case "MCT":
			p, err = n.MCT(t, nil)
		case "MCTPrinted":
			p, err = n.mctPrinted(t, nil)
		case "AWMCT":
			p, err = n.AWMCT(t, nil)
		case "MCB":
			p, err = n.MCB(t)
		case "Candidates":
			_, err = n.Candidates(t)
		}
	})
	expected(h, err)
	if err != nil || names[i] == "Candidates" {
		return
	}
	require.True(h, p.Run.Start >= max(t.Ready, n.Now()) && !p.Run.Empty() && p.Arrival <= p.Run.Start, "%+v", p)
	require.True(h, t.Deadline == 0 || p.Run.End <= t.Deadline, "%+v", p)
	for k := range p.Links {
		require.Equal(h, t.Burst, n.Window(p, k).Len())
	}
	_, err = n.Request(p)
	expected(h, err)
	h.Does("Commit(%+v)", p)
	h.Weigh(func() { _, err = n.Commit(p) })
	expected(h, err)
	require.NoError(h, err)
}

func huntQuery(h *scheduletest.Hunter, n *Network) {
	limits := []float64{float64(h.Number()), float64(h.Number())}
	q := Query{Source: h.IntN(3), Servers: []Server{{Node: h.IntN(3)}}, Limits: limits, Effort: bookahead.Effort{Steps: 2000}}
	if h.IntN(3) == 0 {
		q.Servers[0].Weights = []float64{float64(h.Number()), float64(h.Number())}
	}
	h.Does("SAMCRA, hop by hop, and Pareto(%+v)", q)
	h.Weigh(func() {
		r, err := n.SAMCRA(q)
		expected(h, err)
		if err == nil {
			require.True(h, r.Weights[0] <= limits[0] && r.Weights[1] <= limits[1], "%+v", r)
		}
		_, err = n.SAMCRAHopByHop(q)
		expected(h, err)
		k := 0
		for _, err := range n.Pareto(q) {
			expected(h, err)
			k++
			if k > 100 {
				break
			}
		}
	})
}
