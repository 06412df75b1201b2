package desk

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// bent does each BookSeries in another way.
func bent(do func(d *Desk, c BookSeries) (Outcome, error)) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(BookSeries)
		if !ok || k.check() != nil {
			return d.Do(c)
		}
		return do(d, k)
	}
}

// continued does each Continue of a series that is kept in another way.
func continued(do func(d *Desk, c Continue, s *keptSeries) (Outcome, error)) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(Continue)
		s, err := d.b.seriesOf(k.ID)
		if !ok || err != nil || k.check() != nil {
			return d.Do(c)
		}
		return do(d, k, s)
	}
}

// rewritten spoils a series after a command that made it or changed it.
func rewritten(spoil func(d *Desk, s *keptSeries)) doer {
	return after(func(d *Desk, c Command, out *Outcome) {
		s, err := d.b.seriesOf(out.Series)
		if err == nil {
			other := *s
			spoil(d, &other)
			d.b.series.all.Set(bookahead.ID(s.ID), seriesRecord{&other})
		}
	})
}

// inBatches does each Batch in another way.
func inBatches(do func(d *Desk, c Batch) (Outcome, error)) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(Batch)
		if !ok {
			return d.Do(c)
		}
		return do(d, k)
	}
}

var seriesFaults = []fault{
	{"an occurrence lost", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Do(c)
		if err == nil && out.Occurrences[0] != 0 {
			_, _ = d.Do(Cancel{out.Occurrences[0]})
		}
		return out, err
	})},
	{"the last window not booked", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		if len(c.At) > 1 {
			c.At = c.At[:len(c.At)-1]
		}
		return d.Do(c)
	})},
	{"a refused one not named", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Do(c)
		out.Refused = out.Refused[:max(0, len(out.Refused)-1)]
		return out, err
	})},
	{"a refused one not told", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Do(c)
		out.Events = slices.DeleteFunc(out.Events, func(e Event) bool { return e.What == WasRefused })
		return out, err
	})},
	{"a shift too late", rewritten(func(_ *Desk, s *keptSeries) {
		if s.Shift > 0 {
			s.Shift++
		}
	})},
	{"a shift that is not the least", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Clone().Do(c)
		if err == nil && c.Shift > 0 && len(out.Events) > 0 {
			later := c
			later.At = delayed(c.At, 1)
			out, err = d.Do(later)
			if err == nil {
				return out, err
			}
		}
		return d.Do(c)
	})},
	{"a shift that gives up too early", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		c.Shift = min(c.Shift, 2)
		return d.Do(c)
	})},
	{"none where some fit", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		c.Partly = false
		return d.Do(c)
	})},
	{"some where all or none", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		c.Partly = c.Shift == 0
		return d.Do(c)
	})},
	{"a place that is not the earliest", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		c.At = slices.Clone(c.At)
		last := &c.At[len(c.At)-1]
		last.Start = min(last.Start+1, last.End-1)
		return d.Do(c)
	})},
	{"windows that do not see each other", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		for i := range c.At {
			one := c
			one.At, one.Key = c.At[i:i+1], ""
			_, err := d.Clone().Do(one)
			if err != nil && !c.Partly && c.Shift == 0 {
				return Outcome{}, err
			}
		}
		c.Partly = c.Shift == 0
		return d.Do(c)
	})},
	{"quotas that do not see the windows before", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		right := d.b.rules
		if len(c.At) > 1 {
			d.b.rules = nil
		}
		var e pending
		err := d.b.decide(c, &e)
		d.b.rules = right
		if err != nil {
			return d.Do(c)
		}
		return d.b.apply(&e)
	})},
	{"a window that has begun lost", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		for i, w := range c.At {
			if w.Start < d.b.now && !c.Partly {
				return Outcome{}, &OccurrenceError{"BookSeries.At", i, w}
			}
		}
		return d.Do(c)
	})},
	{"a key of a series that books twice", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		d.b.series.keys.Remove(c.Key)
		return d.Do(c)
	})},
	{"a key of a series that takes other windows", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		id, ok := d.b.series.keys.Get(c.Key)
		if ok && c.Key != "" {
			s, _ := d.b.seriesOf(id)
			c.At = s.first.at
		}
		return d.Do(c)
	})},
	{"a series that is forgotten with its key", rewritten(func(d *Desk, s *keptSeries) {
		if s.Key != "" {
			d.b.series.keys.Remove(s.Key)
		}
	})},
	{"a refusal that names another window", bent(func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Do(c)
		at, ok := err.(*OccurrenceError)
		if ok {
			err = &OccurrenceError{at.Field, 0, later(c.At[0], c.Shift)}
		}
		return out, err
	})},
	{"a Continue that is carried out twice", continued(func(d *Desk, c Continue, s *keptSeries) (Outcome, error) {
		if s.Needs > c.Needed {
			c.Needed, c.Needs = s.Needs, s.Needs+1
		}
		return d.Do(c)
	})},
	{"a Continue of a series that was cancelled", continued(func(d *Desk, c Continue, s *keptSeries) (Outcome, error) {
		if s.Needs == 0 {
			alive := *s
			alive.Needs = c.Needed
			d.b.series.all.Set(bookahead.ID(s.ID), seriesRecord{&alive})
		}
		return d.Do(c)
	})},
	{"a Continue that leaves the need as it was", continued(func(d *Desk, c Continue, s *keptSeries) (Outcome, error) {
		c.Needs = 0
		return d.Do(c)
	})},
	{"a Continue that comes with the shift", continued(func(d *Desk, c Continue, s *keptSeries) (Outcome, error) {
		c.At = delayed(c.At, s.Shift)
		return d.Do(c)
	})},
	{"a need of a series that is told twice", rewritten(func(d *Desk, s *keptSeries) {
		if s.Needs > d.b.now {
			d.b.series.needs.Add(due{s.Needs, BookingID(s.ID)}.span())
			d.b.series.needs.Add(due{s.Needs + 1, BookingID(s.ID)}.span())
		}
	})},
	{"a need of a series that is not told", rewritten(func(d *Desk, s *keptSeries) { d.b.series.needs.Remove(s.due().span()) })},
	{"a cancelled series that still needs more", rewritten(func(d *Desk, s *keptSeries) {
		if s.Needs == 0 && s.kept > 0 {
			s.Needs = max(1, d.b.now)
		}
	})},
	{"a cancellation of all occurrences", func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(CancelSeries)
		if ok {
			return d.Do(CancelSeries{ID: k.ID})
		}
		return d.Do(c)
	}},
	{"a cancellation of none", func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(CancelSeries)
		if ok {
			return d.Do(CancelSeries{k.ID, bookahead.MaxTime})
		}
		return d.Do(c)
	}},
	{"a cancellation that grants nobody", grantsNobody(isVerb("cancelSeries"))},
	{"an occurrence that is of no series", after(func(d *Desk, c Command, out *Outcome) {
		for _, id := range out.Occurrences {
			if id != 0 {
				rewrite(d, id, func(k *Booking) { k.Series = 0 })
			}
		}
	})},
	{"a batch that is carried out in part", inBatches(func(d *Desk, c Batch) (Outcome, error) {
		out, err := d.Do(c)
		if err != nil {
			_, _ = d.Do(c.Commands[0])
		}
		return out, err
	})},
	{"a batch that leaves its last command out", inBatches(func(d *Desk, c Batch) (Outcome, error) {
		c.Commands = c.Commands[:max(1, len(c.Commands)-1)]
		return d.Do(c)
	})},
	{"a batch whose commands do not see each other", inBatches(func(d *Desk, c Batch) (Outcome, error) {
		for _, one := range c.Commands {
			_, err := d.Clone().Do(one)
			if err != nil {
				return Outcome{}, err
			}
		}
		return d.Do(c)
	})},
	{"a batch that grants nobody", grantsNobody(isVerb("batch"))},
}

// TestSeriesFaultsAreCaught checks that the long runs find each fault of series and batches.
func TestSeriesFaultsAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("the faults are in the test: they show that the comparison sees them")
	}
	for _, f := range seriesFaults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			ops, found := findsIn(newLong, f.do, firstSeeds[f.name], 20_000, true)
			require.True(t, found, "not after %d commands", ops)
			t.Logf("after %d commands", ops)
		})
	}
}
