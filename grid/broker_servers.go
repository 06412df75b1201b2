package grid

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// knows returns an error that wraps bookahead.ErrInvalid if a server in a list of provider k, which
// ascends, was added after the Broker was made.
func (b *Broker) knows(k int, servers []int) error {
	if len(servers) == 0 || servers[len(servers)-1] < b.providers[k].servers {
		return nil
	}
	return b.stranger(k, servers[len(servers)-1]+1)
}

// knowsAll is knows for all servers of provider k.
func (b *Broker) knowsAll(k int) error {
	n := b.providers[k].schedule.Frame().Servers
	if n == b.providers[k].servers {
		return nil
	}
	return b.stranger(k, n)
}

func (b *Broker) stranger(k, n int) error {
	return limits.Invalid(fmt.Sprintf("providers[%d]: servers", k), n,
		fmt.Sprintf("is not the number of servers with numbers, %d: no servers can be added to a provider", b.providers[k].servers))
}

// global changes the servers of an offer of provider k into the Broker's numbers.
func (b *Broker) global(k int, o bookahead.Offer) bookahead.Offer {
	o.Servers = b.shift(k, o.Servers)
	return o
}

// shift is global for a list of servers, which it overwrites.
func (b *Broker) shift(k int, servers []int) []int {
	for i := range servers {
		servers[i] += b.providers[k].first
	}
	return servers
}

// own returns provider k's own index of a server; false if the server is of another provider.
func (b *Broker) own(k, server int) (int, bool) {
	own := server - b.providers[k].first
	return own, own >= 0 && own < b.providers[k].servers
}

// among returns the servers of the named, or of all, that one reservation at s can have throughout w.
func among(s bookahead.Schedule, named []int, w bookahead.Interval) (a bookahead.Availability, err error) {
	if named == nil {
		return s.RangeQuery(w)
	}
	type picker interface {
		Among(servers []int, w bookahead.Interval) (bookahead.Availability, error)
	}
	if bookahead.View(s, func(p picker) { a, err = p.Among(named, w) }) {
		return a, err
	}
	a, err = s.RangeQuery(w)
	a.Servers = slices.DeleteFunc(a.Servers, func(k int) bool { return !slices.Contains(named, k) })
	a.Free = int64(len(a.Servers))
	return a, err
}

// local returns r with the named servers that provider k has, by its own indices; false if they are too
// few.
func (b *Broker) local(k int, r bookahead.Request) (bookahead.Request, bool) {
	if r.Servers == nil {
		return r, true
	}
	mine := make([]int, 0, len(r.Servers))
	for _, s := range r.Servers {
		own, ok := b.own(k, s)
		if ok {
			mine = append(mine, own)
		}
	}
	r.Servers = mine
	return r, int64(len(mine)) >= r.Units
}
