package desk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

func (Close) verb() string { return "close" }

func (c Close) check() error {
	err := checkText("Close.Title", c.Title)
	if err == nil {
		err = c.Force.check()
	}
	switch {
	case err != nil:
		return err
	case c.Empty():
		return limits.Invalid("Close.Interval", c.Interval, "is empty")
	case c.Units < 0:
		return limits.Invalid("Close.Units", c.Units, "is negative")
	case (c.Units == 0) == (len(c.Servers) == 0):
		return limits.Invalid("Close.Units", c.Units, fmt.Sprintf("is given with the Servers %v, but only one of the two may be", c.Servers))
	}
	return nil
}

// decide closes a clone, which checks the command, and by Force clears the clone of the bookings in the way.
func (c Close) decide(b *books, m *effort.Meter) (Decision, error) {
	on, err := c.at(b)
	if err != nil {
		return Decision{}, err
	}
	closed := func() (*trial, error) {
		s := &trial{books: b, meter: m, closed: on + 1}
		err := s.spend(s.at(on), c.Units)
		if err != nil {
			return nil, err
		}
		_, err = s.open(on).Close(c.closure())
		return s, err
	}
	s, err := closed()
	if err != nil {
		return Decision{}, fmt.Errorf("desk: Close on %q: %w", c.On, err)
	}
	by := Decision{Outage: b.lastOutage + 1}
	if c.Force != Nobody {
		by.Moved, err = s.evict(on, &c, closed)
	}
	return by, err
}

// at returns the schedule on which something is closed.
func (c *Close) at(b *books) (int32, error) {
	on, err := b.changeable("Close", c.On, c.Interval)
	if err == nil {
		err = c.suits(b.schedules[on])
	}
	return on, err
}

// suits checks that the command names servers where there are servers, and units where there are none.
func (c *Close) suits(at *schedule) error {
	switch at.kind.(type) {
	case Pool:
		if c.Units == 0 {
			return limits.Invalid("Close.Servers", c.Servers, fmt.Sprintf("are named, but %q is a pool", c.On))
		}
	case Servers, Nodes:
		if c.Units != 0 {
			return limits.Invalid("Close.Units", c.Units, fmt.Sprintf("are closed, but %q is of kind %s: Servers names them", c.On, at.kind.kind()))
		}
	}
	return nil
}

// closure returns the closure for the schedule.
func (c *Close) closure() bookahead.Closure {
	to := bookahead.Closure{Interval: c.Interval, Units: c.Units}
	if len(c.Servers) > 0 {
		to.Servers = cloneOf(c.Servers)
	}
	return to
}

func (c Close) apply(b *books, by *Decision) error {
	on, err := c.at(b)
	if err == nil {
		err = b.releaseMoved(by.Moved, on+1)
	}
	if err != nil {
		return err
	}
	done, err := b.schedules[on].Close(c.closure())
	if err != nil {
		return fmt.Errorf("on %q: %w", c.On, err)
	}
	o := Outage{Close: c, closure: done.ID}
	o.Interval, o.Servers = done.Interval, done.Servers
	err = b.enterOutage(by, o, WasClosed)
	if err == nil {
		err = b.settleMoved(by.Moved)
	}
	return err
}

// enterOutage enters an outage under the ID that was decided, and tells of it.
func (b *books) enterOutage(by *Decision, o Outage, w What) error {
	if by.Outage != b.lastOutage+1 {
		return limits.Invalid("Decision.Outage", by.Outage, fmt.Sprintf("does not follow %d", b.lastOutage))
	}
	b.lastOutage, o.ID = by.Outage, by.Outage
	b.outages = append(b.outages[:len(b.outages):len(b.outages)], o)
	b.tell(Event{At: b.now, What: w, Schedule: o.On, Outage: o.ID, To: o.Interval})
	return nil
}

func (Reopen) verb() string { return "reopen" }

func (Reopen) check() error { return nil }

func (c Reopen) decide(b *books, _ *effort.Meter) (Decision, error) {
	i, ok := b.outage(c.ID)
	if !ok {
		return Decision{}, bookahead.ErrNotFound
	}
	o := &b.outages[i]
	if c.At > o.End {
		return Decision{}, limits.Invalid("Reopen.At", c.At, fmt.Sprintf("is behind the end %d of outage %d", o.End, c.ID))
	}
	return Decision{Outage: c.ID}, nil
}

func (c Reopen) apply(b *books, _ *Decision) error {
	_, err := c.decide(b, nil)
	if err != nil {
		return err
	}
	i, _ := b.outage(c.ID)
	o := b.outages[i]
	err = b.schedules[b.names[o.On]].Reopen(o.closure, c.At)
	if err != nil {
		return fmt.Errorf("on %q: %w", o.On, err)
	}
	from := o.Interval
	o.End = max(c.At, b.now, o.Start)
	b.outages = slices.Clone(b.outages)
	b.outages[i] = o
	b.dropOutages()
	b.tell(Event{At: b.now, What: WasReopened, Schedule: o.On, Outage: o.ID, From: from, To: o.Interval})
	return nil
}

