package nodes

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// Best fit need not look at each node that has room. The rows of the chunks that a window touches say
// how much is left on a node at least, so how full it is at most. The nodes are scored from the
// fullest on, in bins, until those that are left cannot be fuller than enough of those scored:
//
//	bin          0      1      2      3           left at least, in eighths of a resource
//	nodes        3 9    -      1 4    0 2 5 6 7   by the rows
//	scored       1.4    -      2.1    .           left in truth, never less than the bin says
//	             0.2           2.8    .
//
// A task for one node: 9 has less left than all that are in later bins, and no other is looked at.
const (
	bin   = 11 // bits: an eighth of 2^14, as slack counts
	touch = 16 // the most chunks whose rows are read
	marks = 4  // the levels of each resource that are read, about
)

// scored is a node, what it has left, and how many tasks it has room for.
type scored struct {
	slack int64
	node  int
	fit   int64
}

// tightest returns the booking on the nodes that BestFit prefers, of the first part that has room.
func (s *search) tightest(w bookahead.Interval, given []Vector) *booking {
	s.free = slices.Grow(s.free[:0], s.wide)[:s.wide]
	s.readLeft(w)
	for _, p := range s.parts {
		b := s.tightestOf(p, w, given)
		if b != nil {
			return b
		}
	}
	return nil
}

func (s *search) tightestOf(p part, w bookahead.Interval, given []Vector) *booking {
	for i := range s.bins {
		s.bins[i] = s.bins[i][:0]
	}
	for k := range p.in(s.able) {
		i := s.leftAtLeast(k, given[k]) >> bin
		for int(i) >= len(s.bins) {
			s.bins = append(s.bins, nil)
		}
		s.bins[i] = append(s.bins[i], k)
	}
	s.scores = s.scores[:0]
	for i, nodes := range s.bins {
		for _, k := range nodes {
			s.on(s.nodes, k).least(w, s.free)
			n := s.fit(s.free)
			if n > 0 {
				s.scores = append(s.scores, scored{Candidate{Free: s.free, Given: given[k]}.slack(), k, n})
			}
		}
		sum := int64(0)
		for _, x := range s.scores {
			if x.slack>>bin <= int64(i) {
				sum += x.fit
			}
		}
		if sum >= s.tasks {
			break
		}
	}
	return s.deal(w)
}

// deal returns the booking on the best of those scored; nil if they have not room enough.
func (s *search) deal(w bookahead.Interval) *booking {
	slices.SortFunc(s.scores, func(a, b scored) int { return cmp.Or(cmp.Compare(a.slack, b.slack), a.node-b.node) })
	b := &booking{Interval: w, head: -1, each: slices.Clone(s.each)}
	left := s.tasks
	for _, x := range s.scores {
		n := min(left, x.fit)
		if n == 0 {
			break
		}
		b.shares = append(b.shares, Share{x.node, n})
		left -= n
	}
	if left > 0 {
		return nil
	}
	slices.SortFunc(b.shares, func(a, b Share) int { return a.Node - b.Node })
	return b
}

// left is a set of nodes that have so much left of a resource.
type left struct {
	resource int
	amount   int64
	nodes    []uint64
}

// readLeft reads which of the nodes that are able have how much left of each resource throughout a
// window, at least. Of one that touches many chunks it reads nothing: few nodes have room for so long.
func (s *search) readLeft(w bookahead.Interval) {
	s.lefts = s.lefts[:0]
	first, last := s.chunkAt(w.Start), s.chunkAt(w.End-1)
	if last-first >= touch {
		return
	}
	s.leftRows = slices.Grow(s.leftRows[:0], s.rows*s.stride)
	for r := range s.wide {
		of := s.of[r]
		low, found := slices.BinarySearch(of, s.each[r])
		if found {
			low++
		}
		for l := len(of) - 1; l >= low; l -= 1 + (len(of)-low)/marks {
			n := len(s.leftRows)
			s.leftRows = append(s.leftRows, s.able...)
			set := s.leftRows[n:]
			at := (s.levels.begin[r] + l) * s.stride
			for c := first; c <= last; c++ {
				for i, word := range s.chunks[c].rows[at:][:s.stride] {
					set[i] &= word
				}
			}
			s.lefts = append(s.lefts, left{r, of[l], set})
		}
	}
}

// leftAtLeast returns what a node that has room for a task has left at least, as slack counts.
func (s *search) leftAtLeast(k int, given Vector) int64 {
	var most [MaxResources]int64
	copy(most[:], s.each)
	for i := range s.lefts {
		x := &s.lefts[i]
		if x.nodes[k/64]>>(k%64)&1 > 0 {
			most[x.resource] = max(most[x.resource], x.amount)
		}
	}
	return Candidate{Free: most[:s.wide], Given: given}.slack()
}
