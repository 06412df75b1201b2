package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// Continue adds occurrences to a series that needs more, with the Request of the series. They are booked in the
// windows of At: the Shift of the series is not added.
//
// A Continue is carried out once: it changes Series.Needs, so the same command fails with ErrNeeded afterwards. A
// caller who got no answer therefore sends it again. If the error is ErrNeeded, and Series.Needs is that of the
// command, and not 0, the command was carried out. Otherwise somebody has continued or cancelled the series, as its
// bookings show. The desk keeps a series that has ended as long as it keeps one of its bookings; later the error is
// bookahead.ErrNotFound.
type Continue struct {
	ID SeriesID
	// Needed is the Series.Needs that the caller has seen. It is not 0, since nobody can continue a series that
	// needs no more.
	Needed bookahead.Time
	At     Occurrences
	// Partly books as many as fit, even if none fits, so that the series goes on. Without Partly all are booked,
	// or none is.
	Partly bool
	// Needs is the next tick at which the series needs more, after now and after Needed; 0 ends the series with
	// these occurrences.
	Needs bookahead.Time
}

// ErrNeeded says that a series does not need more at Continue.Needed: somebody has continued or cancelled it meanwhile.
// It wraps bookahead.ErrInvalid, and comes wrapped in an error with the tick at which the series needs more now: test
// with errors.Is.
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

func (c *Continue) code(x coder) {
	counter(x, "id", &c.ID)
	number(x, "needed", &c.Needed)
	c.At.code(x)
	flag(x, "partly", &c.Partly)
	number(x, "needs", &c.Needs)
}
