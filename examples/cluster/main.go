// Cluster is a GPU cluster of three racks, as a batch scheduler sees it: a job on whole nodes, a gang
// that must lie in one rack, the question where the next large job fits, a rack that is drained, and
// a node that fails. A tick is a minute.
package main

import (
	"cmp"
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

const (
	hour = 60
	gib  = 1 << 30
)

func main() {
	m := must(nodes.New(cluster()))

	// Twelve whole nodes for a day, in as few racks as possible.
	training := must(m.Reserve(nodes.Request{Duration: 24 * hour, Tasks: 12, Each: gpus(8), Together: "rack"}))
	show("training", training)

	// A gang: seven tasks start together, in one rack. Their head needs no GPU, and fits in beside them.
	gang := must(m.Reserve(nodes.Request{Duration: 6 * hour, Tasks: 7, Each: gpus(4), Within: "rack", Head: nodes.Vector{0, 2, 4 * gib}}))
	show("gang", gang)

	// Eight notebooks, wherever a GPU is left on the fullest nodes.
	notebooks := must(m.Reserve(nodes.Request{Duration: 10 * hour, Tasks: 8, Each: gpus(1)}))
	show("notebooks", notebooks)

	// Where is the first place for 64 GPUs on 8 nodes of one rack? A search books nothing.
	large := nodes.Request{Duration: 12 * hour, Tasks: 8, Each: gpus(8), PerNode: 1, Within: "rack"}
	place := must(m.Search(large))
	fmt.Printf("64 GPUs: %s\n", where(place))

	// Rack 1 gets new cables. The closure throws nobody out: Displace finds other places. The
	// least important reservations go first, and the most important ones choose first. Each is placed by the
	// request that it was booked by: the gang stays in one rack.
	rank := map[bookahead.ID]int{notebooks.ID: 1, gang.ID: 2, training.ID: 3}
	rules := nodes.Force{Order: func(a, b nodes.Reservation) int { return cmp.Compare(rank[a.ID], rank[b.ID]) }}
	rack := cluster().Levels[0].Groups[1]
	must(m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 4 * hour, End: 8 * hour}, Servers: rack}))
	fmt.Println("rack 1 is drained from 4:00 to 8:00")
	report(must(m.Displace(rules)))

	// At 5:00 node 3 fails, until further notice. A job that was on it runs elsewhere for the rest
	// of its time.
	check(m.Advance(5 * hour))
	failure := must(m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 5 * hour, End: bookahead.MaxTime}, Servers: []int{3}}))
	fmt.Println("node 3 fails at 5:00")
	report(must(m.Displace(rules)))

	// The node is repaired at 9:00.
	check(m.EndClosure(failure.ID, 9*hour))
	place = must(m.Search(large))
	fmt.Printf("64 GPUs: %s\n", where(place))
}

// cluster has three racks of eight nodes, and eight GPUs, 64 cores and 512 GiB in each node.
func cluster() nodes.Config {
	c := nodes.Config{Resources: []string{"gpus", "cores", "bytes"}, Policy: nodes.BestFit()}
	rack := nodes.Level{Name: "rack", Groups: make([][]int, 3)}
	for k := range 24 {
		c.Nodes = append(c.Nodes, gpus(8))
		rack.Groups[k/8] = append(rack.Groups[k/8], k)
	}
	c.Levels = []nodes.Level{rack}
	return c
}

// gpus is a task's share of a node: so many GPUs, and for each of them 8 cores and 64 GiB.
func gpus(n int64) nodes.Vector { return nodes.Vector{n, 8 * n, n * 64 * gib} }

func show(name string, r nodes.Reservation) { fmt.Printf("#%d %s: %s\n", r.ID, name, where(r.Offer)) }

// report says who has moved where, and who is not booked any more.
func report(d nodes.Displacement) {
	for _, move := range d.Moved {
		fmt.Printf("  #%d moves: %s\n", move.To.ID, where(move.To.Offer))
	}
	for _, r := range d.Dropped {
		fmt.Printf("  #%d finds no place\n", r.ID)
	}
}

// where formats an offer as "0:00 to 6:00, 2 on 8-10, 1 on 11".
func where(o nodes.Offer) string {
	text := fmt.Sprintf("%s to %s", clock(o.Start), clock(o.End))
	for rest := o.Tasks; len(rest) > 0; {
		n := 1 // nodes side by side that get as many tasks
		for n < len(rest) && rest[n] == (nodes.Share{Node: rest[0].Node + n, Tasks: rest[0].Tasks}) {
			n++
		}
		text += fmt.Sprintf(", %d on %d", rest[0].Tasks, rest[0].Node)
		if n > 1 {
			text += fmt.Sprintf("-%d", rest[n-1].Node)
		}
		rest = rest[n:]
	}
	return text
}

func clock(t bookahead.Time) string { return fmt.Sprintf("%d:%02d", t/hour, t%hour) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
