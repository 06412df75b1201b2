package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/spans"
	"github.com/bookahead/bookahead/nodes"
)

// schedule is a schedule with a name: a Keeper, a machine of nodes, or a broker, which has neither of them.
type schedule struct {
	name     string
	kind     Kind
	keeper   bookahead.Keeper   // nil for nodes and a broker
	machine  *nodes.Machine     // nil unless the schedule is of nodes
	of       []int32            // the schedules of a broker; nil for others
	calendar spans.Index        // parts that lie or lay here
	live     int64              // bookings that are live and have a place here
	given    int64              // the capacity when it was added
	since    bookahead.Time     // when it was added
	terms    *Terms             // nil for none; clones share them
	tails    []tail             // by end; a new slice when it changes
	wide     bookahead.Duration // no buffer of a live booking here is longer
	size     int64              // how many servers or nodes there are, those of extensions among them; 0 on a pool
}

// make returns the schedule that a command describes.
func (b *books) make(name string, kind Kind) (*schedule, error) {
	var err error
	s := &schedule{name: name, kind: copyOf(kind)}
	switch k := kind.(type) {
	case Pool:
		if k.Units < 1 {
			return nil, limits.Invalid("Pool.Units", k.Units, "is less than 1")
		}
		s.keeper, err = carts.NewIndexed(k.Units, carts.Config{Origin: b.now, Horizon: k.Horizon})
	case Servers:
		s.keeper, err = b.makeServers(k)
	case Nodes:
		s.machine, err = b.makeNodes(k)
	case Broker:
		s.of, err = b.makeBroker(k)
	case Own:
		s.keeper, err = b.makeOwn(k)
	default:
		err = limits.Invalid("AddSchedule.Kind", fmt.Sprintf("%T", kind), "is none of this package")
	}
	if err != nil {
		return nil, err
	}
	s.since = b.now
	if s.of == nil {
		s.given = s.frame().Capacity
		s.measure()
	}
	return s, nil
}

func (b *books) makeServers(k Servers) (bookahead.Keeper, error) {
	prefer, ok := map[string]idletree.Prefer{
		"": {}, "lowest": idletree.LowestIndex, "best": idletree.BestFit, "worst": idletree.WorstFit,
	}[k.Prefer]
	if !ok {
		return nil, limits.Invalid("Servers.Prefer", k.Prefer, `is none of "", lowest, best, worst`)
	}
	if k.Count < 1 {
		return nil, limits.Invalid("Servers.Count", k.Count, "is less than 1")
	}
	return idletree.NewTree(k.Count, idletree.Config{Origin: b.now, Horizon: k.Horizon, Prefer: prefer})
}

func (b *books) makeNodes(k Nodes) (*nodes.Machine, error) {
	policy, ok := map[string]nodes.Policy{
		"": {}, "lowest": nodes.LowestIndex(), "best": nodes.BestFit(), "fewest": nodes.FewestNodes(), "spread": nodes.Spread(),
	}[k.Policy]
	if !ok {
		return nil, limits.Invalid("Nodes.Policy", k.Policy, `is none of "", lowest, best, fewest, spread`)
	}
	return nodes.New(nodes.Config{
		Origin: b.now, Horizon: k.Horizon, Resources: k.Resources, Nodes: k.Nodes, Levels: k.Levels, Sets: k.Sets, Policy: policy,
	})
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
		case i > 0 && (b.schedules[at].machine == nil) != (b.schedules[of[0]].machine == nil):
			return nil, limits.Invalid(field, name, fmt.Sprintf("is not of one kind with %q: one is of nodes", k.Of[0]))
		}
		of = append(of, at)
	}
	if policies[k.Policy] == nil {
		return nil, limits.Invalid("Broker.Policy", k.Policy, `is none of "", first, least-loaded, shortest-queue`)
	}
	return of, nil
}

func (b *books) makeOwn(k Own) (bookahead.Keeper, error) {
	build := b.config.Kinds[k.Kind]
	if build == nil {
		return nil, limits.Invalid("Own.Kind", k.Kind, "is not in Config.Kinds")
	}
	s, err := build(k.Config, b.now)
	if err != nil {
		return nil, fmt.Errorf("desk: kind %q: %w", k.Kind, err)
	}
	err = limits.CheckNil("Own", s)
	if err != nil {
		return nil, err
	}
	return s, b.checkOwn(k, s)
}

