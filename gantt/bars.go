package gantt

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Name returns the text on the bars of a reservation, and a key, such as a user or a
// project: bars of one key have one colour. A nil Name writes the ID, and gives each
// ID a colour.
type Name func(r bookahead.Reservation) (label, key string)

func (n Name) of(r bookahead.Reservation) (label, key string) {
	if n == nil {
		id := fmt.Sprintf("#%d", r.ID)
		return id, id
	}
	return n(r)
}

// ServerBars returns the bars of reservations that name their servers: row i is
// server i, and servers next to each other make one bar. The error wraps
// bookahead.ErrInvalid if a reservation names no servers, if its servers do not
// ascend from 0 or more, or if its interval is empty. O(s) for s servers named.
func ServerBars(reservations []bookahead.Reservation, name Name) ([]Bar, error) {
	var bars []Bar
	for _, r := range reservations {
		if err := checkSpan(r); err != nil {
			return nil, err
		}
		if len(r.Servers) == 0 {
			return nil, limits.Invalid("Reservation.Servers", r, "names no servers")
		}
		label, key := name.of(r)
		for i, s := range r.Servers {
			switch {
			case s < 0:
				return nil, limits.Invalid("Reservation.Servers", r, "names a negative server")
			case i > 0 && s <= r.Servers[i-1]:
				return nil, limits.Invalid("Reservation.Servers", r, "are not in ascending order")
			case i > 0 && s == r.Servers[i-1]+1:
				bars[len(bars)-1].Rows++
			default:
				bars = append(bars, Bar{Interval: r.Interval, Row: s, Rows: 1, Label: label, Key: key})
			}
		}
	}
	return bars, nil
}

// Lanes returns one bar for each reservation of a pool, in the first row that is free
// when the reservation starts, and the number of rows: the most reservations at one
// time. The height of a bar does not depend on its units. The error wraps
// bookahead.ErrInvalid if an interval is empty. O(n log n) for n reservations.
func Lanes(reservations []bookahead.Reservation, name Name) ([]Bar, int, error) {
	ordered := slices.Clone(reservations)
	slices.SortStableFunc(ordered, func(a, b bookahead.Reservation) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
	})
	var bars []Bar
	var busy, free lanes // by end, and by row
	for _, r := range ordered {
		if err := checkSpan(r); err != nil {
			return nil, 0, err
		}
		for len(busy) > 0 && busy[0].end <= r.Start {
			heap.Push(&free, lane{row: heap.Pop(&busy).(lane).row})
		}
		row := len(busy)
		if len(free) > 0 {
			row = heap.Pop(&free).(lane).row
		}
		heap.Push(&busy, lane{r.End, row})
		label, key := name.of(r)
		bars = append(bars, Bar{Interval: r.Interval, Row: row, Label: label, Key: key})
	}
	return bars, len(busy) + len(free), nil
}

type lane struct {
	end bookahead.Time
	row int
}

// lanes is a heap, by end and then by row. Free lanes have no end, and so are by row.
type lanes []lane

func (l lanes) Len() int { return len(l) }
func (l lanes) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].end, l[j].end), cmp.Compare(l[i].row, l[j].row)) < 0
}
func (l lanes) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *lanes) Push(x any)   { *l = append(*l, x.(lane)) }
func (l *lanes) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// BusyBars returns bars without a label for the times in w at which a server of a
// schedule is not free. It is for a schedule whose reservations are not known. There
// are no bars before the clock and beyond the horizon of the schedule, as in ProfileOf.
// The error wraps bookahead.ErrInvalid if the schedule is no bookahead.Profiler, if w
// is empty, if servers is below 1 or above 1<<24, or if a block names no servers or a
// server out of range. O(s + p log p) for s servers and p idle periods of the blocks.
func BusyBars(s bookahead.Schedule, servers int, w bookahead.Interval) ([]Bar, error) {
	if w.Empty() {
		return nil, limits.Invalid("window", w, "is empty")
	}
	if servers < 1 || servers > maxRows {
		return nil, limits.Invalid("servers", servers, fmt.Sprintf("is not in 1 to %d", maxRows))
	}
	w = known(s, w)
	blocks, ok := bookahead.Blocks(s, w)
	if !ok {
		return nil, limits.Invalid("schedule", fmt.Sprintf("%T", s), "is no bookahead.Profiler")
	}
	if w.Empty() {
		return nil, nil // w is before the clock or beyond the horizon
	}
	free := make([][]bookahead.Interval, servers)
	for b := range blocks {
		in := b.Intersect(w)
		switch {
		case in.Empty():
			return nil, limits.Invalid("block", b.Interval, "is empty or outside the window")
		case len(b.Servers) == 0:
			return nil, limits.Invalid("block", b.Interval, "names no servers")
		}
		for _, k := range b.Servers {
			if k < 0 || k >= servers {
				return nil, limits.Invalid("servers", servers, fmt.Sprintf("does not include server %d of a block", k))
			}
			free[k] = append(free[k], in)
		}
	}
	var bars []Bar
	for k, idle := range free {
		slices.SortFunc(idle, func(a, b bookahead.Interval) int { return cmp.Compare(a.Start, b.Start) })
		from := w.Start
		for _, i := range append(idle, bookahead.Interval{Start: w.End, End: w.End}) {
			if from < i.Start {
				bars = append(bars, Bar{Interval: bookahead.Interval{Start: from, End: i.Start}, Row: k})
			}
			from = max(from, i.End)
		}
	}
	return bars, nil
}

func checkSpan(r bookahead.Reservation) error {
	if r.Empty() {
		return limits.Invalid("Reservation.Interval", r, "is empty")
	}
	return nil
}
