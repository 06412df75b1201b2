package avail

import "pgregory.net/rapid"

// cells is the oracle: a bool for each slot, as simple as possible.
type cells []bool

func (c cells) String() string {
	s := ""
	for _, one := range c {
		if one {
			s += "1"
		} else {
			s += "0"
		}
	}
	return s
}

func (c cells) fill(from, to int, one bool) {
	for i := from; i < to; i++ {
		c[i] = one
	}
}

func (c cells) starts(i, b int) bool {
	if b < 1 || i+b > len(c) {
		return false
	}
	for _, one := range c[i : i+b] {
		if !one {
			return false
		}
	}
	return true
}

func (c cells) nextRun(from, b int) (int, bool) {
	for i := from; i < len(c); i++ {
		if c.starts(i, b) {
			return i, true
		}
	}
	return 0, false
}

func (c cells) compose(o cells, delay int) cells {
	out := make(cells, len(c))
	for i := range c {
		out[i] = c[i] && i+delay < len(o) && o[i+delay]
	}
	return out
}

func (c cells) covers(o cells) bool {
	for i := range o {
		if o[i] && !c[i] {
			return false
		}
	}
	return true
}

func (c cells) weight() int {
	n := 0
	for _, one := range c {
		if one {
			n++
		}
	}
	return n
}

func (c cells) all() []Run {
	var runs []Run
	for i := 0; i < len(c); i++ {
		if start := i; c[i] {
			for i < len(c) && c[i] {
				i++
			}
			runs = append(runs, Run{start, i})
		}
	}
	return runs
}

func (c cells) vector() *Vector {
	v := newVector(len(c))
	for i, one := range c {
		if one {
			v.set.Set(uint(i))
		}
	}
	return v
}

func (c cells) list() *Runs { return &Runs{n: len(c), runs: c.all()} }

// lengths are the lengths at which words, lanes and the branches of NextRun end.
var lengths = rapid.OneOf(
	rapid.IntRange(0, 70),
	rapid.IntRange(0, 600),
	rapid.SampledFrom([]int{0, 63, 64, 65, 128, 191, 192, 193, 256, 320, 512, 1000, 1024}))

// stretches are lengths of runs and gaps, among them the lengths at which NextRun changes its
// branch.
var stretches = rapid.OneOf(
	rapid.IntRange(1, 3),
	rapid.IntRange(1, 40),
	rapid.SampledFrom([]int{15, 16, 17, 30, 31, 32, 33, 62, 63, 64, 65, 126, 127, 128, 129, 190, 191, 192, 255, 300}))

// drawCells draws n slots, as runs and gaps in turn.
func drawCells(t *rapid.T, n int, label string) cells {
	c := make(cells, n)
	one := rapid.Bool().Draw(t, label+" starts with")
	for i := 0; i < n; one = !one {
		l := 1
		if one || rapid.Bool().Draw(t, "wide gap") {
			l = stretches.Draw(t, label)
		}
		c.fill(i, min(i+l, n), one)
		i += l
	}
	return c
}

// drawRun draws a length to look for: the length of a run, one more or less, or any length, also
// one that makes no sense.
func drawRun(t *rapid.T, n int) int {
	return rapid.OneOf(stretches, rapid.IntRange(-1, n+2)).Draw(t, "b")
}
