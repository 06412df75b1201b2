package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

func (c BookSeries) decide(b *books, m *effort.Meter) (Decision, error) {
	if c.Key != "" {
		id, ok := b.series.keys.Get(c.Key)
		if ok {
			s, err := b.seriesOf(id)
			if err == nil && !s.made(&c) {
				err = kindError{ErrKey, limits.Invalid("BookSeries.Key", c.Key, fmt.Sprintf("is that of series %d, which was asked for otherwise", id))}
			}
			return Decision{Series: id, same: true}, err
		}
	}
	x := b.placing(m, ofBookSeries, &c.Request, c.At, c.Partly)
	err := x.check()
	if err == nil {
		err = b.checkNeeds("BookSeries.Needs", c.Needs)
	}
	if err != nil {
		return Decision{}, err
	}
	by := Decision{Series: b.series.last + 1}
	by.Batch, by.Shift, err = x.place(c.Shift)
	return by, err
}

// made reports whether a command is the one that made a series with a key.
func (s *keptSeries) made(c *BookSeries) bool {
	f := s.first
	return s.Request.same(&c.Request) && slices.Equal(f.at, c.At) && f.partly == c.Partly && f.shift == c.Shift && f.needs == c.Needs
}

func (b *books) checkNeeds(field string, needs bookahead.Time) error {
	if needs != 0 && needs <= b.now {
		return limits.Invalid(field, needs, fmt.Sprintf("is not after now, %d", b.now))
	}
	return nil
}

func (c BookSeries) apply(b *books, by *Decision) error {
	if by.Series != b.series.last+1 {
		return limits.Invalid("Decision.Series", by.Series, fmt.Sprintf("does not follow %d", b.series.last))
	}
	_, known := b.series.keys.Get(c.Key)
	if known {
		return limits.Invalid("BookSeries.Key", c.Key, "is that of a series already")
	}
	err := b.checkNeeds("BookSeries.Needs", c.Needs)
	if err != nil {
		return err
	}
	s := &keptSeries{Series: Series{ID: by.Series, Key: c.Key, Request: c.Request.Clone(), Needs: c.Needs, Shift: by.Shift}}
	if c.Key != "" {
		s.first = &firstCommand{at: slices.Clone(c.At), partly: c.Partly, shift: c.Shift, needs: c.Needs, booking: b.last + 1}
		for i := range by.Batch {
			if by.Batch[i].Booking == 0 {
				s.first.refused = append(s.first.refused, i)
			}
		}
	}
	err = b.occur(s, c.At, by)
	if err == nil && s.kept == 0 {
		err = limits.Invalid("Decision.Batch", len(by.Batch), "books nothing")
	}
	if err != nil {
		return err
	}
	b.enterSeries(s)
	return nil
}

// occur books the occurrences of a series as they were decided, and adds them to the series.
func (b *books) occur(s *keptSeries, at Occurrences, by *Decision) error {
	if len(by.Batch) != len(at) {
		return limits.Invalid("Decision.Batch", len(by.Batch), fmt.Sprintf("are not as many as the windows, %d", len(at)))
	}
	wish := wishOf(&s.Request)
	for i, w := range at {
		one := &by.Batch[i]
		w = later(w, by.Shift)
		if one.Booking == 0 {
			b.tell(Event{At: b.now, What: WasRefused, Owner: s.Owner, Series: s.ID, From: w})
			continue
		}
		err := b.occurOnce(s, wish.in(w), one)
		if err != nil {
			return fmt.Errorf("occurrence %d: %w", i, err)
		}
	}
	return nil
}

// occurOnce books an occurrence. All occurrences share the slices of one request.
func (b *books) occurOnce(s *keptSeries, r Request, by *Decision) error {
	if by.Booking != b.last+1 || b.last >= maxBookings {
		return limits.Invalid("Decision.Booking", by.Booking, fmt.Sprintf("does not follow %d, or is more than %d", b.last, uint64(maxBookings)))
	}
	err := checkLast(b.last)
	if err != nil {
		return err
	}
	on := by.on
	r = r.laid(by.Places)
	if on == nil {
		on, err = b.checkDecided(&r, by.Shape, by.Places, nil)
		if err != nil {
			return err
		}
	}
	err = b.bookIn(&Booking{Request: r, Series: s.ID, State: Booked, Shape: by.Shape, Places: slices.Clone(by.Places), on: on})
	if err != nil {
		return err
	}
	s.bookings, s.kept = append(s.bookings, by.Booking), s.kept+1
	return nil
}

func (c CancelSeries) decide(b *books, _ *effort.Meter) (Decision, error) {
	_, err := b.seriesOf(c.ID)
	return Decision{Series: c.ID}, err
}

func (c CancelSeries) apply(b *books, _ *Decision) error {
	first, err := b.seriesOf(c.ID)
	if err != nil {
		return err
	}
	for _, id := range first.bookings {
		k, ok := b.booking(id)
		if !ok || !k.State.Live() || k.Start <= b.now || k.Start < c.From {
			continue
		}
		err := b.finish(k, Cancelled, WasCancelled, b.now)
		if err != nil {
			return fmt.Errorf("booking %d: %w", id, err)
		}
	}
	b.tell(Event{At: b.now, What: WasCancelled, Owner: first.Owner, Series: first.ID})
	old, err := b.seriesOf(c.ID)
	if err != nil {
		return nil // all of its bookings are forgotten by now
	}
	s := *old
	s.Needs = 0
	b.replaceSeries(old, &s)
	return nil
}

// answersSeries reports whether the answer to a command is a series that has its key already.
func (b *books) answersSeries(c Command, id SeriesID) bool {
	book, ok := actOf(c).(BookSeries)
	if !ok || book.Key == "" {
		return false
	}
	known, ok := b.series.keys.Get(book.Key)
	return ok && known == id
}

// of returns the series to continue; its Needs is c.Needed.
func (c Continue) of(b *books) (*keptSeries, error) {
	s, err := b.seriesOf(c.ID)
	if err != nil {
		return nil, err
	}
	switch s.Needs {
	case c.Needed:
		return s, c.At.hold(ofContinue, &s.Request)
	case 0:
		err = limits.Invalid("Continue.Needed", c.Needed, fmt.Sprintf("comes too late: series %d needs no more", c.ID))
	default:
		err = limits.Invalid("Continue.Needed", c.Needed, fmt.Sprintf("is not %d, at which series %d needs more", s.Needs, c.ID))
	}
	return nil, kindError{ErrNeeded, err}
}

func (c Continue) decide(b *books, m *effort.Meter) (Decision, error) {
	s, err := c.of(b)
	if err != nil {
		return Decision{}, err
	}
	x := b.placing(m, ofContinue, &s.Request, c.At, c.Partly)
	err = x.check()
	if err == nil {
		err = b.checkNeeds("Continue.Needs", c.Needs)
	}
	if err != nil {
		return Decision{}, err
	}
	by := Decision{Series: c.ID}
	by.Batch, _, err = x.place(0)
	return by, err
}

func (c Continue) apply(b *books, by *Decision) error {
	old, err := c.of(b)
	if err == nil {
		err = b.checkNeeds("Continue.Needs", c.Needs)
	}
	if err != nil {
		return err
	}
	s := *old
	s.Needs, s.bookings = c.Needs, nil
	for _, id := range old.bookings {
		_, ok := b.booking(id)
		if ok {
			s.bookings = append(s.bookings, id)
		}
	}
	err = b.occur(&s, c.At, by)
	if err != nil {
		return err
	}
	b.replaceSeries(old, &s)
	return nil
}
