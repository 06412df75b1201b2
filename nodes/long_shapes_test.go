package nodes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
)

// shape is the size of the machine of a long run, its load, and the operations on it. A pair is the least
// and the most.
type shape struct {
	name     string
	nodes    [2]int
	wide     [2]int // resources
	horizon  [2]int
	duration [2]int
	tasks    [2]int
	live     int  // reservations, about so many: with more of them, more are released
	large    bool // amounts up to MaxAmount
	mixed    bool // nodes differ
	length   int  // operations
	mix      mix
}

// mix says how often each operation is drawn, among all of them.
type mix struct {
	reserve, search, release, rebook, offer, advance, clone, change, displace, reread, list int
}

// usual is a mix of all operations, and busy is a mix of mostly bookings.
var (
	usual = mix{reserve: 40, search: 12, release: 16, rebook: 12, offer: 8, advance: 5, clone: 3, change: 6, displace: 1, reread: 2, list: 5}
	busy  = mix{reserve: 60, search: 15, release: 10, rebook: 6, offer: 4, advance: 2, clone: 1, change: 2, reread: 1, list: 2}
	still = mix{reserve: 40, search: 30, release: 35, rebook: 5, offer: 4, clone: 2, change: 4, displace: 3} // the clock stands
)

// shapes are the long runs, in turn.
var shapes = []shape{
	{name: "small", nodes: [2]int{1, 6}, wide: [2]int{1, 4}, horizon: [2]int{8, 40}, duration: [2]int{1, 12}, tasks: [2]int{1, 6}, live: 15, mixed: true, length: 400, mix: usual},
	{name: "dense", nodes: [2]int{3, 8}, wide: [2]int{1, 3}, horizon: [2]int{200, 300}, duration: [2]int{1, 20}, tasks: [2]int{1, 4}, live: 400, length: 1500, mix: busy},
	{name: "repeats", nodes: [2]int{2, 12}, wide: [2]int{1, 2}, horizon: [2]int{40, 120}, duration: [2]int{4, 20}, tasks: [2]int{1, 10}, live: 80, mixed: true, length: 1000, mix: still},
	{name: "sparse", nodes: [2]int{20, 40}, wide: [2]int{2, 4}, horizon: [2]int{100, 250}, duration: [2]int{1, 60}, tasks: [2]int{1, 25}, live: 25, large: true, mixed: true, length: 300, mix: usual},
	{name: "words", nodes: [2]int{62, 70}, wide: [2]int{1, 4}, horizon: [2]int{60, 150}, duration: [2]int{1, 30}, tasks: [2]int{1, 120}, live: 150, large: true, mixed: true, length: 400, mix: usual},
	{name: "full", nodes: [2]int{63, 70}, wide: [2]int{2, 2}, horizon: [2]int{250, 300}, duration: [2]int{5, 60}, tasks: [2]int{1, 12}, live: 700, length: 1200, mix: busy},
}

// within draws a number from a pair.
func within(rng *rand.Rand, pair [2]int) int { return pair[0] + rng.IntN(pair[1]-pair[0]+1) }

// units returns the unit of each resource, so that amounts have few units and differ all the same.
func (s shape) units(rng *rand.Rand) Vector {
	v := make(Vector, within(rng, s.wide))
	for r := range v {
		v[r] = 1
		if s.large {
			v[r] = 1 << []int{0, 3, 20, 40, 44}[rng.IntN(5)]
		}
	}
	return v
}

// amount draws so many units, and a little less sometimes.
func amount(rng *rand.Rand, unit int64, n int) int64 {
	a := unit * int64(n)
	if n > 1 && unit > 1 && rng.IntN(3) == 0 {
		a -= rng.Int64N(unit)
	}
	return a
}

// config draws a machine: nodes that are alike or not, racks of different sizes in rows, some nodes in
// no rack, and two sets.
func (s shape) config(rng *rand.Rand, unit Vector) (Config, string) {
	c := Config{Resources: []string{"gpus", "cores", "bytes", "ports"}[:len(unit)]}
	same := make(Vector, len(unit))
	for r, u := range unit {
		same[r] = u * int64(4+rng.IntN(13))
	}
	n := within(rng, s.nodes)
	for range n {
		v := slices.Clone(same)
		if s.mixed && rng.IntN(3) == 0 {
			for r, u := range unit {
				v[r] = amount(rng, u, rng.IntN(17))
			}
		}
		c.Nodes = append(c.Nodes, v)
	}
	racks, rows := Level{Name: "rack"}, Level{Name: "row"}
	order := seq(n)
	if rng.IntN(2) == 0 {
		order = rng.Perm(n)
	}
	for rest := order[rng.IntN(1+n/8):]; len(rest) > 0; {
		size := min(len(rest), 1+rng.IntN(max(2, n/3)))
		racks.Groups = append(racks.Groups, rest[:size])
		rest = rest[size:]
	}
	for g := 0; g < len(racks.Groups); g += 2 {
		rows.Groups = append(rows.Groups, slices.Concat(racks.Groups[g:min(g+2, len(racks.Groups))]...))
	}
	c.Levels = []Level{racks, rows}
	c.Sets = map[string][]int{"few": order[:n/2], "some": order[n/4:]}
	c.Horizon = bookahead.Duration(within(rng, s.horizon))
	c.Origin = []bookahead.Time{0, 7, bookahead.MaxTime / 2}[rng.IntN(3)]
	deal := []string{"lowest", "best", "fewest", "spread", "own"}[rng.IntN(5)]
	c.Policy = policies[deal]
	return c, deal
}

// tally sums up the long runs of one shape.
type tally struct {
	ops, found, late, most int
	took                   time.Duration
}

func (y *tally) add(l *long, took time.Duration) {
	y.ops, y.found, y.late, y.most, y.took = y.ops+l.ops, y.found+l.found, y.late+l.late, max(y.most, l.most), y.took+took
}

func (y tally) String() string {
	return fmt.Sprintf("%d operations, %d booked, %d of them late; up to %d live; %.0f µs each",
		y.ops, y.found, y.late, y.most, float64(y.took.Microseconds())/float64(y.ops))
}
