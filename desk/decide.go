package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// decide checks a command, and decides on it. After an error w is of no use.
func (b *books) decide(c Command, w *pending) error {
	err := limits.CheckNil("command", c)
	if err == nil {
		err = c.check()
	}
	if err == nil {
		w.meter, err = b.meter(bookahead.Effort{})
	}
	if err != nil {
		return err
	}
	err = b.decideOne(c, w, &w.meter)
	if err == nil {
		w.Decision.Granted, err = b.grants(c, &w.Decision)
	}
	if err != nil {
		return givenUp(c.verb(), &w.meter, err)
	}
	if !w.Decision.same {
		w.Number = b.entries + 1
	}
	return nil
}

// decideOne decides on one command, maybe of a batch. It grants no places.
func (b *books) decideOne(c Command, w *pending, m *effort.Meter) (err error) {
	w.Command = c
	add, ok := c.(AddSchedule)
	if ok {
		w.made, err = add.prepare(b, m)
		return err
	}
	o, err := operationOf(c)
	if err == nil {
		w.Decision, err = o.decide(b, m)
	}
	return err
}

// applyOne applies one command, maybe of a batch. It grants no places.
func (b *books) applyOne(w *pending) error {
	if w.made != nil {
		b.add(w.made)
		return nil
	}
	o, err := operationOf(w.Command)
	if err != nil {
		return err
	}
	return o.apply(b, &w.Decision)
}

// apply carries out an entry.
func (b *books) apply(e *pending) (Outcome, error) {
	var events []Event
	b.batch = nil
	if e.Number != 0 {
		if e.Number != b.entries+1 {
			return Outcome{}, limits.Invalid("Entry.Number", e.Number, fmt.Sprintf("does not follow %d", b.entries))
		}
		b.told = nil
		err := b.applyOne(e)
		for i := 0; i < len(e.Decision.Granted) && err == nil; i++ {
			err = b.grant(&e.Decision.Granted[i])
		}
		b.answerGranted()
		if err != nil {
			return Outcome{}, fmt.Errorf("desk: entry %d: %w", e.Number, err)
		}
		b.entries++
		events, b.told = b.told, nil
	} else if batch, ok := actOf(e.Command).(Batch); ok {
		for i := range e.Decision.Batch {
			b.batch = append(b.batch, b.outcome(batch.Commands[i], &e.Decision.Batch[i]))
		}
	}
	out := b.outcome(e.Command, &e.Decision)
	out.Events, out.Batch, b.batch = events, b.batch, nil
	return out, nil
}

// outcome returns the answer to a command that has just been applied, without its events.
func (b *books) outcome(c Command, by *Decision) Outcome {
	out := Outcome{Outage: by.Outage}
	if by.Series != 0 {
		b.answerSeries(c, by, &out)
	}
	k, ok := b.booking(by.Booking)
	if !ok && b.dropped != nil && b.dropped.ID == by.Booking {
		k, ok = b.dropped, true
	}
	if ok {
		out.Booking = *k
	}
	b.dropped = nil
	return out
}

// answerSeries adds to an outcome the answer to a command about a series.
func (b *books) answerSeries(c Command, by *Decision, out *Outcome) {
	out.Series = by.Series
	var at Occurrences
	switch c := actOf(c).(type) {
	case BookSeries:
		at = c.At
		s, err := b.seriesOf(by.Series)
		if err == nil && len(by.Batch) == 0 && s.first != nil {
			out.Occurrences, out.Refused = s.outcome()
		}
	case Continue:
		at = c.At
	}
	for i := range by.Batch {
		out.Occurrences = append(out.Occurrences, by.Batch[i].Booking)
		if by.Batch[i].Booking == 0 {
			out.Refused = append(out.Refused, later(at[i], by.Shift))
		}
	}
}

func (Batch) verb() string { return "batch" }