func (Extend) verb() string { return "extend" }

func (c Extend) check() error {
	err := checkText("Extend.Title", c.Title)
	switch {
	case err != nil:
		return err
	case c.Empty():
		return limits.Invalid("Extend.Interval", c.Interval, "is empty")
	case c.Units < 0:
		return limits.Invalid("Extend.Units", c.Units, "is negative")
	case (c.Units == 0) == (len(c.Nodes) == 0):
		return limits.Invalid("Extend.Units", c.Units, fmt.Sprintf("is given with %d Nodes, but only one of the two may be", len(c.Nodes)))
	}
	return nil
}

// decide extends a clone, which checks the command. An entry of a log is not bounded by Config.Limits, as an AddSchedule.
func (c Extend) decide(b *books, m *effort.Meter) (Decision, error) {
	on, err := c.at(b)
	if err == nil {
		err = c.room(b, b.schedules[on])
	}
	if err != nil {
		return Decision{}, err
	}
	s := trial{books: b, meter: m}
	err = s.spend(b.schedules[on], c.Units)
	if err != nil {
		return Decision{}, fmt.Errorf("Extend of %q: %w", c.On, err)
	}
	_, err = s.open(on).extend(c.closure(), c.Nodes)
	if err != nil {
		return Decision{}, fmt.Errorf("desk: Extend of %q: %w", c.On, err)
	}
	return Decision{Outage: b.lastOutage + 1}, nil
}

// at returns the schedule that is extended.
func (c *Extend) at(b *books) (int32, error) {
	on, err := b.changeable("Extend", c.On, c.Interval)
	if err != nil {
		return 0, err
	}
	machine := b.schedules[on].Machine() != nil
	switch {
	case machine && c.Units != 0:
		err = limits.Invalid("Extend.Units", c.Units, fmt.Sprintf("are added, but %q is of nodes", c.On))
	case !machine && len(c.Nodes) > 0:
		err = limits.Invalid("Extend.Nodes", len(c.Nodes), fmt.Sprintf("are added, but %q has no nodes", c.On))
	}
	return on, err
}

func (c *Extend) closure() bookahead.Closure {
	return bookahead.Closure{Interval: c.Interval, Units: c.Units}
}

func (c Extend) apply(b *books, by *Decision) error {
	on, err := c.at(b)
	if err != nil {
		return err
	}
	done, err := b.schedules[on].extend(c.closure(), c.Nodes)
	if err != nil {
		return fmt.Errorf("on %q: %w", c.On, err)
	}
	o := Outage{Close: Close{On: c.On, Interval: done.Interval, Units: done.Units, Servers: done.Servers, Title: c.Title}}
	o.closure, o.added = done.ID, true
	return b.enterOutage(by, o, WasExtended)
}

// dropOutages takes out the outages that are over. The desk keeps them as long as bookings, for Capacity.
func (b *books) dropOutages() {
	over := func(o Outage) bool { return o.Empty() || o.End <= b.now }
	old := func(o Outage) bool { return o.Empty() || b.config.Keep <= bookahead.Duration(b.now-o.End) }
	b.over = b.over[:len(b.over):len(b.over)]
	for _, o := range b.outages {
		if over(o) && !old(o) {
			b.over = append(b.over, o)
		}
	}
	if slices.ContainsFunc(b.over, old) {
		b.over = slices.DeleteFunc(slices.Clone(b.over), old)
	}
	if slices.ContainsFunc(b.outages, over) {
		b.outages = slices.DeleteFunc(slices.Clone(b.outages), over)
	}
}

// room checks the counts of an extension.
func (c *Extend) room(b *books, at *schedule) error {
	most := &b.config.Limits
	_, servers := at.kind.(Servers)
	switch {
	case at.Machine() != nil:
		groups, more := c.groups(at.kind.(Nodes))
		return cmp.Or(
			atMost("Extend.Nodes", int64(len(c.Nodes)), b.nodes(), most.Nodes, "Nodes"),
			atMost("Extend.Nodes.Groups", more, groups, most.Groups, "Groups"),
		)
	case servers:
		return atMost("Extend.Units", c.Units, b.servers(), most.Servers, "Servers")
	}
	return nil
}

// groups returns how many groups the levels of a machine have, and how many more the new nodes make at most.
func (c *Extend) groups(k Nodes) (has, more int64) {
	for i := range k.Levels {
		last := len(k.Levels[i].Groups) - 1
		has += int64(last + 1)
		for j := range c.Nodes {
			g, ok := c.Nodes[j].Groups[k.Levels[i].Name]
			if ok && g > last {
				more++
				last++
			}
		}
	}
	return has, more
}
