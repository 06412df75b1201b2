package desk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/site"
	"github.com/bookahead/bookahead/nodes"
)

func (AddSchedule) verb() string { return "add" }

func (c AddSchedule) check() error {
	if c.Name == "" {
		return limits.Invalid("AddSchedule.Name", c.Name, "is empty")
	}
	return checkText("AddSchedule.Name", c.Name)
}

func (c AddSchedule) decide(b *books, m *effort.Meter) (Decision, error) {
	_, err := c.prepare(b, m)
	return Decision{}, err
}

// prepare makes the schedule. Config.Limits bound its servers and nodes, and the looks at the schedules of a broker are
// counted. An entry of a log is not counted, nor bounded: it was accepted, maybe under other limits.
func (c AddSchedule) prepare(b *books, m *effort.Meter) (*schedule, error) {
	err := b.bounds(c.Kind)
	of := c.schedules()
	if err == nil && !m.Spend(of*(of+int64(len(b.rules)))) {
		err = fmt.Errorf("AddSchedule.Kind is a broker of %d: %w", of, m.Err())
	}
	if err != nil {
		return nil, err
	}
	return c.made(b)
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

func (c AddSchedule) apply(b *books, _ *Decision) error {
	s, err := c.made(b)
	if err == nil {
		b.add(s)
	}
	return err
}

// add adds a schedule that was made.
func (b *books) add(s *schedule) {
	b.names = maps.Clone(b.names)
	b.names[s.name] = int32(len(b.schedules))
	b.schedules = append(b.schedules[:len(b.schedules):len(b.schedules)], s)
	b.tell(Event{At: b.now, What: WasAdded, Schedule: s.name})
}

// make returns the schedule that a command describes.
func (b *books) make(name string, kind Kind) (*schedule, error) {
	var err error
	s := &schedule{name: name, kind: copyOf(kind), since: b.now}
	switch k := kind.(type) {
	case Pool:
		s.Site, err = site.NewPool(k.Units, b.now, k.Horizon)
	case Servers:
		s.Site, err = site.NewServers(k.Count, k.Prefer, b.now, k.Horizon)
	case Nodes:
		s.Site, err = site.NewNodes(nodes.Config{
			Origin: b.now, Horizon: k.Horizon, Resources: k.Resources, Nodes: k.Nodes, Levels: k.Levels, Sets: k.Sets,
		}, k.Policy)
	case Broker:
		s.of, err = b.makeBroker(k)
	default:
		err = limits.Invalid("AddSchedule.Kind", fmt.Sprintf("%T", kind), "is none of this package")
	}
	return s, err
}

func (b *books) makeBroker(k Broker) (of []int32, err error) {
	if len(k.Of) == 0 {
		return nil, limits.Invalid("Broker.Of", len(k.Of), "are too few")
	}
	for i, name := range k.Of {
		at, ok := b.names[name]
		field := fmt.Sprintf("Broker.Of[%d]", i)
		switch {
		case !ok:
			return nil, limits.Invalid(field, name, "is no schedule")
		case slices.Contains(of, at):
			return nil, limits.Invalid(field, name, "is named twice")
		case b.schedules[at].of != nil:
			return nil, limits.Invalid(field, name, "is a broker")
		case i > 0 && (b.schedules[at].Machine() == nil) != (b.schedules[of[0]].Machine() == nil):
			return nil, limits.Invalid(field, name, fmt.Sprintf("is not of one kind with %q: one is of nodes", k.Of[0]))
		}
		of = append(of, at)
	}
	if policies[k.Policy] == nil {
		return nil, limits.Invalid("Broker.Policy", k.Policy, `is none of "", first, least-loaded, shortest-queue`)
	}
	return of, nil
}

// bounds checks the counts of a new schedule against Config.Limits.
func (b *books) bounds(kind Kind) error {
	most := &b.config.Limits
	switch k := kind.(type) {
	case Servers:
		return atMost("Servers.Count", k.Count, b.servers(), most.Servers, "Servers")
	case Nodes:
		groups := int64(0)
		for i := range k.Levels {
			groups += int64(len(k.Levels[i].Groups))
		}
		return cmp.Or(
			atMost("Nodes.Nodes", int64(len(k.Nodes)), b.nodes(), most.Nodes, "Nodes"),
			atMost("Nodes.Levels", groups, 0, most.Groups, "Groups"),
		)
	}
	return nil
}

// servers returns how many servers all schedules of servers have, and nodes how many nodes the machines have.
func (b *books) servers() int64 {
	return b.sizes(func(k Kind) bool { _, ok := k.(Servers); return ok })
}

func (b *books) nodes() int64 {
	return b.sizes(func(k Kind) bool { _, ok := k.(Nodes); return ok })
}

func (b *books) sizes(of func(Kind) bool) (n int64) {
	for _, s := range b.schedules {
		if of(s.kind) {
			n += s.Size()
		}
	}
	return n
}
