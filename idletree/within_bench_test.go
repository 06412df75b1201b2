package idletree

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bookahead/bookahead"
)

// racked returns a tree of racks with a backlog, and the racks: requests for up to half a rack are
// placed in any one rack, until one begins behind the end.
func racked(b *testing.B, racks, each int, end bookahead.Time) (*Tree, [][]int) {
	x, err := NewTree(int64(racks*each), Config{})
	if err != nil {
		b.Fatal(err)
	}
	groups := make([][]int, racks)
	for k := range racks * each {
		groups[k/each] = append(groups[k/each], k)
	}
	v, err := x.Within(Layout{Groups: groups})
	if err != nil {
		b.Fatal(err)
	}
	v.Track(true)
	defer v.Track(false)
	rng := rand.New(rand.NewPCG(1, 2))
	for {
		r := bookahead.Request{Duration: bookahead.Duration(10 + rng.IntN(490)), Units: 1 + rng.Int64N(int64(each)/2)}
		res, err := v.Reserve(r)
		if err != nil {
			b.Fatal(err)
		}
		if res.Start > end {
			return x, groups
		}
	}
}

// BenchmarkWithin asks for 64 servers of any one rack of 160, somewhere in a backlog: through a view, and
// by a search for each rack with named servers. Both find the same start.
func BenchmarkWithin(b *testing.B) {
	const racks, each, units, backlog = 100, 160, 64, 30_000
	if testing.Short() {
		b.Skip("16 000 servers")
	}
	x, groups := racked(b, racks, each, backlog)
	v, err := x.Within(Layout{Groups: groups})
	if err != nil {
		b.Fatal(err)
	}
	tracked, err := x.Within(Layout{Groups: groups})
	if err != nil {
		b.Fatal(err)
	}
	tracked.Track(true)
	adjacent, err := x.Within(Layout{Adjacent: true})
	if err != nil {
		b.Fatal(err)
	}
	seats, err := x.Within(Layout{Groups: groups, Adjacent: true})
	if err != nil {
		b.Fatal(err)
	}
	request := func(rng *rand.Rand) bookahead.Request {
		return bookahead.Request{Ready: bookahead.Time(rng.IntN(backlog)), Duration: bookahead.Duration(10 + rng.IntN(490)), Units: units}
	}
	name := fmt.Sprintf("impl=idletree.Tree/racks=%d/servers=%d/units=%d/backlog=%d", racks, racks*each, units, backlog)
	for _, view := range []struct {
		name string
		s    bookahead.Schedule
	}{{"any-rack", v}, {"any-rack-tracked", tracked}, {"adjacent", adjacent}, {"adjacent-in-a-rack", seats}} {
		b.Run("op=search-"+view.name+"/"+name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, 4))
			for b.Loop() {
				if _, err := view.s.Search(request(rng)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("op=search-each-rack/"+name, func(b *testing.B) {
		rng := rand.New(rand.NewPCG(3, 4))
		for b.Loop() {
			r, first := request(rng), bookahead.MaxTime
			for _, r.Servers = range groups {
				o, err := x.Search(r)
				if err != nil {
					b.Fatal(err)
				}
				first = min(first, o.Start)
			}
			b.StopTimer()
			r.Servers = nil
			want, err := tracked.Search(r)
			if err != nil || first != want.Start {
				b.Fatalf("the racks have %d, all at once %v, %v", first, want.Start, err)
			}
			b.StartTimer()
		}
	})
}
