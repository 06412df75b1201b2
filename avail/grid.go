package avail

import (
	"math/bits"
	"slices"
)

// maxBytes is the most memory that a Schedule takes for its slots: a gibibyte.
const maxBytes = 1 << 30

// grid holds a bit for each server and slot, 1 if the server is free. Slots are counted from tick
// 0. 64 slots are a column, which has a word for each server. The columns lie in a ring: a column
// that has passed takes the place after the last.
type grid struct {
	servers int
	words   []uint64 // column by column
	free    []int32  // by slot: how many servers are free
}

// gridBytes returns the memory of a grid in which this many slots in a row can be used, wherever
// in a column they begin.
func gridBytes(servers, slots int64) int64 {
	return gridColumns(slots) * (8*servers + 64*4)
}

func gridColumns(slots int64) int64 { return (slots+62)/64 + 1 }

func newGrid(servers, slots int64) grid {
	columns := gridColumns(slots)
	g := grid{int(servers), make([]uint64, columns*servers), make([]int32, columns*64)}
	g.reset(g.words, g.free)
	return g
}

func (g *grid) reset(words []uint64, free []int32) {
	for i := range words {
		words[i] = ^uint64(0)
	}
	for i := range free {
		free[i] = int32(g.servers)
	}
}

func (g *grid) columns() int64 { return int64(len(g.free) / 64) }

// column returns the words of a column.
func (g *grid) column(c int64) []uint64 {
	at := int(c%g.columns()) * g.servers
	return g.words[at : at+g.servers]
}

// place returns the index in free for a slot.
func (g *grid) place(slot int64) int { return int(slot % int64(len(g.free))) }

// pass frees the columns between slot old and slot now again: they become the last columns of the
// ring.
func (g *grid) pass(old, now int64) {
	first := old >> 6
	for c := first; c < min(now>>6, first+g.columns()); c++ {
		place := g.place(c << 6)
		g.reset(g.column(c), g.free[place:place+64])
	}
}

// stripe is a stretch of slots, given by the columns that it touches.
type stripe struct {
	first      int    // index of the word of server 0 in the first column
	more       int    // columns after the first
	head, tail uint64 // masks of the bits that count in the first word and in the last
}

// stripe returns the slots [from, to), of which there is at least one.
func (g *grid) stripe(from, to int64) stripe {
	first, last := from>>6, (to-1)>>6
	s := stripe{
		first: int(first%g.columns()) * g.servers,
		more:  int(last - first),
		head:  ^uint64(0) << (from & 63),
		tail:  ^uint64(0) >> (-to & 63),
	}
	if s.more == 0 {
		s.head &= s.tail
	}
	return s
}

// next returns the index of the word for the same server in the next column.
func (g *grid) next(i int) int {
	i += g.servers
	if i >= len(g.words) {
		i -= len(g.words)
	}
	return i
}

// idle reports whether a server is free throughout the stripe.
func (g *grid) idle(s stripe, server int) bool {
	i, mask := s.first+server, s.head
	for range s.more {
		if ^g.words[i]&mask != 0 {
			return false
		}
		i, mask = g.next(i), ^uint64(0)
	}
	return ^g.words[i]&mask&s.tail == 0
}

// idleOf returns which of 64 servers, from server k on, are free throughout the stripe: bit i
// stands for server k+i. It reads column after column until no server is left.
func (g *grid) idleOf(s stripe, k int) uint64 {
	n := min(64, g.servers-k)
	left := ^uint64(0) >> (64 - n)
	i, mask := s.first+k, s.head
	for c := 0; c <= s.more && left != 0; c++ {
		if c == s.more {
			mask &= s.tail
		}
		busy := uint64(0)
		for b, word := range g.words[i : i+n] {
			bit := uint64(0) // set without a branch, which a processor could not foretell
			if ^word&mask != 0 {
				bit = 1
			}
			busy |= bit << (b & 63)
		}
		left &^= busy
		i, mask = g.next(i), ^uint64(0)
	}
	return left
}

// lowest returns the n lowest servers, or fewer, that are free in all slots of [from, to). It
// looks at the servers named, which ascend, or at all servers if named is nil.
func (g *grid) lowest(named []int, from, to int64, n int) []int {
	var list []int
	s := g.stripe(from, to)
	take := func(k int) {
		if list == nil {
			list = make([]int, 0, min(n, 1024))
		}
		list = append(list, k)
	}
	for _, k := range named {
		if len(list) < n && g.idle(s, k) {
			take(k)
		}
	}
	if named != nil {
		return list
	}
	for k := 0; k < g.servers && len(list) < n; k += 64 {
		for free := g.idleOf(s, k); free != 0 && len(list) < n; free &= free - 1 {
			take(k + bits.TrailingZeros64(free))
		}
	}
	return list
}

// flip books servers in the slots [from, to) if they are free there, and gives them back if they
// are booked. by is by how many the number of free servers changes.
func (g *grid) flip(servers []int32, from, to int64, by int) {
	s := g.stripe(from, to)
	for _, k := range servers {
		i, mask := s.first+int(k), s.head
		for range s.more {
			g.words[i] ^= mask
			i, mask = g.next(i), ^uint64(0)
		}
		g.words[i] ^= mask & s.tail
	}
	place := g.place(from)
	for range to - from {
		g.free[place] += int32(by)
		place++
		if place == len(g.free) {
			place = 0
		}
	}
}

// around returns the slots of [low, high) around a slot throughout which a server is free, or
// none if it is not free in that slot.
func (g *grid) around(server int, slot, low, high int64) (from, to int64) {
	to = high
	ahead := ^uint64(0) << (slot & 63) // mask of the slots that count in the column of slot
	for c := slot >> 6; c <= (high-1)>>6; c++ {
		booked := ^g.column(c)[server] & ahead
		if booked != 0 {
			to = min(high, c<<6+int64(bits.TrailingZeros64(booked)))
			break
		}
		ahead = ^uint64(0)
	}
	if to == slot {
		return slot, slot
	}
	from = slot
	for from > low {
		booked := ^g.column((from - 1) >> 6)[server] << (-from & 63)
		if booked != 0 {
			from -= int64(bits.LeadingZeros64(booked))
			break
		}
		from = (from - 1) >> 6 << 6 // the start of that column
	}
	return max(from, low), to
}

// at appends to list the servers that are free in a slot.
func (g *grid) at(list []int, slot int64) []int {
	for k, word := range g.column(slot >> 6) {
		if word>>(slot&63)&1 != 0 {
			list = append(list, k)
		}
	}
	return list
}

// unchanged returns the first slot after from, and before to, in which other servers are free
// than in the slot before, or to if there is none.
func (g *grid) unchanged(from, to int64) int64 {
	before := g.column(from >> 6)
	for c := from >> 6; c <= (to-1)>>6; c++ {
		differ := uint64(0) // the slots in which a server changes
		column := g.column(c)
		for k, word := range column {
			differ |= word ^ (word<<1 | before[k]>>63)
		}
		if c == from>>6 {
			differ &= ^uint64(1) << (from & 63)
		}
		if differ != 0 {
			return min(to, c<<6+int64(bits.TrailingZeros64(differ)))
		}
		before = column
	}
	return to
}

func (g *grid) clone() grid {
	return grid{g.servers, slices.Clone(g.words), slices.Clone(g.free)}
}
