package nodes

import "math/bits"

// packing says how an amount of each resource lies in few words, side by side, so that a vector is
// compared as a whole. GPUs up to 8 and cores up to 64:
//
//	bit      63 ... 15   14        13 ... 6       5         4 ... 0
//	         unused      guard     128 + cores    guard     16 + GPUs
//
// A bias is added to each amount, because amounts are negative while a node is closed and held. To compare,
// all guards are set and the need is subtracted: a guard stays set where enough is free, and no field
// borrows from its neighbour. Here are two nodes, with 5 and 3 free GPUs, and a need of 4 GPUs:
//
//	guard + free     32 + 16+5 = 53        32 + 16+3 = 51
//	need             16+4      = 20        16+4      = 20
//	difference       33: bit 5 is set      31: bit 5 is not set: too few
//
// A resource that does not matter has a need of 0, without the bias, so that any free amount covers it.
type packing struct {
	words  int
	step   int      // words of a step: its time comes first
	fields []field  // of each resource
	guards []uint64 // of each word
	small  bool     // all is in one word
}

// field is where the amounts of a resource lie.
type field struct {
	word  int
	shift uint
	bias  int64  // a power of two above all amounts
	mask  uint64 // of the field, at bit 0, without the guard
}

// newPacking returns a packing for nodes that have these amounts at most. A field has room for twice the
// bias, so that no amount and no need up to the amount of a node leaves its field.
func newPacking(most Vector) *packing {
	p := &packing{}
	used := uint(64)
	for _, amount := range most {
		wide := uint(bits.Len64(uint64(max(1, amount)))) + 2 // 1 is a level even if no node has it
		if used+wide > 64 {
			p.words++
			p.guards = append(p.guards, 0)
			used = 0
		}
		f := field{word: p.words - 1, shift: used, bias: 1 << (wide - 2), mask: 1<<(wide-1) - 1}
		p.fields = append(p.fields, f)
		p.guards[f.word] |= 1 << (used + wide - 1)
		used += wide
	}
	p.small, p.step = p.words == 1, p.words+1
	return p
}

// pack returns amounts as they lie in a step.
func (p *packing) pack(v Vector) []uint64 {
	row := make([]uint64, p.words)
	for r, f := range p.fields {
		row[f.word] |= uint64(v[r]+f.bias) << f.shift
	}
	return row
}

// need writes the need with which covers compares: n times each, and more besides if more is not nil. The
// need must be no more than some node has, so that it fits into its fields.
func (p *packing) need(n int64, each, more Vector, into []uint64) {
	clear(into[:p.words])
	for r, f := range p.fields {
		amount := n * each[r]
		if more != nil {
			amount += more[r]
		}
		if amount > 0 {
			into[f.word] |= uint64(amount+f.bias) << f.shift
		}
	}
}

// delta writes the words that add so many times a vector to a row. Borrows between fields cancel out,
// because each sum fits into its field.
func (p *packing) delta(times int64, v Vector, into []uint64) {
	clear(into[:p.words])
	for r, f := range p.fields {
		into[f.word] += uint64(times*v[r]) << f.shift
	}
}

// amount returns the amount of a resource in a row.
func (p *packing) amount(row []uint64, r int) int64 {
	f := &p.fields[r]
	return int64(row[f.word]>>f.shift&f.mask) - f.bias
}

// widen makes each amount of a need at least that of another.
func (p *packing) widen(need, by []uint64) {
	for _, f := range p.fields {
		mask := f.mask << f.shift
		if by[f.word]&mask > need[f.word]&mask {
			need[f.word] = need[f.word]&^mask | by[f.word]&mask
		}
	}
}

// covers reports whether the amounts of a row are at least the need.
func (p *packing) covers(row, need []uint64) bool {
	guard := p.guards[0]
	if ((row[0]|guard)-need[0])&guard != guard {
		return false
	}
	if !p.small {
		return p.coversMore(row, need)
	}
	return true
}

func (p *packing) coversMore(row, need []uint64) bool {
	for i, guard := range p.guards {
		if ((row[i]|guard)-need[i])&guard != guard {
			return false
		}
	}
	return true
}
