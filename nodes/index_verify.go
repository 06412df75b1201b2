package nodes

import (
	"fmt"
)

// Verify checks C1 to C3, and C5. For C4, tests compare searches with an oracle.
func (x *index) Verify() error {
	for c, have := range x.chunks {
		want := x.newChunk(x.owner)
		start := max(x.starts[c], x.now)
		b := brush{table: x.table, chunk: want}
		for k := range x.nodes {
			s := &x.nodes[k]
			first := s.at(start)
			reached, last := x.reach(s, first, x.end(c))
			b.paint(k, codes{}, reached)
			x.inside(want, k, last-first)
			if c > 0 && s.start(first) == start && first > 0 {
				x.mark(want, x.edgedRow(), k)
			}
		}
		b.flush()
		if c > 0 && x.starts[c] <= max(x.now, x.starts[c-1]) || x.starts[0] > x.now {
			return fmt.Errorf("nodes: chunk %d begins at %d, out of order", c, x.starts[c])
		}
		for i := range 2*x.rows + 2 {
			h, w := x.row(have, i), x.row(want, i)
			for j := range h {
				odd := h[j] ^ w[j]
				switch {
				case c == 0 && i < x.rows: // C1: may lack nodes
					odd = h[j] &^ w[j]
				case c == 0 && i < 2*x.rows || i == x.changedRow(): // C1, C2: may have too many
					odd = w[j] &^ h[j]
				case c == 0:
					odd = 0
				}
				if odd != 0 {
					return fmt.Errorf("nodes: row %d of chunk %d, which begins at %d, has %064b in word %d, not %064b", i, c, x.starts[c], h[j], j, w[j])
				}
			}
		}
		if have.inner != want.inner && (c > 0 || have.inner < want.inner) {
			return fmt.Errorf("nodes: %d steps begin inside of chunk %d, not %d", want.inner, c, have.inner)
		}
	}
	for b, start := range x.far.starts {
		switch {
		case b == 0 && start <= x.starts[0]:
		case b == 0 || start <= x.far.starts[b-1] || x.starts[x.chunkAt(start)] != start: // C5
			return fmt.Errorf("nodes: block %d begins at %d, out of order or inside of a chunk", b, start)
		}
	}
	if len(x.facts) != len(x.starts) || len(x.far.facts) != len(x.far.starts) {
		return fmt.Errorf("nodes: facts about %d chunks of %d, and about %d blocks of %d", len(x.facts), len(x.starts), len(x.far.facts), len(x.far.starts))
	}
	return nil
}
