package sim

import (
	"errors"

	"github.com/bookahead/bookahead"
)

// Placement says to which provider the grid sends a task (Kurowski et al., §4.4.2).
// Only providers that have as many units as the task asks for come into question.
type Placement interface {
	validate(providers int) error
	// open returns the policy for one run; stream tells the uses of one seed apart.
	open(stream uint64) chooser
}

// chooser chooses among providers, of which there is at least one. It may return
// nil for an AR task that none of them can take.
type chooser func(among []*candidate) *candidate

// candidate is a provider to which a task could be sent.
type candidate struct {
	*local
	task int32
	// what has been found out so far
	timely, late found
}

// found is the answer of a search.
type found struct {
	asked bool
	err   error
	bookahead.Offer
}

// byDue reports whether the provider has a place for the task that ends by its due
// date.
func (c *candidate) byDue() bool { return c.ask(&c.timely, c.e.tasks[c.task].Due) }

// atAll reports whether it has a place after the due date, if there is one and the
// task may be late. What has one by the due date need not be asked.
func (c *candidate) atAll() bool {
	if c.e.strict || c.e.tasks[c.task].Due == 0 {
		return false // or no more than by the due date
	}
	return c.ask(&c.late, 0)
}

func (c *candidate) ask(f *found, due bookahead.Time) bool {
	if !f.asked {
		f.asked = true
		f.Offer, f.err = c.find(c.task, due)
	}
	return f.err == nil
}

// find looks for a place for a task at a provider, and counts the attempts.
func (l *local) find(i int32, due bookahead.Time) (bookahead.Offer, error) {
	l.advance()
	if l.e.err != nil {
		return bookahead.Offer{}, l.e.err
	}
	t := &l.e.tasks[i]
	o, tries, err := l.e.search.find(&l.schedule, t, l.e.now, due)
	if t.AR {
		l.e.out[i].Attempts += tries
	}
	if err != nil && !errors.Is(err, bookahead.ErrUnavailable) {
		l.e.fail(err)
	}
	return o, err
}

// earliest returns the candidate with the earliest start by the due date, or else
// at all, the first of several. If there is none, it is the first for a batch task,
// which can wait for the horizon, and nil for an AR task.
func earliest(among []*candidate) *candidate {
	if best := first(among, (*candidate).byDue, func(c *candidate) bookahead.Time { return c.timely.Start }); best != nil {
		return best
	}
	best := first(among, (*candidate).atAll, func(c *candidate) bookahead.Time { return c.late.Start })
	if c := among[0]; best == nil && !c.e.tasks[c.task].AR {
		return c
	}
	return best
}

func first(among []*candidate, has func(*candidate) bool, start func(*candidate) bookahead.Time) *candidate {
	var best *candidate
	for _, c := range among {
		if has(c) && (best == nil || start(c) < start(best)) {
			best = c
		}
	}
	return best
}
