package main

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// shares are the ρ of Figures 6 and 7.
var shares = []float64{0, 0.2, 0.4, 0.6, 0.8, 1}

// steps are the Δt that are tried beside the paper's, which is slot.
var steps = []bookahead.Duration{60, 300, slot, hour}

// world is a log in a setting, and what all schedulers made of it.
type world struct {
	log      log
	setting  setting
	online   *summary // as published
	exact    *summary
	easy     *summary
	recorded *summary   // of the log's batch system; nil if it has none
	ahead    []*summary // as published, one for each of shares
	peer     *world     // the first world of CTC in this setting, with which the paper compares KTH; nil if there is none
}

// batch is the log's batch system, or EASY in its place.
func (w *world) batch() *summary {
	if w.recorded != nil {
		return w.recorded
	}
	return w.easy
}

// simulate runs a log without advance reservations.
func simulate(l log, s setting) (*world, error) {
	w := &world{log: l, setting: s, recorded: s.recorded(l)}
	tasks := s.tasks(l)
	var err error
	if w.online, err = s.online(l, tasks, stepped(slot)); err != nil {
		return nil, fmt.Errorf("%s, online: %w", l.name, err)
	}
	if w.exact, err = s.online(l, tasks, openExact); err != nil {
		return nil, fmt.Errorf("%s, exact: %w", l.name, err)
	}
	if w.easy, err = s.easy(l); err != nil {
		return nil, fmt.Errorf("%s, EASY: %w", l.name, err)
	}
	return w, nil
}

// bookAhead is w with shares of the tasks booked ahead, as the seed chooses them.
// Booked for estimates, waits are so long that the published structure would take
// minutes for each share: then the one tree makes its attempts.
func (w *world) bookAhead(seed uint64) (*world, error) {
	c := *w
	c.ahead = []*summary{w.online}
	open := stepped(slot)
	if w.setting.estimated {
		open = openStepping
	}
	for _, share := range shares[1:] {
		tasks, err := w.setting.ahead(w.log, share, seed)
		if err != nil {
			return nil, err
		}
		sum, err := w.setting.online(w.log, tasks, open)
		if err != nil {
			return nil, fmt.Errorf("%s, ρ = %g: %w", w.log.name, share, err)
		}
		c.ahead = append(c.ahead, sum)
	}
	return &c, nil
}

// scene is a log in a setting, over the repeats. If the log is fixed, they differ
// only in what is booked ahead.
type scene struct {
	worlds []*world
	fixed  bool
}

func (s *scene) first() *world { return s.worlds[0] }
