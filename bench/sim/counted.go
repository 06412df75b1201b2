package sim

import "github.com/bookahead/bookahead"

// counted counts the calls of a schedule.
type counted struct {
	bookahead.Schedule
	made *Operations
}

func (c *counted) Search(r bookahead.Request) (bookahead.Offer, error) {
	c.made.Search++
	return c.Schedule.Search(r)
}

func (c *counted) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	c.made.Reserve++
	return c.Schedule.Reserve(r)
}

func (c *counted) Release(id bookahead.ID) error {
	c.made.Release++
	return c.Schedule.Release(id)
}

func (c *counted) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	c.made.RangeQuery++
	return c.Schedule.RangeQuery(w)
}

func (c *counted) Advance(now bookahead.Time) error {
	c.made.Advance++
	return c.Schedule.Advance(now)
}
