package sim

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// counted is a schedule with a queue. The queue searches and books on its copy, and books on the
// schedule what runs. Only the calls of the copy are counted.
type counted struct {
	bookahead.Keeper
	made   *Operations
	copied *Operations // of copies
}

// profiled is a counted schedule that lists its free units, so that the queue knows when they change.
type profiled struct{ counted }

// count returns s with its copies counted, and s itself if it is no Keeper.
func count(s bookahead.Schedule, copied *Operations) bookahead.Schedule {
	k, ok := s.(bookahead.Keeper)
	if !ok {
		return s
	}
	return counted{k, &Operations{}, copied}.typed()
}

func (c counted) typed() bookahead.Schedule {
	_, ok := c.Keeper.(bookahead.Profiler)
	if ok {
		return &profiled{c}
	}
	return &c
}

func (c *profiled) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return c.Keeper.(bookahead.Profiler).Blocks(w)
}

func (c *counted) Clone() bookahead.Schedule {
	k, ok := bookahead.Clone(c.Keeper)
	if !ok {
		return nil
	}
	return counted{k, c.copied, c.copied}.typed()
}

func (c *counted) Search(r bookahead.Request) (bookahead.Offer, error) {
	c.made.Search++
	return c.Keeper.Search(r)
}

func (c *counted) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	c.made.Reserve++
	return c.Keeper.Reserve(r)
}

func (c *counted) Release(id bookahead.ID) error {
	c.made.Release++
	return c.Keeper.Release(id)
}

func (c *counted) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	c.made.RangeQuery++
	return c.Keeper.RangeQuery(w)
}

func (c *counted) Advance(now bookahead.Time) error {
	c.made.Advance++
	return c.Keeper.Advance(now)
}
