package route

import (
	"slices"
	"sync"
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