func (b *books) checkOwn(k Own, s bookahead.Keeper) error {
	_, clones := s.(bookahead.Cloner)
	if clones {
		_, clones = s.(bookahead.Cloner).Clone().(bookahead.Keeper) // false of nil
	}
	_, writes := s.(bookahead.Snapshotter)
	switch {
	case !clones:
		return limits.Invalid("Own.Kind", k.Kind, "makes a schedule that cannot be cloned")
	case !writes:
		return limits.Invalid("Own.Kind", k.Kind, "makes a schedule that cannot be written")
	case s.Frame().Now != b.now:
		return limits.Invalid("Own.Kind", k.Kind, fmt.Sprintf("makes a schedule whose clock is at %d, and not at %d", s.Frame().Now, b.now))
	}
	return nil
}

// own reports whether the schedule is of the caller's own structure.
func (s *schedule) own() bool {
	_, own := s.kind.(Own)
	return own
}

// clone returns a copy for a trial, without the calendar.
func (s *schedule) clone() *schedule {
	c := &schedule{name: s.name, kind: s.kind, of: s.of, live: s.live, given: s.given, since: s.since, terms: s.terms, tails: s.tails, wide: s.wide, size: s.size}
	if s.machine != nil {
		c.machine = s.machine.Clone()
	}
	if s.keeper != nil {
		c.keeper = s.keeper.(bookahead.Cloner).Clone().(bookahead.Keeper)
	}
	return c
}

// measure counts the servers or nodes.
func (s *schedule) measure() { s.size = int64(s.frame().Servers) }

// frame returns the limits of a schedule that is no broker.
func (s *schedule) frame() bookahead.Frame {
	if s.machine != nil {
		return s.machine.Frame()
	}
	return s.keeper.Frame()
}

func (s *schedule) advance(now bookahead.Time) error {
	switch {
	case s.machine != nil:
		return s.machine.Advance(now)
	case s.keeper != nil:
		return s.keeper.Advance(now)
	}
	return nil
}

func (s *schedule) release(id bookahead.ID) error {
	if s.machine != nil {
		return s.machine.Release(id)
	}
	return s.keeper.Release(id)
}

// member returns the schedule as a grid.Member for a part.
func (s *schedule) member(p *Part) grid.Member {
	if s.machine != nil {
		return grid.Gang{Machine: s.machine, Request: *p.Tasks}
	}
	return s.keeper
}

// want is a place to book from now on, with the vectors of its tasks.
type want struct {
	Place
	tasks *nodes.Request
}

// fixed returns the request for a place on a pool or servers with its buffers, from now on.
func (w *want) fixed(now bookahead.Time) bookahead.Request {
	in := w.reserved()
	start := max(in.Start, now)
	r := bookahead.At(start, bookahead.Duration(in.End-start), w.Units)
	r.Servers = w.Servers
	return r
}

// reserve books a place as it was decided. An error changes nothing, and says that the decision does not suit this state.
func (s *schedule) reserve(w want, now bookahead.Time) (bookahead.ID, error) {
	s.wide = max(s.wide, w.Before, w.After)
	if s.machine != nil {
		res, err := s.machine.ReserveOffer(w.offer(now), *w.tasks)
		return res.ID, err
	}
	res, err := s.keeper.Reserve(w.fixed(now))
	return res.ID, err
}

// rebook gives a reservation the place that was decided.
func (s *schedule) rebook(id bookahead.ID, w want, now bookahead.Time) error {
	s.wide = max(s.wide, w.Before, w.After)
	if s.machine != nil {
		_, err := s.machine.RebookOffer(id, w.offer(now), *w.tasks)
		return err
	}
	res, err := s.keeper.Reservation(id)
	if err != nil {
		return err
	}
	from := now
	if res.Start <= now && w.reserved().Start <= now {
		w.Start, w.Before, from = res.Start, 0, res.Start // a running reservation keeps its start
	}
	_, err = s.keeper.Rebook(id, w.fixed(from))
	return err
}

// offer returns the place with its buffers as a machine has it, from now on.
func (w *want) offer(now bookahead.Time) nodes.Offer {
	o := nodes.Offer{Interval: w.reserved(), Tasks: w.Nodes, Head: w.Head}
	o.Start = max(o.Start, now)
	return o
}

// began returns the start of a reservation.
func (s *schedule) began(id bookahead.ID) (bookahead.Time, error) {
	if s.machine != nil {
		res, err := s.machine.Reservation(id)
		return res.Start, err
	}
	res, err := s.keeper.Reservation(id)
	return res.Start, err
}
