package site

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Structure has the methods that a Keeper and a machine of nodes share.
type Structure interface {
	Frame() bookahead.Frame
	Advance(now bookahead.Time) error
	Release(id bookahead.ID) error
	Close(c bookahead.Closure) (bookahead.Closure, error)
	Closures() iter.Seq[bookahead.Closure]
	Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking]
	MarshalBinary() ([]byte, error)
	Verify() error
}

// Keeper is a pool or servers.
type Keeper interface {
	Structure
	bookahead.Keeper
	bookahead.Closable
	bookahead.Cloner
}

// Site is a schedule of some kind. The zero value has no structure: it can be cloned, has no tails and no reservations, counts
// steps as a pool does, and nothing else may be asked of it.
type Site struct {
	Structure
	keeper  Keeper         // nil on nodes
	machine *nodes.Machine // nil on a pool or servers
	size    int64

	// Given is the capacity that the site had when it was made.
	Given int64
	// Tails are the reservations that nobody owns any more, in the order of Tail.Compare. A change makes a new slice, since
	// clones share the old one.
	Tails []Tail
}

// Of returns the site of a Keeper or a *nodes.Machine, which is its own from now on.
func Of(x Structure) Site {
	s := Site{Structure: x, Given: x.Frame().Capacity}
	s.keeper, _ = x.(Keeper)
	s.machine, _ = x.(*nodes.Machine)
	s.measure()
	return s
}

// NewPool returns a site of units that are alike. A horizon of 0 reaches to the end of the axis.
func NewPool(units int64, now bookahead.Time, horizon bookahead.Duration) (Site, error) {
	if units < 1 {
		return Site{}, limits.Invalid("Pool.Units", units, "is less than 1")
	}
	return made(carts.NewIndexed(units, carts.Config{Origin: now, Horizon: horizon}))
}

// NewServers returns a site of servers. Prefer names those that are used first: "lowest", "best", "worst", or "" for the
// first that are found.
func NewServers(count int64, prefer string, now bookahead.Time, horizon bookahead.Duration) (Site, error) {
	by, ok := map[string]idletree.Prefer{
		"": {}, "lowest": idletree.LowestIndex, "best": idletree.BestFit, "worst": idletree.WorstFit,
	}[prefer]
	if !ok {
		return Site{}, limits.Invalid("Servers.Prefer", prefer, `is none of "", lowest, best, worst`)
	}
	if count < 1 {
		return Site{}, limits.Invalid("Servers.Count", count, "is less than 1")
	}
	return made(idletree.NewTree(count, idletree.Config{Origin: now, Horizon: horizon, Prefer: by}))
}

// NewNodes returns a site of nodes. The policy takes the place of c.Policy, and names the nodes that are used first: "" or
// "lowest", "best", "fewest" or "spread".
func NewNodes(c nodes.Config, policy string) (Site, error) {
	by, ok := map[string]nodes.Policy{
		"": {}, "lowest": nodes.LowestIndex(), "best": nodes.BestFit(), "fewest": nodes.FewestNodes(), "spread": nodes.Spread(),
	}[policy]
	if !ok {
		return Site{}, limits.Invalid("Nodes.Policy", policy, `is none of "", lowest, best, fewest, spread`)
	}
	c.Policy = by
	return made(nodes.New(c))
}

func made[X Structure](x X, err error) (Site, error) {
	if err != nil {
		return Site{}, err
	}
	return Of(x), nil
}

// ReadPool returns the site whose MarshalBinary has written some bytes, without tails. It makes room for no more than the
// bytes have, whatever they ask for. So do ReadServers and ReadNodes.
func ReadPool(data []byte) (Site, error) { return read(new(carts.Indexed), data) }

// ReadServers is ReadPool for servers.
func ReadServers(data []byte) (Site, error) { return read(new(idletree.Tree), data) }

// ReadNodes is ReadPool for nodes.
func ReadNodes(data []byte) (Site, error) { return read(new(nodes.Machine), data) }

func read[X interface {
	Structure
	UnmarshalBinary(data []byte) error
}](x X, data []byte) (Site, error) {
	return made(x, x.UnmarshalBinary(data))
}

// Clone returns a copy, at the cost of a Clone of the structure.
func (s *Site) Clone() Site {
	c := *s
	switch {
	case s.machine != nil:
		c.machine = s.machine.Clone()
		c.Structure = c.machine
	case s.keeper != nil:
		c.keeper = s.keeper.Clone().(Keeper)
		c.Structure = c.keeper
	}
	return c
}

// Keeper returns the pool or the servers; nil on nodes.
func (s *Site) Keeper() Keeper { return s.keeper }

// Machine returns the nodes; nil on a pool or servers.
func (s *Site) Machine() *nodes.Machine { return s.machine }

// Size returns how many servers or nodes there are, those of extensions among them; 0 on a pool.
func (s *Site) Size() int64 { return s.size }

func (s *Site) measure() { s.size = int64(s.Frame().Servers) }

// stepsOfSearch is how many steps a search or a write takes, besides those for servers or nodes. A pool takes a microsecond
// or two for it, and a step tens of nanoseconds.
const stepsOfSearch = 64

// Steps returns how many steps a search for some units takes, or a write, or a clone. A machine looks at its nodes one by
// one. A search for servers takes those that it needs, and passes by a few of the others.
func (s *Site) Steps(units int64) int64 {
	if s.machine != nil {
		return stepsOfSearch + s.size
	}
	return stepsOfSearch + s.size/512 + min(units, s.size)/8
}

// Advance moves the clock, and drops the tails that are over.
func (s *Site) Advance(now bookahead.Time) error {
	err := s.Structure.Advance(now)
	if err == nil {
		s.dropTails(now)
	}
	return err
}
