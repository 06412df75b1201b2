package carts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/profile"
)

// changeable is the interface that the three forms have in common.
type changeable interface {
	bookahead.Displacer
	bookahead.Tracker
	bookahead.Profiler
	bookahead.LatestSearcher
	bookahead.Snapshotter
	Verify() error
}

// edgy draws calls at the limits: capacities around those of 32 and 64 bits, and times around now,
// the horizon and the end of the axis.
type edgy struct {
	*rand.Rand
	capacity int64
	frame    bookahead.Frame
}

func (e *edgy) time() bookahead.Time {
	ahead := bookahead.MaxTime - e.frame.Now
	switch e.IntN(8) {
	case 0:
		return bookahead.MaxTime - bookahead.Time(e.IntN(3))
	case 1:
		return e.frame.Horizon - bookahead.Time(e.IntN(5))
	case 2:
		return e.frame.Now + min(bookahead.Time(e.Int64N(1<<62)), ahead)
	}
	return e.frame.Now + min(bookahead.Time(e.IntN(60)), ahead)
}

func (e *edgy) window() bookahead.Interval {
	a, b := e.time(), e.time()
	return bookahead.Interval{Start: min(a, b), End: max(a, b)}
}

func (e *edgy) units() int64 {
	few := []int64{1, e.capacity, e.capacity/2 + 1, 1 + e.Int64N(e.capacity)}
	huge := []int64{most32, most32 + 1, 1<<60 + 1, 1 << 61, 1<<62 - 1, 1 << 62}
	if e.IntN(6) == 0 {
		return huge[e.IntN(len(huge))]
	}
	return few[e.IntN(len(few))]
}

func (e *edgy) request() bookahead.Request {
	w := e.window()
	r := bookahead.Request{Ready: w.Start, Duration: w.Len(), Units: e.units()}
	switch e.IntN(4) {
	case 0, 1:
		r.Deadline = w.End
	case 2:
		r.Duration = bookahead.Duration(1 + e.IntN(20))
	}
	return r
}

// call draws a call, and returns its name and a function that makes it. The function returns the
// answer.
func (e *edgy) call() (string, func(changeable) any) {
	r, w, units, at := e.request(), e.window(), e.units(), e.time()
	id, closure := bookahead.ID(1+e.IntN(20)), bookahead.ClosureID(1+e.IntN(8))
	forced, on := e.IntN(2) == 0, e.IntN(2) == 0
	switch e.IntN(12) {
	case 0:
		return fmt.Sprint("Release ", id), func(x changeable) any { return x.Release(id) }
	case 1, 2:
		return fmt.Sprint("Close ", w, units), func(x changeable) any {
			c, err := x.Close(bookahead.Closure{Interval: w, Units: units})
			return []any{c, err}
		}
	case 3:
		return fmt.Sprint("Extend ", w, units), func(x changeable) any {
			c, err := x.Extend(bookahead.Closure{Interval: w, Units: units})
			return []any{c, err}
		}
	case 4:
		return fmt.Sprint("End ", closure, at), func(x changeable) any { return x.End(closure, at) }
	case 5:
		return fmt.Sprint("Rebook ", id, r), func(x changeable) any {
			res, err := x.Rebook(id, r)
			return []any{res, err}
		}
	case 6:
		return fmt.Sprint("Displace ", forced, r), func(x changeable) any {
			f := bookahead.Force{Request: &r}
			if !forced {
				f.Request = nil
			}
			d, err := bookahead.Displace(x, f)
			return []any{d, err}
		}
	case 7:
		now := max(e.frame.Now, min(at, e.frame.Now+bookahead.Time(e.IntN(20))))
		return fmt.Sprint("Advance ", now), func(x changeable) any {
			p, err := bookahead.Advance(x, now)
			return []any{p, err}
		}
	case 8:
		return fmt.Sprint("Track ", on), func(x changeable) any {
			x.Track(on)
			return nil
		}
	case 9:
		return "restore", func(x changeable) any {
			data, err := x.MarshalBinary()
			if err != nil {
				return err
			}
			return x.UnmarshalBinary(data)
		}
	}
	return fmt.Sprint("Reserve ", r), func(x changeable) any {
		res, err := x.Reserve(r)
		return []any{res, err}
	}
}

// answers makes all queries.
func (e *edgy) answers(r bookahead.Request, x changeable) (list []any) {
	all := bookahead.Interval{End: bookahead.MaxTime}
	used, free, _ := bookahead.Usage(x, all)
	largest, _ := bookahead.Rectangles(x, all, 2)
	list = append(list, x.Frame(), used, free, largest, slices.Collect(x.Closures()), slices.Collect(x.Overbooked(all)),
		slices.Collect(x.Blocks(all)), slices.Collect(x.ReservationsOn(all, nil)))
	first, err := x.Search(r)
	list = append(list, first, err)
	last, err := x.SearchLatest(r)
	return append(list, last, err)
}

// The forms agree where capacities, closures and times are as large as they can be, and where
// an extension needs more than 32 bits while clones live.
func TestFormsAgreeOnHugeChanges(t *testing.T) {
	for seed := range uint64(150) {
		e := edgy{Rand: rand.New(rand.NewPCG(seed, 20))}
		e.capacity = []int64{1, 5, most32 - 1, most32, most32 + 1, 1<<61 - 1, 1 << 61}[e.IntN(7)]
		c := Config{Horizon: bookahead.Duration([]int64{0, 0, 0, 1, 40, 1 << 62}[e.IntN(6)])}
		if e.IntN(3) == 0 {
			c.Origin = bookahead.MaxTime - bookahead.Time(c.Horizon) - bookahead.Time(e.IntN(60))
		}
		indexed, err := newIndexed(e.capacity, c, profile.Knobs{Width: 8})
		require.NoError(t, err)
		flat, err := NewFlat(e.capacity, c)
		require.NoError(t, err)
		tree, err := NewBTree(e.capacity, c)
		require.NoError(t, err)
		forms, clones := []changeable{indexed, flat, tree}, [][]changeable{}
		log := fmt.Sprintf("seed %d: %d units %+v", seed, e.capacity, c)
		for range 60 {
			switch k := e.IntN(12); {
			case k == 0:
				var copies []changeable
				for _, x := range forms {
					copies = append(copies, x.Clone().(changeable))
				}
				clones = append(clones, copies)
			case k < 3 && len(clones) > 0:
				i := e.IntN(len(clones))
				forms, clones[i] = clones[i], forms
				log += fmt.Sprintf("\nclones %d", i)
			}
			e.frame = forms[0].Frame()
			name, call := e.call()
			log += "\n" + name
			r := e.request()
			want, answers := call(forms[0]), e.answers(r, forms[0])
			for _, x := range forms[1:] {
				require.Equal(t, want, call(x), "%T: %s", x, log)
				require.Equal(t, answers, e.answers(r, x), "%T: %s", x, log)
			}
			for _, x := range forms {
				require.NoError(t, x.Verify(), "%T: %s", x, log)
			}
		}
	}
}
