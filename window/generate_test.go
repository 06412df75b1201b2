package window

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// drawEnvironment draws an environment of up to so many nodes; prices are whole,
// or not. Many numbers are alike, so that ties occur.
func drawEnvironment(t *rapid.T, most int, whole bool) *Environment {
	n := rapid.IntRange(1, most).Draw(t, "nodes")
	var nodes []Node
	var slots []Slot
	tariffs := rapid.IntRange(0, 2).Draw(t, "tariffs") == 0
	for i := range n {
		price := float64(rapid.IntRange(0, 6).Draw(t, "price"))
		quality := float64(rapid.IntRange(-2, 6).Draw(t, "quality"))
		if !whole {
			price += float64(rapid.IntRange(0, 1000).Draw(t, "part of price")) / 1000
			quality += float64(rapid.IntRange(0, 1000).Draw(t, "part of quality")) / 1000
		}
		node := Node{Performance: rapid.SampledFrom([]float64{1, 1.5, 2, 3, 0.7}).Draw(t, "performance"), Price: price, Quality: quality}
		for from := bookahead.Time(0); tariffs && rapid.Bool().Draw(t, "rate"); {
			from += bookahead.Time(rapid.IntRange(1, 9).Draw(t, "from"))
			node.Tariff = append(node.Tariff, Rate{from, max(0, price+float64(rapid.IntRange(-3, 4).Draw(t, "rate's price")))})
		}
		nodes = append(nodes, node)
		at := bookahead.Time(0)
		for range rapid.IntRange(1, 3).Draw(t, "slots") {
			at += bookahead.Time(rapid.IntRange(0, 5).Draw(t, "gap"))
			end := at + bookahead.Time(rapid.IntRange(1, 20).Draw(t, "length"))
			slots = append(slots, Slot{i, bookahead.Interval{Start: at, End: end}})
			at = end
		}
	}
	slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
	e, err := New(nodes, slots)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// drawJob draws a job for it.
func drawJob(t *rapid.T, e *Environment) Job {
	j := Job{
		Nodes:  rapid.IntRange(1, min(5, e.Nodes())).Draw(t, "n"),
		Volume: rapid.SampledFrom([]float64{1, 2.1, 6, 10}).Draw(t, "volume"),
		Budget: rapid.SampledFrom([]float64{1, 10, 30, 60, 100, 400}).Draw(t, "budget"),
		Shape:  rapid.SampledFrom([]Shape{Square, Rough, Tight}).Draw(t, "shape"),
	}
	if rapid.Bool().Draw(t, "bounded") {
		j.Ready = bookahead.Time(rapid.IntRange(-1, 8).Draw(t, "ready"))
		j.Deadline = max(j.Ready, 0) + bookahead.Time(rapid.IntRange(5, 30).Draw(t, "deadline"))
		j.MinPerformance = rapid.SampledFrom([]float64{0, 1.5, 2}).Draw(t, "least performance")
	}
	return j
}

// wave is a criterion that says nothing of its bounds.
var wave = Criterion{Name: "wave", Value: func(n Node, s Slot, start bookahead.Time, length bookahead.Duration) float64 {
	return n.Quality * float64((start*7+s.Start*3+bookahead.Time(length))%5)
}}

var criteria = []Criterion{Quality, Near, Far, EarliestStart, EarliestFinish, Shortest, Cheapest, wave}

// TestMain makes properties run more often than rapid does, unless told otherwise.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "1500"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
