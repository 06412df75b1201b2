package window

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/scheduletest"
)

func TestHunt(t *testing.T) { scheduletest.Hunt(t, hunted) }

func FuzzHunt(f *testing.F) { scheduletest.FuzzHunt(f, hunted) }

// huntSteps is the effort of a search in the hunt.
const huntSteps = 3000

// hunted makes environments with times, prices and volumes at the edges, and runs every search on
// them. A search must answer with a window that keeps the job's terms, or stop.
func hunted(h *scheduletest.Hunter) {
	var e *Environment
	h.Calls(func() {
		if e == nil || h.IntN(10) == 0 {
			e = huntEnvironment(h)
		}
		if e == nil {
			return
		}
		huntJob(h, e)
	})
}

func huntEnvironment(h *scheduletest.Hunter) *Environment {
	var nodes []Node
	for range 1 + h.IntN(5) {
		n := Node{Performance: float64(h.Number()), Price: float64(h.Number()), Quality: float64(h.Number())}
		if h.IntN(8) > 0 {
			n.Performance, n.Price = max(n.Performance, 1), max(n.Price, 0)
		}
		if h.IntN(4) == 0 {
			n.Tariff = []Rate{{bookahead.Time(h.Number()), float64(h.Number())}}
		}
		nodes = append(nodes, n)
	}
	var slots []Slot
	for node := range nodes {
		times := []bookahead.Time{}
		for range 4 {
			times = append(times, bookahead.Time(h.Number()))
		}
		if h.IntN(8) > 0 {
			slices.Sort(times)
		}
		slots = append(slots, Slot{node, bookahead.Interval{Start: times[0], End: times[1]}}, Slot{node, bookahead.Interval{Start: times[2], End: times[3]}})
	}
	if h.IntN(8) > 0 {
		slots = slices.DeleteFunc(slots, func(s Slot) bool { return s.Empty() || s.Start < 0 })
		slices.SortFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
	}
	h.Does("New(%+v, %v)", nodes, slots)
	var e *Environment
	var err error
	h.Weigh(func() { e, err = New(nodes, slots) })
	if err != nil {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
		return nil
	}
	return e
}

func huntJob(h *scheduletest.Hunter, e *Environment) {
	j := Job{
		Nodes: 1 + h.IntN(4), Volume: float64(h.Number()), Budget: float64(h.Number()), MinPerformance: float64(h.IntN(2)),
		Ready: bookahead.Time(h.Number()), Shape: Shape(h.IntN(3)), Effort: bookahead.Effort{Steps: huntSteps},
	}
	if h.IntN(8) > 0 {
		j.Volume, j.Budget, j.Ready = max(j.Volume, 1), max(j.Budget, 1), max(j.Ready, 0)
	} else {
		j.Nodes = int(int32(h.Number()))
	}
	if h.IntN(2) == 0 {
		j.Deadline = bookahead.Time(h.Number())
	}
	c := []Criterion{EarliestStart, Quality, Near, Far}[h.IntN(4)]
	p := Program{Steps: 1 + h.IntN(100), Skip: h.IntN(2) == 0}
	if h.IntN(8) == 0 { // the table may take memory up to its bound by contract, or is refused
		p.Steps = []int{-1, 0, 1<<31 - 1}[h.IntN(3)]
	}
	if h.IntN(10) == 0 {
		huntSlots(h)
	}
	searches := map[string]func() (Window, error){
		"FirstFit":     func() (Window, error) { return FirstFit(e, j) },
		"MaxQ":         func() (Window, error) { return MaxQ(e, j, c, p) },
		"MaxQLite":     func() (Window, error) { return MaxQLite(e, j, c) },
		"MultipleBest": func() (Window, error) { return MultipleBest(e, j, c) },
		"Exact":        func() (Window, error) { o, err := Exact(e, j, c); return o.Window, err },
		"ExactPlacement": func() (Window, error) {
			o, err := ExactPlacement(e, j, c)
			return o.Window, err
		},
		"Alternatives": func() (last Window, err error) {
			for w, e := range Alternatives(e, j, c) {
				if e != nil {
					return last, e
				}
				last = w
			}
			return last, nil
		},
	}
	names := []string{"FirstFit", "MaxQ", "MaxQLite", "MultipleBest", "Exact", "ExactPlacement", "Alternatives"}
	name := names[h.IntN(len(names))]
	h.Does("%s(%+v, %+v, %v)", name, j, p, c)
	var w Window
	var err error
	h.Weigh(func() { w, err = searches[name]() })
	if err != nil && !errors.Is(err, bookahead.ErrStopped) {
		known := errors.Is(err, bookahead.ErrInvalid) || errors.Is(err, bookahead.ErrUnavailable)
		require.True(h, known, "%v", err)
		return
	}
	if len(w.Tasks) == 0 {
		return
	}
	require.Len(h, w.Tasks, j.Nodes)
	cost := 0.
	for i, x := range w.Tasks {
		require.True(h, i == 0 || w.Tasks[i-1].Node < x.Node, "%+v", w)
		inside := false
		for k := range e.Slots() {
			s := e.Slot(k)
			inside = inside || s.Node == x.Node && s.Intersect(x.Interval) == x.Interval
		}
		require.True(h, inside && !x.Empty() && x.Start == w.Start && x.Start >= j.Ready, "%+v", w)
		require.True(h, j.Deadline == 0 || x.End <= j.Deadline, "%+v", w)
		cost += e.Node(x.Node).Cost(x.Interval)
	}
	require.LessOrEqual(h, cost, j.Budget*(1+1e-9))
	_, err = e.cost(w)
	require.NoError(h, err)
	_, _ = e.Distances(w)
	_, err = e.Request("on", w)
	if err != nil {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
	}
}

// huntSlots reads the slots of schedules.
func huntSlots(h *scheduletest.Hunter) {
	tree, err := idletree.NewTree(3, idletree.Config{})
	require.NoError(h, err)
	pool, err := carts.NewFlat(3, carts.Config{})
	require.NoError(h, err)
	for _, s := range []bookahead.Schedule{tree, pool} {
		for range 4 {
			_, _ = s.Reserve(bookahead.Request{Ready: bookahead.Time(h.Number()), Duration: bookahead.Duration(h.Number()), Units: 1})
		}
		w := bookahead.Interval{Start: bookahead.Time(h.Number()), End: bookahead.Time(h.Number())}
		h.Does("Slots of %T in %v", s, w)
		h.Weigh(func() { _, err = Slots(s, w) })
		if err != nil {
			require.ErrorIs(h, err, bookahead.ErrInvalid)
		}
	}
}
