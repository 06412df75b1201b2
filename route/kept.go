package route

import (
	"fmt"
	"slices"
	"sync"

	"github.com/bookahead/bookahead/internal/effort"
)

// keptMost is how many look-aheads a network keeps: those that were asked for last. A
// look-ahead takes 12 bytes for each node and weight.
const keptMost = 8

// kept is the look-aheads of past queries, the last one first. A look-ahead says how far it is
// from each node to some servers, whatever the source and the limits. Queries share them. A
// weight that changes drops all.
type kept struct {
	mu   sync.Mutex
	list []keptAhead
}

type keptAhead struct {
	servers []Server
	avoid   Avoid
	ahead   *ahead
}

// get returns the look-ahead for the servers and the Avoid of a query, or nil.
func (k *kept) get(q *Query) *ahead {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.list, func(a keptAhead) bool { return a.is(q) })
	if i < 0 {
		return nil
	}
	found := k.list[i]
	copy(k.list[1:i+1], k.list[:i])
	k.list[0] = found
	return found.ahead
}

// put keeps a look-ahead. If there are too many, the one that nobody has asked for the longest
// goes.
func (k *kept) put(q *Query, b *ahead) {
	a := keptAhead{ahead: b, avoid: Avoid{slices.Clone(q.Avoid.Links), slices.Clone(q.Avoid.Nodes)}}
	for _, s := range q.Servers {
		a.servers = append(a.servers, Server{s.Node, slices.Clone(s.Weights)})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.list) == keptMost {
		k.list = k.list[:keptMost-1]
	}
	k.list = slices.Insert(k.list, 0, a)
}

func (k *kept) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = nil
}

func (a keptAhead) is(q *Query) bool {
	return slices.EqualFunc(a.servers, q.Servers, func(x, y Server) bool {
		return x.Node == y.Node && slices.Equal(x.Weights, y.Weights)
	}) && slices.Equal(a.avoid.Links, q.Avoid.Links) && slices.Equal(a.avoid.Nodes, q.Avoid.Nodes)
}

// aheadFor returns the look-ahead for a query: the kept one, if there is one. Its steps count
// in either case, so that no answer depends on the queries before. Usable may change from query to
// query, so with Usable nothing is kept. It returns nil if the meter stops it.
func (n *Network) aheadFor(q *Query, m *effort.Meter) *ahead {
	if q.Usable != nil {
		return n.lookAhead(q, m)
	}
	if b := n.kept.get(q); b != nil {
		if !grant(m, b.steps) {
			return nil
		}
		return b
	}
	b := n.lookAhead(q, m)
	if b != nil {
		n.kept.put(q, b)
	}
	return b
}

// SetWeights changes the weights of a link, such as its load or its price. All kept look-aheads
// are dropped. The error wraps bookahead.ErrInvalid if there is no such link, or the weights are
// not Config.Weights numbers from 0 to 1e290, and then nothing has changed. SetWeights is a write:
// no query may run meanwhile. O(k) for k weights.
func (n *Network) SetWeights(link int, weights []float64) error {
	switch {
	case link < 0 || link >= len(n.links):
		return invalid("link", link, fmt.Sprintf("is not one of %d", len(n.links)))
	case len(weights) != n.config.Weights:
		return invalid("weights", weights, fmt.Sprintf("are not the %d of Config.Weights", n.config.Weights))
	}
	if err := checkWeights("weights", weights); err != nil {
		return err
	}
	n.weigh(n.weightsOf(int32(link)), -1)
	n.weigh(weights, 1)
	copy(n.weightsOf(int32(link)), weights)
	n.kept.drop()
	return nil
}
