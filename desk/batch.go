package desk

import (
	"fmt"

	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

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
		if x.verb() == c.verb() {
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
		d, err := x.decide(&trial, m)
		if err == nil && !d.same {
			by.same = false
			err = x.apply(&trial, &d)
		}
		if err != nil {
			return Decision{}, fmt.Errorf("desk: Batch.Commands[%d]: %w", i, err)
		}
		trial.gone = nil
		d.made = nil // the trial has written to it
		by.Batch[i] = d
	}
	return by, nil
}

func (c Batch) apply(b *books, by *Decision) error {
	for i, x := range c.Commands {
		d := &by.Batch[i]
		from := len(b.told)
		if !b.answers(x, d) {
			err := x.apply(b, d)
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
	book, ok := plainCommand(c).(Book)
	if !ok || book.Key == "" {
		return false
	}
	id, ok := b.keys.get(book.Key)
	return ok && id == by.Booking
}
