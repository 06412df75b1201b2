package gantt

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/scheduletest"
)

func TestHunt(t *testing.T) { scheduletest.Hunt(t, hunted) }

func FuzzHunt(f *testing.F) { scheduletest.FuzzHunt(f, hunted) }

// hunted draws a pool and servers that are booked at the edges, in windows at the edges. A chart is
// drawn, or refused with ErrInvalid, and then nothing is written.
func hunted(h *scheduletest.Hunter) {
	number := func() bookahead.Time { return bookahead.Time(h.Number()) }
	origin := max(0, number())
	pool, err := carts.NewFlat(max(1, h.Number()), carts.Config{Origin: origin})
	require.NoError(h, err)
	tree, err := idletree.NewTree(3, idletree.Config{Origin: origin})
	require.NoError(h, err)
	for range 6 {
		r := bookahead.Request{Ready: number(), Duration: bookahead.Duration(number()), Units: 1 + int64(h.IntN(2))}
		_, _ = pool.Reserve(r)
		_, _ = tree.Reserve(r)
	}
	drawn := 0
	h.Calls(func() {
		if drawn == 4 { // a picture takes longer than other calls
			return
		}
		drawn++
		w := bookahead.Interval{Start: number(), End: number()}
		if w.End < w.Start && h.IntN(4) > 0 {
			w.Start, w.End = w.End, w.Start
		}
		capacity := h.Number()
		if h.IntN(4) > 0 {
			capacity = pool.Frame().Capacity
		}
		h.Does("ProfileOf(%d) and BusyBars in %v", capacity, w)
		var profile Profile
		var bars []Bar
		h.Weigh(func() { profile, err = ProfileOf("pool", pool, capacity, w) })
		refused(h, err)
		profiles := []Profile{}
		if err == nil {
			profiles = append(profiles, profile)
		}
		rows := []int{3, 3, 3, -1, 0, 1<<24 + 1, 1<<31 - 1}[h.IntN(7)]
		h.Weigh(func() { bars, err = BusyBars(tree, []int{3, 3, -1, 1, 1<<31 - 1}[h.IntN(5)], w) })
		refused(h, err)
		reservations := []bookahead.Reservation{}
		for res := range tree.Reservations(w) {
			reservations = append(reservations, res)
		}
		h.Weigh(func() { _, _, err = Lanes(reservations, nil) })
		refused(h, err)
		c := Chart{Window: w, Now: number(), Profiles: profiles, Rows: rows, Bars: bars, Width: []int{0, 320, 4000, 1<<31 - 1}[h.IntN(4)]}
		c.Axis.Origin = number()
		if h.IntN(3) == 0 {
			c.Axis.Steps = []bookahead.Duration{bookahead.Duration(number()), bookahead.Duration(number())}
		}
		if h.IntN(8) == 0 {
			c.perLane = h.IntN(1 << 10)
		}
		columns := []int{80, 40, 0, -1, 1<<31 - 1}[h.IntN(5)]
		h.Does("WriteTo and WriteText(%d) of %v, now %d, %d rows, width %d, lane %d, axis %+v", columns, w, c.Now, rows, c.Width, c.perLane, c.Axis)
		var svg, text bytes.Buffer
		h.Weigh(func() { _, err = c.WriteTo(&svg) })
		refused(h, err)
		require.True(h, err == nil || svg.Len() == 0)
		h.Weigh(func() { _, err = c.WriteText(&text, columns) })
		refused(h, err)
		require.True(h, err == nil || text.Len() == 0)
	})
}

// refused checks that an error wraps ErrInvalid.
func refused(h *scheduletest.Hunter, err error) {
	if err != nil {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
	}
}
