package desk

import (
	"fmt"

	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

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
