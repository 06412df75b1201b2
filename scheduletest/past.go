package scheduletest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// drawQuiet makes a schedule with a random past, in which the capacity has never changed.
func drawQuiet(t *rapid.T, target Target) history { return drawPast(t, target, false) }

// drawHistory makes a schedule with a random past, without an oracle. If it is Closable, its
// capacity may have changed.
func drawHistory(t *rapid.T, target Target) history { return drawPast(t, target, true) }

func drawPast(t *rapid.T, target Target, changes bool) history {
	c := drawConfig(t, target)
	s, err := target.New(c)
	if err != nil {
		t.Fatalf("New(%+v): %v", c, err)
	}
	h := history{Schedule: s, Config: c, now: c.Origin, given: c.Capacity}
	for range rapid.IntRange(0, 25).Draw(t, "history") {
		event := rapid.IntRange(0, 9).Draw(t, "event")
		if event == 5 && changes && has[bookahead.Closable](s) {
			h.change(t, target)
			continue
		}
		if k, ok := s.(bookahead.Keeper); ok && event == 6 {
			h.rebook(t, target, k)
			continue
		}
		switch event {
		default:
			if res, err := s.Reserve(drawRequest(t, target, h.Capacity, h.now)); err == nil {
				h.live = append(h.live, res)
				h.made++
			}
		case 7, 8:
			if len(h.live) > 0 {
				k := rapid.IntRange(0, len(h.live)-1).Draw(t, "release")
				if err := s.Release(h.live[k].ID); err != nil {
					t.Fatalf("Release(%d) of %v: %v", h.live[k].ID, h.live[k].Offer, err)
				}
				h.live = slices.Delete(h.live, k, k+1)
			}
		case 9:
			h.advance(t, h.now+drawTime(t, 0, 10, "advance"))
		}
	}
	return h
}

// history is a schedule with a past.
type history struct {
	bookahead.Schedule
	Config
	now   bookahead.Time
	live  []bookahead.Reservation // booked and not ended
	made  int                     // reservations so far
	given int64                   // the capacity from the start
	// changed says that units were closed or added. Capacity is the most units so far.
	changed bool
}

// rebook changes a reservation, if there is a place for the change.
func (h *history) rebook(t *rapid.T, target Target, k bookahead.Keeper) {
	id, r := drawRebook(t, target, h.live, h.Capacity, h.now)
	res, err := k.Rebook(id, r)
	if err != nil {
		return
	}
	i := slices.IndexFunc(h.live, func(res bookahead.Reservation) bool { return res.ID == id })
	h.live[i] = res
}

func (h *history) advance(t *rapid.T, now bookahead.Time) {
	if err := h.Advance(now); err != nil {
		t.Fatalf("Advance(%d) from %d: %v", now, h.now, err)
	}
	h.now = now
	h.live = slices.DeleteFunc(h.live, func(res bookahead.Reservation) bool { return res.End <= now })
}

// end returns the end of the time that can be booked.
func (h *history) end() bookahead.Time {
	if h.Horizon == 0 {
		return bookahead.MaxTime
	}
	return h.now + bookahead.Time(h.Horizon)
}

// change makes a call on a schedule with a past. If units were added, they count towards the
// Capacity of the history.
func (h *history) change(t *rapid.T, target Target) {
	c := drawChange(t, target, h.Schedule.(bookahead.Keeper).Frame(), h.Capacity)
	got, err := c.run(h.Schedule)
	if err != nil {
		return
	}
	h.changed = h.changed || got.ID > 0
	if got.Added {
		h.Capacity += got.Units
	}
}
