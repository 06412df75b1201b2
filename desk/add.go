package desk

import (
	"maps"

	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

func (AddSchedule) verb() string { return "add" }

func (c AddSchedule) check() error {
	if c.Name == "" {
		return limits.Invalid("AddSchedule.Name", c.Name, "is empty")
	}
	return checkText("AddSchedule.Name", c.Name)
}

func (c AddSchedule) decide(b *books, _ *effort.Meter) (Decision, error) {
	_, ok := b.names[c.Name]
	if ok {
		return Decision{}, limits.Invalid("AddSchedule.Name", c.Name, "is the name of a schedule already")
	}
	s, err := b.make(c.Name, c.Kind)
	for i := 0; err == nil && s.of != nil && i < len(b.rules); i++ {
		err = b.countsBroker(b.rules[i], "AddSchedule.Name", c.Name, s.of)
	}
	return Decision{made: s}, err
}

// apply adds the schedule that decide made; only an entry from elsewhere comes without one.
func (c AddSchedule) apply(b *books, by *Decision) error {
	s := by.made
	if s == nil {
		made, err := c.decide(b, nil)
		if err != nil {
			return err
		}
		s = made.made
	}
	b.names = maps.Clone(b.names)
	b.names[c.Name] = int32(len(b.schedules))
	b.schedules = append(b.schedules[:len(b.schedules):len(b.schedules)], s)
	b.tell(Event{At: b.now, What: WasAdded, Schedule: c.Name})
	return nil
}
