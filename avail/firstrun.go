package avail

import "math/bits"

// FirstRun returns R(b): the first slot from which b slots in a row are available (Stevens et
// al., §4.3), or false if there is none. There is none if b < 1, and none if b > Len. O(n/64);
// for b ≥ 127, O(n/b) where few words are available throughout.
func (v *Vector) FirstRun(b int) (int, bool) { return v.NextRun(0, b) }

// NextRun returns the first slot, at from or later, from which b slots in a row are available:
// R(b) of Mask(from). There is none if from is Len or more. Its cost is that of FirstRun.
func (v *Vector) NextRun(from, b int) (int, bool) {
	checkNatural("NextRun", from)
	n := v.Len()
	if b < 1 || from >= n || b > n-from {
		return 0, false
	}
	words := v.set.Words()
	switch {
	case b >= 64+63:
		return nextWords(words, from, b)
	case b >= 32+31:
		return nextLanes(words, from, b, 1<<32|1)
	case b >= 16+15:
		return nextLanes(words, from, b, 1<<48|1<<32|1<<16|1)
	case b <= 16:
		return nextThrees(words, from, b)
	}
	return nextSeams(words, from, b)
}

// EST returns the earliest slot in which data can be at the far end, if it takes b slots to send
// and delay slots to travel: R(b) + b + delay (§4.3). That slot may lie after the end of the
// vector. EST returns false if there is no R(b), or if the sum does not fit an int. O(n/64).
func (v *Vector) EST(b, delay int) (int, bool) {
	checkNatural("EST", delay)
	start, ok := v.FirstRun(b)
	est := start + b + delay
	if !ok || est < delay {
		return 0, false
	}
	return est, true
}

// fold returns the shifts that turn ones into starts of runs of b ones, for b up to 64: after x
// &= x >> s for each shift, bit i of x is 1 if bits i … i+b-1 all were. The last shift is 0 for b
// up to 32.
func fold(b int) (s [6]uint) {
	for i, m := 0, 1; m < b; i++ {
		s[i] = uint(min(m, b-m))
		m += int(s[i])
	}
	return s
}

// nextThrees finds runs of up to 16 ones. A window of 64 bits shows the runs
// that start in its first 48, so four windows are enough for three words:
//
//	word      0       1       2       3
//	bits  |······||······||······||······|
//	      [windows] each starts 48 bits
//	            [windows]        after the one before
//	                  [windows]
//	                        [windows]
func nextThrees(words []uint64, from, b int) (int, bool) {
	s := fold(b)
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	rest := words[from>>6:]
	visible := ^uint64(0) << (from & 63)
	for len(rest) >= 4 {
		w0, w1, w2, w3 := rest[0]&visible, rest[1], rest[2], rest[3]
		x0, x1, x2, x3 := w0, w0>>48|w1<<16, w1>>32|w2<<32, w2>>16|w3<<48
		x0, x1, x2, x3 = x0&(x0>>(s0&63)), x1&(x1>>(s0&63)), x2&(x2>>(s0&63)), x3&(x3>>(s0&63))
		x0, x1, x2, x3 = x0&(x0>>(s1&63)), x1&(x1>>(s1&63)), x2&(x2>>(s1&63)), x3&(x3>>(s1&63))
		x0, x1, x2, x3 = x0&(x0>>(s2&63)), x1&(x1>>(s2&63)), x2&(x2>>(s2&63)), x3&(x3>>(s2&63))
		x0, x1, x2, x3 = x0&(x0>>(s3&63)), x1&(x1>>(s3&63)), x2&(x2>>(s3&63)), x3&(x3>>(s3&63))
		if x0|x1|x2|x3 != 0 {
			break // nextSeams finds the place
		}
		visible = ^uint64(0)
		rest = rest[3:]
	}
	return nextSeams(words, max(from, (len(words)-len(rest))<<6), b)
}

// nextSeams finds runs of up to 32 ones. Such a run lies inside a word, or inside the upper half
// of a word and the lower half of the next: the seam.
func nextSeams(words []uint64, from, b int) (int, bool) {
	s := fold(b)
	s0, s1, s2, s3, s4 := s[0], s[1], s[2], s[3], s[4]
	w := from >> 6
	word := words[w] & (^uint64(0) << (from & 63))
	for i, next := range words[w+1:] {
		x, seam := word, word>>32|next<<32
		x, seam = x&(x>>(s0&63)), seam&(seam>>(s0&63))
		x, seam = x&(x>>(s1&63)), seam&(seam>>(s1&63))
		x, seam = x&(x>>(s2&63)), seam&(seam>>(s2&63))
		x, seam = x&(x>>(s3&63)), seam&(seam>>(s3&63))
		x, seam = x&(x>>(s4&63)), seam&(seam>>(s4&63))
		if x != 0 {
			return (w+i)<<6 + bits.TrailingZeros64(x), true
		}
		if seam != 0 {
			return (w+i)<<6 + 32 + bits.TrailingZeros64(seam), true
		}
		word = next
	}
	for _, step := range s {
		word &= word >> step
	}
	if word == 0 {
		return 0, false
	}
	return (len(words)-1)<<6 + bits.TrailingZeros64(word), true
}

// nextLanes finds runs that are too long to miss: wherever such a run lies, it fills a lane of 16
// or 32 bits. ones has a 1 in the lowest bit of each lane.
func nextLanes(words []uint64, from, b int, ones uint64) (int, bool) {
	top := ones>>1 | 1<<63
	pos := from // no run of b ones starts in [from, pos)
	for w := pos >> 6; w < len(words); w = pos >> 6 {
		x := words[w] & (^uint64(0) << (pos & 63))
		full := (^x - ones) & x & top // the first mark is exact: a borrow comes from a full lane
		for full == 0 {
			w++
			if w == len(words) {
				return 0, false
			}
			x = words[w]
			full = (^x - ones) & x & top
		}
		in := w<<6 + bits.TrailingZeros64(full)
		start := runStart(words, pos, in)
		pos = runEnd(words, in, start+b)
		if pos-start >= b {
			return start, true
		}
	}
	return 0, false
}

// nextWords finds runs that fill at least k words in a row, so it needs to look only at every
// k-th word.
func nextWords(words []uint64, from, b int) (int, bool) {
	k := (b - 63) >> 6
	pos := from // no run of b ones starts in [from, pos)
	for w := (pos+63)>>6 + k - 1; w < len(words); {
		if words[w] != ^uint64(0) {
			w += k
			continue
		}
		start := runStart(words, pos, w<<6)
		pos = runEnd(words, w<<6, start+b)
		if pos-start >= b {
			return start, true
		}
		w = (pos+63)>>6 + k - 1
	}
	return 0, false
}

// runStart returns where the run of ones around bit i begins, but not before low.
func runStart(words []uint64, low, i int) int {
	w := i >> 6
	zeros := ^words[w] & (1<<(i&63) - 1)
	for zeros == 0 {
		if w<<6 <= low {
			return low
		}
		w--
		zeros = ^words[w]
	}
	return max(low, w<<6+bits.Len64(zeros))
}

// runEnd returns where the run of ones from bit i on ends, or a bit at or after enough if the run
// reaches that far.
func runEnd(words []uint64, i, enough int) int {
	w := i >> 6
	zeros := ^words[w] & (^uint64(0) << (i & 63))
	for zeros == 0 {
		w++
		if w == len(words) || w<<6 >= enough {
			return w << 6
		}
		zeros = ^words[w]
	}
	return w<<6 + bits.TrailingZeros64(zeros)
}
