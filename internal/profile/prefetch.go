package profile

import "github.com/bookahead/bookahead"

// tall is the height from which on a tree fetches leaves. In lower trees the nodes are in the
// cache of the processor, and the second way down would only take time: 12 % more for a release
// among 100 000 reservations.
const tall = 3

// fetch asks for the leaves that contain two times, so that both come from memory at once instead
// of one after the other. fetch does not wait for them. O(log v), and nothing in trees that are
// not tall.
func (p *Tree[U]) fetch(s, t bookahead.Time) {
	if p.height >= tall {
		p.leafAt(s).prefetch()
		p.leafAt(t).prefetch()
	}
}

// leafAt returns the leaf that contains t.
func (p *Tree[U]) leafAt(t bookahead.Time) *node[U] {
	nd := p.root
	for range p.height {
		nd = nd.kid[nd.entryAt(t)]
	}
	return nd
}