func (c Batch) check() error {
	if len(c.Commands) == 0 || len(c.Commands) > MaxCommands {
		return limits.Invalid("Batch.Commands", len(c.Commands), fmt.Sprintf("are not 1 to %d", MaxCommands))
	}
	for i, x := range c.Commands {
		field := fmt.Sprintf("Batch.Commands[%d]", i)
		err := limits.CheckNil(field, x)
		if err != nil {
			return err
		}
		if x.verb() == c.verb() || x.verb() == (Given{}).verb() {
			return limits.Invalid(field, x.verb(), "is within a batch already")
		}
		err = x.check()
		if err != nil {
			return fmt.Errorf("desk: %s: %w", field, err)
		}
	}
	return nil
}

// decide carries the commands out on a clone, since each command is decided on the state that the earlier ones leave.
func (c Batch) decide(b *books, m *effort.Meter) (Decision, error) {
	trial := b.clone()
	by := Decision{Batch: make([]Decision, len(c.Commands)), same: true}
	for i, x := range c.Commands {
		var w pending
		err := trial.decideOne(x, &w, m)
		if err == nil && !w.Decision.same {
			by.same = false
			err = trial.applyOne(&w)
		}
		if err != nil {
			return Decision{}, fmt.Errorf("desk: Batch.Commands[%d]: %w", i, err)
		}
		trial.dropped = nil
		by.Batch[i] = w.Decision
	}
	return by, nil
}

func (c Batch) apply(b *books, by *Decision) error {
	for i, x := range c.Commands {
		d := &by.Batch[i]
		from := len(b.told)
		if !b.answers(x, d) {
			o, err := operationOf(x)
			if err == nil {
				err = o.apply(b, d)
			}
			if err != nil {
				return fmt.Errorf("Batch.Commands[%d]: %w", i, err)
			}
		}
		out := b.outcome(x, d)
		out.Events = b.told[from:len(b.told):len(b.told)]
		b.batch = append(b.batch, out)
	}
	return nil
}

// answerGranted updates the answers of a batch: a booking that waited at its turn shows the place granted at the end.
func (b *books) answerGranted() {
	for i := range b.batch {
		k := &b.batch[i].Booking
		if k.State != Waiting {
			continue
		}
		now, ok := b.booking(k.ID)
		if ok && now.State.Live() {
			*k = *now
		}
	}
}

// answers reports whether a booking or a series that has the key of the command is its answer. Within a batch such a
// command has a Decision too, with the number of the booking or the series and nothing else.
func (b *books) answers(c Command, by *Decision) bool {
	if by.Series != 0 {
		return b.answersSeries(c, by.Series)
	}
	book, ok := actOf(c).(Book)
	if !ok || book.Key == "" {
		return false
	}
	id, ok := b.keys.Get(book.Key)
	return ok && id == by.Booking
}

func (c Given) decide(b *books, m *effort.Meter) (Decision, error) {
	err := b.unchanged(c.ID, c.Sum)
	if err != nil || c.Command == nil {
		return Decision{same: true}, err
	}
	o, err := operationOf(c.Command)
	if err != nil {
		return Decision{}, err
	}
	return o.decide(b, m)
}

// unchanged returns an error unless a booking has a sum. The booking 0 has every sum.
func (b *books) unchanged(id BookingID, sum uint64) error {
	if id == 0 {
		return nil
	}
	k, ok := b.booking(id)
	switch {
	case !ok:
		return fmt.Errorf("desk: Given.ID %d: %w", id, bookahead.ErrNotFound)
	case k.Sum() != sum:
		return kindError{ErrChanged, limits.Invalid("Given.Sum", sum, fmt.Sprintf("is not that of booking %d any more", id))}
	}
	return nil
}

func (c Given) apply(b *books, by *Decision) error {
	if c.Command == nil {
		return nil
	}
	o, err := operationOf(c.Command)
	if err != nil {
		return err
	}
	return o.apply(b, by)
}
