package replay

import (
	"errors"
	"fmt"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// driver is the event loop: submissions come from outside, ends from the
// bookings that were accepted.
type driver struct {
	s        bookahead.Schedule
	watch    *stopwatch          // nil if nothing is timed
	more     func(done int) bool // reports, before each booking and each release, whether to go on
	outcomes []Outcome
	ends     *btree.BTreeG[ending] // of the live jobs, the next end first
}

// errStopped ends a replay after more returned false.
var errStopped = errors.New("replay: stopped")

// ending is the end of a job. It is early if its reservation ends later.
type ending struct {
	at    bookahead.Time
	id    bookahead.ID
	early bool
}

func newDriver(s bookahead.Schedule, watch *stopwatch, room []Outcome, more func(done int) bool) *driver {
	less := func(a, b ending) bool { return a.at < b.at || a.at == b.at && a.id < b.id }
	return &driver{s: s, watch: watch, more: more, outcomes: room, ends: btree.NewG(16, less)}
}

// live is the number of jobs that are booked and have not ended.
func (d *driver) live() int { return d.ends.Len() }

// submit makes one booking at the time of its submission, after all ends until then.
func (d *driver) submit(b workload.Booking) error {
	if !d.more(len(d.outcomes)) {
		return errStopped
	}
	if err := d.endBy(b.Submit); err != nil {
		return err
	}
	if err := d.advance(b.Submit); err != nil {
		return err
	}
	started := d.watch.start()
	offer, searchErr := d.s.Search(b.Request)
	d.watch.stop(started, searching)
	started = d.watch.start()
	res, err := d.s.Reserve(b.Request)
	d.watch.stop(started, reserving)
	switch {
	case searchErr == nil && err == nil && offer.Interval == res.Interval:
		d.outcomes = append(d.outcomes, Outcome{true, res.Start})
		run := ran(b)
		d.ends.ReplaceOrInsert(ending{res.Start + bookahead.Time(run), res.ID, run < b.Request.Duration})
		return nil
	case searchErr == bookahead.ErrUnavailable && err == bookahead.ErrUnavailable:
		d.outcomes = append(d.outcomes, Outcome{})
		return nil
	case searchErr != nil && err != nil && !errors.Is(err, bookahead.ErrUnavailable):
		return err
	default:
		return fmt.Errorf("request %+v: Search returns %v, %v, but Reserve %v, %v", b.Request, offer, searchErr, res, err)
	}
}

// ran returns how long a job runs: until it is done, or until its booking ends.
func ran(b workload.Booking) bookahead.Duration { return min(b.Run, b.Request.Duration) }

// endBy ends every job whose end is at now or before. Only early ends need a Release.
func (d *driver) endBy(now bookahead.Time) error {
	for {
		e, ok := d.ends.Min()
		if !ok || e.at > now {
			return nil
		}
		if e.early && !d.more(len(d.outcomes)) {
			return errStopped
		}
		d.ends.DeleteMin()
		if !e.early {
			continue
		}
		if err := d.advance(e.at); err != nil {
			return err
		}
		started := d.watch.start()
		err := d.s.Release(e.id)
		d.watch.stop(started, releasing)
		if err != nil {
			return fmt.Errorf("release of #%d at %d: %w", e.id, e.at, err)
		}
	}
}

func (d *driver) advance(now bookahead.Time) error {
	started := d.watch.start()
	err := d.s.Advance(now)
	d.watch.stop(started, advancing)
	return err
}
