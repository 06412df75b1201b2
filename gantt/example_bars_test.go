package gantt_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/idletree"
)

// Servers that lie side by side make one bar. A Name returns the text on a bar, and a
// key: bars with the same key look alike.
func ExampleServerBars() {
	servers := must(idletree.NewTree(6, idletree.Config{}))
	owner := map[bookahead.ID]string{1: "physics", 2: "biology"}
	booked := []bookahead.Reservation{
		must(servers.Reserve(bookahead.Request{Duration: 60, Units: 3, Servers: []int{0, 1, 4}})),
		must(servers.Reserve(bookahead.Request{Duration: 90, Units: 2, Servers: []int{2, 3}})),
	}
	bars := must(gantt.ServerBars(booked, func(r bookahead.Reservation) (label, key string) {
		return fmt.Sprintf("%s #%d", owner[r.ID], r.ID), owner[r.ID]
	}))
	for _, bar := range bars {
		fmt.Println("row", bar.Row, "and", bar.Rows-1, "more:", bar.Interval, bar.Label)
	}
	// Output:
	// row 0 and 1 more: [0, 60) physics #1
	// row 4 and 0 more: [0, 60) physics #1
	// row 2 and 1 more: [0, 90) biology #2
}
