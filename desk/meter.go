package desk

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// stepsOfSearch is how many steps a search or a write on a schedule counts, besides those for its servers or nodes. A pool
// takes a microsecond or two for it, and a step tens of nanoseconds.
const stepsOfSearch = 64

// stepsOfLeap is how many steps a leap to another start counts, which a quota or a gap asks for.
const stepsOfLeap = 16

// stepsOfMade is how many steps a server counts that is made, or one resource of a node.
const stepsOfMade = 8

// stepsToMake returns how many steps it counts to make the schedule of a kind.
func stepsToMake(kind Kind) int64 {
	switch k := kind.(type) {
	case Servers:
		return stepsOfMade * max(0, k.Count)
	case Nodes:
		return stepsOfMade * int64(len(k.Nodes)) * int64(1+len(k.Resources))
	case Broker:
		return int64(len(k.Of)) * int64(len(k.Of))
	}
	return 0
}

// stepsToAdd returns how many steps an extension counts for what it adds.
func (c *Extend) stepsToAdd(at *schedule) int64 {
	switch k := at.kind.(type) {
	case Servers:
		return stepsOfMade * c.Units
	case Nodes:
		return stepsOfMade * int64(len(c.Nodes)) * int64(1+len(k.Resources))
	}
	return 0
}

// meter returns the meter of a command or a query: no number of steps stands for that of the desk.
func (b *books) meter(e bookahead.Effort) (effort.Meter, error) {
	if e.Steps == 0 {
		e.Steps = b.config.Effort
	}
	return effort.New(e)
}

// givenUp adds to the error of a command or a query that has used up its steps how many they were. The error itself says
// how far the search came.
func givenUp(verb string, m *effort.Meter, err error) error {
	if !errors.Is(err, bookahead.ErrStopped) {
		return err
	}
	return fmt.Errorf("desk: %s: given up after %d steps: %w", verb, m.Steps(), err)
}

// steps returns how many steps a search or a write on a schedule counts, or a clone of it. Its servers and nodes are looked
// at eight at a time, or one by one.
func (s *schedule) steps() int64 {
	if s.machine != nil {
		return stepsOfSearch + s.size
	}
	return stepsOfSearch + s.size/8
}

// spend counts a search or a write on a schedule. The error wraps bookahead.ErrStopped.
func (s *stage) spend(at *schedule) error {
	if !s.meter.Spend(at.steps()) {
		return s.meter.Err()
	}
	return nil
}

// stepsOfTaken is how many steps a write counts for each server that it takes or gives back, and for each node.
const stepsOfTaken = 16

// spendOn counts a write of places on their schedules. A booking that a trial has moved may lie on more schedules than its
// places say; the write counts as much for these as without servers.
func (s *stage) spendOn(on []int32, places []Place) error {
	for i, k := range on {
		steps := s.at(k).steps()
		if i < len(places) {
			steps += stepsOfTaken * int64(len(places[i].Servers)+len(places[i].Nodes))
		}
		if !s.meter.Spend(steps) {
			return s.meter.Err()
		}
	}
	return nil
}

// looks counts n looks, each a step.
func (s *stage) looks(n int) error {
	if !s.meter.Spend(int64(n)) {
		return s.meter.Err()
	}
	return nil
}

// shareSearches is how many searches for each part of a request a share has at least.
const shareSearches = 16

// least returns how many steps the share of a request has at least, however small the Effort of the desk is.
func (b *books) least(r *Request) (steps int64) {
	for _, shape := range r.Shapes {
		for i := range shape {
			for _, k := range b.behind(shape[i].On) {
				steps += shareSearches * (b.schedules[k].steps() + int64(len(b.rules)))
			}
		}
	}
	return steps
}
