package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Continue adds occurrences to a series that needs more, for the Request that it was booked by. They are booked in the
// windows that are given: the Shift of the series is not added.
//
// A Continue is carried out once: afterwards Series.Needs is another, and the same command is an ErrNeeded. So whoever got
// no answer sends it again. An ErrNeeded then says that it was carried out if Series.Needs is that of the command, and not
// 0. Otherwise somebody has continued or cancelled the series: its bookings tell who. A series that has ended is kept as long as one of its bookings
// is; behind that the error is a bookahead.ErrNotFound.
type Continue struct {
	ID SeriesID
	// Needed is the Series.Needs that the caller has seen. It is not 0: a series that needs no more, since it has all or was
	// cancelled, is not continued.
	Needed bookahead.Time
	At     Occurrences
	// Partly books as many as fit, be it none, so that the series goes on. Otherwise all are booked, or none is.
	Partly bool
	// Needs is the next tick at which it needs occurrences, after now and after Needed; 0 ends the series with these.
	Needs bookahead.Time
}

// ErrNeeded says that a series does not need more at Continue.Needed: it was continued meanwhile, or cancelled. It wraps
// bookahead.ErrInvalid, and comes wrapped in an error that has the tick at which the series needs more now: test with
// errors.Is.
var ErrNeeded = fmt.Errorf("desk: the series needs no more at that tick: %w", bookahead.ErrInvalid)

func (Continue) verb() string { return "continue" }

func (c Continue) check() error {
	switch {
	case c.Needed < 1:
		return limits.Invalid("Continue.Needed", c.Needed, "is no tick at which a series needs more")
	case c.Needs < 0:
		return limits.Invalid("Continue.Needs", c.Needs, "is negative")
	case c.Needs != 0 && c.Needs <= c.Needed:
		return limits.Invalid("Continue.Needs", c.Needs, fmt.Sprintf("is not after Needed, %d", c.Needed))
	}
	return c.At.check(ofContinue)
}

// of returns the series that is continued, which needs more at Needed.
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

func (c Continue) decide(b *books) (Decision, error) {
	s, err := c.of(b)
	if err != nil {
		return Decision{}, err
	}
	x := b.placing(ofContinue, &s.Request, c.At, c.Partly)
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

func (c *Continue) code(x coder) {
	counter(x, "id", &c.ID)
	number(x, "needed", &c.Needed)
	c.At.code(x)
	flag(x, "partly", &c.Partly)
	number(x, "needs", &c.Needs)
}
