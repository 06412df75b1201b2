package grid

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// numbering gives n servers of a provider, from own on, the Broker's numbers from first on. Two
// providers of 3 and 2 servers are each extended by 1:
//
//	provider 0   0 1 2     3           provider 1   0 1     2
//	the Broker   0 1 2     5           the Broker   3 4     6
type numbering struct{ first, own, n int }

// number gives n more servers of provider k the Broker's next numbers.
func (b *Broker) number(k, n int) {
	p := &b.providers[k]
	next := numbering{b.limits.Servers, b.known(k), n}
	b.limits.Servers += n
	last := len(p.numbers) - 1
	if last >= 0 && p.numbers[last].first+p.numbers[last].n == next.first {
		next = numbering{p.numbers[last].first, p.numbers[last].own, p.numbers[last].n + n}
		p.numbers = append(p.numbers[:last:last], next)
		return
	}
	p.numbers = append(slices.Clip(p.numbers), next)
}

// known returns how many servers of provider k have a number.
func (b *Broker) known(k int) int {
	list := b.providers[k].numbers
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].own + list[len(list)-1].n
}

// knows returns an error that wraps bookahead.ErrInvalid if a server in a list of provider k, which
// ascends, has no number.
func (b *Broker) knows(k int, servers []int) error {
	if len(servers) == 0 || servers[len(servers)-1] < b.known(k) {
		return nil
	}
	return b.stranger(k, servers[len(servers)-1]+1)
}

// knowsAll is knows for all servers of provider k.
func (b *Broker) knowsAll(k int) error {
	n := b.providers[k].schedule.Frame().Servers
	if n == b.known(k) {
		return nil
	}
	return b.stranger(k, n)
}

func (b *Broker) stranger(k, n int) error {
	return limits.Invalid(fmt.Sprintf("providers[%d]: servers", k), n,
		fmt.Sprintf("is not the number of servers with numbers, %d: a provider of servers must be extended through the Broker", b.known(k)))
}

// global changes the servers of an offer of provider k into the Broker's numbers. All of them must have
// numbers.
func (b *Broker) global(k int, o bookahead.Offer) bookahead.Offer {
	o.Servers = b.shift(k, o.Servers)
	return o
}

// shift is global for a list of servers, which it overwrites.
func (b *Broker) shift(k int, servers []int) []int {
	list := b.providers[k].numbers
	for i, s := range servers {
		at, found := slices.BinarySearchFunc(list, s, func(x numbering, s int) int { return cmp.Compare(x.own, s) })
		if !found {
			at--
		}
		servers[i] += list[at].first - list[at].own
	}
	return servers
}

// own returns provider k's own index of a server; false if the server is of another provider.
func (b *Broker) own(k, server int) (int, bool) {
	list := b.providers[k].numbers
	at, found := slices.BinarySearchFunc(list, server, func(x numbering, s int) int { return cmp.Compare(x.first, s) })
	if !found {
		at--
	}
	if at < 0 || server >= list[at].first+list[at].n {
		return 0, false
	}
	return server - list[at].first + list[at].own, true
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

// providerOf returns the provider of a server.
func (b *Broker) providerOf(server int) int {
	for k := range b.providers {
		_, ok := b.own(k, server)
		if ok {
			return k
		}
	}
	return -1
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
