package avail

import "math/bits"

// Compose returns v ⊕ o: the slots at which a task can set out that needs v when it leaves and o
// delay slots later:
//
//	slot     0 1 2 3 4 5 6 7
//	v        1 1 1 0 1 1 1 1
//	o        0 1 1 1 1 1 0 1
//	o « 2    1 1 1 1 0 1 0 0     o, two slots earlier
//	v ⊕ o    1 1 1 0 0 1 0 0     and
//
// This is Eq. (1) of Stevens et al., §4.3. For a path, v is the part near the source, o the next
// link, and delay the delay of v: 2·d slots if o is as known at its own end, d slots if o is
// known at the source. Slots after the end of o are unknown, and so unavailable. O(n/64).
func (v *Vector) Compose(o *Vector, delay int) *Vector {
	dst := newVector(v.Len())
	v.ComposeTo(dst, o, delay)
	return dst
}

// ComposeTo is Compose into dst, which may be v, or o, or both. It does not
// allocate. O(n/64), in one pass.
func (v *Vector) ComposeTo(dst, o *Vector, delay int) {
	checkLens("Compose", v.Len(), o.Len())
	checkLens("ComposeTo", v.Len(), dst.Len())
	checkNatural("Compose", delay)
	d, near, far := dst.set.Words(), v.set.Words(), o.set.Words()
	if delay >= v.Len() {
		clear(d)
		return
	}
	far = far[delay>>6:]
	last := len(far) - 1
	down := delay & 63
	if down == 0 {
		near, into := near[:len(far)], d[:len(far)]
		for i, word := range far {
			into[i] = near[i] & word
		}
	} else {
		// Each word of o is rotated, so that both its parts are in place. The part under the mask
		// belongs to the word of dst at the same index, the part above to the word before.
		mask := ^uint64(0) >> down
		low := bits.RotateLeft64(far[0], -down)
		next, near, into := far[1:], near[:last+1], d[:last+1]
		for i, word := range next {
			word = bits.RotateLeft64(word, -down)
			into[i] = near[i] & (word ^ (low^word)&mask) // low under the mask, word above
			low = word
		}
		into[last] = near[last] & low & mask
	}
	clear(d[last+1:])
}

// Mask returns MUVₖ(v): v without its first k slots (§4.3). Nothing is left if k is Len or more.
// With k = EST, the mask shows when a cluster can run a task whose data must arrive first;
// NextRun(k, b) finds the first such start without the copy. O(n/64).
func (v *Vector) Mask(k int) *Vector {
	checkNatural("Mask", k)
	m := v.Clone()
	m.Clear(0, min(k, v.Len()))
	return m
}

// Starts returns every slot from which b slots in a row are available: all places for a task that
// is b slots long. There are none if b < 1. O(n/64 · log b).
func (v *Vector) Starts(b int) *Vector {
	if b < 1 {
		return newVector(v.Len())
	}
	s := v.Clone()
	for m := 1; m < b; {
		// s has the starts of runs of m slots. Where two of them start a step apart, there is a
		// longer run.
		step := min(m, b-m)
		s.ComposeTo(s, s, step)
		m += step
	}
	return s
}
