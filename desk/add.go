package desk

import (
	"fmt"
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

// decide counts the servers or nodes that are made. An entry of a log is not counted, nor bounded by Config.Limits: it was
// accepted, maybe under others.
func (c AddSchedule) decide(b *books, m *effort.Meter) (Decision, error) {
	err := b.bounds(c.Kind)
	if err == nil && !m.Spend(stepsToMake(c.Kind)+int64(len(b.rules))*c.schedules()) {
		err = fmt.Errorf("AddSchedule.Kind has too many servers or nodes: %w", m.Err())
	}
	if err != nil {
		return Decision{}, err
	}
	s, err := c.made(b)
	return Decision{made: s}, err
}

// schedules returns how many schedules a broker names; 0 for all other kinds.
func (c AddSchedule) schedules() int64 {
	k, _ := c.Kind.(Broker)
	return int64(len(k.Of))
}

// made makes the schedule, if the desk can have it.
func (c AddSchedule) made(b *books) (*schedule, error) {
	_, ok := b.names[c.Name]
	if ok {
		return nil, limits.Invalid("AddSchedule.Name", c.Name, "is the name of a schedule already")
	}
	s, err := b.make(c.Name, c.Kind)
	for i := 0; err == nil && s.of != nil && i < len(b.rules); i++ {
		err = b.countsBroker(b.rules[i], "AddSchedule.Name", c.Name, s.of)
	}
	return s, err
}

// apply adds the schedule that decide made; only an entry from elsewhere comes without one.
func (c AddSchedule) apply(b *books, by *Decision) error {
	s := by.made
	if s == nil {
		var err error
		s, err = c.made(b)
		if err != nil {
			return err
		}
	}
	b.names = maps.Clone(b.names)
	b.names[c.Name] = int32(len(b.schedules))
	b.schedules = append(b.schedules[:len(b.schedules):len(b.schedules)], s)
	b.tell(Event{At: b.now, What: WasAdded, Schedule: c.Name})
	return nil
}
