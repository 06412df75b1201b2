package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// facts are about the starts in one chunk, or in one block. A fact says that none of these starts serves tasks of some need
// for some time on some number of nodes at once. Then no start serves a greater need, a longer time or more
// nodes either.
//
//	fact       2 GPUs for 60 ticks: not on 3 nodes
//	request    4 GPUs for 90 ticks, on 5 nodes: the search passes the chunk and reads none of its rows
//
// A fact stays true when more is booked. It is dropped when something is given back in a time that its
// windows may touch.
type facts struct {
	owner cow.Owner
	next  int      // the fact to replace next, when there are maxFacts
	list  []uint64 // of each fact, side by side: the need, packed, then the ticks and the nodes
}

// maxFacts is the number of facts kept for a chunk or a block. To read more of them takes longer than they save.
const maxFacts = 32

// fact returns the need, the ticks and the number of nodes of fact i.
func (p *packing) fact(f *facts, i int) (need []uint64, d bookahead.Time, few int) {
	row := f.list[i*(p.words+2):]
	return row, bookahead.Time(row[p.words]), int(row[p.words+1])
}

// known returns how many facts there are.
func (p *packing) known(f *facts) int { return len(f.list) / (p.words + 2) }

// clone returns a copy that no machine may write to yet.
func (f *facts) clone() *facts {
	if f == nil {
		return nil
	}
	return &facts{next: f.next, list: slices.Clone(f.list)}
}

// denies reports whether a fact says that there is no start for a need, so many ticks and nodes.
func (p *packing) denies(f *facts, need []uint64, d bookahead.Time, few int) bool {
	return p.denial(f, need, d, few) != nil
}

// denial returns the fact that says so, with its ticks and nodes behind the need; nil if none does.
func (p *packing) denial(f *facts, need []uint64, d bookahead.Time, few int) []uint64 {
	if f == nil {
		return nil
	}
	for row := f.list; len(row) > 0; row = row[p.words+2:] {
		if p.covers(need, row) && row[p.words] <= uint64(d) && int(row[p.words+1]) <= few {
			return row
		}
	}
	return nil
}

// add adds a fact. The new fact replaces the first fact that follows from it. If no fact does and there is
// no room, it replaces the others in turn.
func (p *packing) add(f *facts, need []uint64, d bookahead.Time, few int) {
	i, n := 0, p.known(f)
	for ; i < n; i++ {
		oldNeed, oldD, oldFew := p.fact(f, i)
		if oldD >= d && oldFew >= few && p.covers(oldNeed, need) {
			break
		}
	}
	switch {
	case i < n:
	case n < maxFacts:
		f.list = append(f.list, make([]uint64, p.words+2)...)
	default:
		i = f.next
		f.next = (i + 1) % maxFacts
	}
	row := f.list[i*(p.words+2):]
	copy(row[:p.words], need)
	row[p.words], row[p.words+1] = uint64(d), uint64(few)
}
