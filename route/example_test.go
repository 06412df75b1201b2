package route_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/route"
	"github.com/bookahead/bookahead/volume"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Data must go to one of two clusters. The near one is busy for long.
func Example() {
	const here, hub, near, far = 0, 1, 2, 3
	busy := bookahead.Offer{Interval: bookahead.Interval{End: 100}, Units: 4}
	n := must(route.New(4, []route.Link{
		{From: here, To: hub, Delay: 2},
		{From: hub, To: near, Delay: 1},
		{From: hub, To: far, Delay: 5},
	}, []route.Cluster{
		{Node: near, CPUs: 4, Speed: 1, Pool: must(carts.NewIndexed(4, carts.Config{Booked: []bookahead.Offer{busy}}))},
		{Node: far, CPUs: 4, Speed: 1, Pool: must(carts.NewIndexed(4, carts.Config{}))},
	}, route.Config{Slots: 1000}))

	task := route.Task{Source: here, Burst: 10, Work: 30, CPUs: 2}
	for range 2 {
		plan := must(n.Earliest(task))
		id := must(n.Commit(plan))
		fmt.Printf("#%d sends in %v over %v, runs on %d in %v\n", id, plan.Send, plan.Links, plan.Cluster, plan.Run)
	}
	// Output:
	// #1 sends in [0, 10) over [0 2], runs on 1 in [17, 47)
	// #2 sends in [10, 20) over [0 2], runs on 1 in [27, 57)
}

// A path with little delay and little loss, the greater of the two, each over its
// limit, being as small as can be.
func ExampleNetwork_SAMCRA() {
	n := must(route.New(3, []route.Link{
		{From: 0, To: 1, Weights: []float64{1, 8}},
		{From: 0, To: 2, Weights: []float64{2, 2}},
		{From: 2, To: 1, Weights: []float64{4, 1}},
	}, nil, route.Config{Weights: 2}))
	r := must(n.SAMCRA(route.Query{Source: 0, Servers: []route.Server{{Node: 1}}, Limits: []float64{10, 10}}))
	fmt.Println(r.Links, r.Weights)
	// Output: [1 2] [6 3]
}

// All paths that are worth a look, by delay and price, and a spare one that shares no node with the
// fastest.
func ExampleNetwork_Pareto() {
	names := []string{"Amsterdam", "Geneva", "Paris", "Frankfurt"}
	n := must(route.New(4, []route.Link{
		{From: 0, To: 2, Weights: []float64{5, 4}}, {From: 2, To: 1, Weights: []float64{4, 3}},
		{From: 0, To: 3, Weights: []float64{4, 9}}, {From: 3, To: 1, Weights: []float64{4, 2}},
		{From: 3, To: 2, Weights: []float64{1, 1}},
	}, nil, route.Config{Weights: 2, Nodes: names}))
	q := route.Query{Source: 0, Servers: []route.Server{{Node: 1}}}
	show := func(r route.Route) {
		fmt.Print(r.Weights)
		for _, v := range r.Nodes {
			fmt.Print(" ", n.NodeName(v))
		}
		fmt.Println()
	}
	var fastest route.Route
	for r, err := range n.Pareto(q) {
		if err != nil {
			log.Fatal(err)
		}
		if fastest.Nodes == nil {
			fastest = r
		}
		show(r)
	}
	q.Limits = []float64{20, 20}
	q.Avoid.Nodes = fastest.Nodes[1 : len(fastest.Nodes)-1]
	show(must(n.SAMCRA(q)))
	q.Limits = []float64{8, 20}
	_, err := n.SAMCRA(q)
	fmt.Println(err)
	// Output:
	// [8 11] Amsterdam Frankfurt Geneva
	// [9 7] Amsterdam Paris Geneva
	// [9 7] Amsterdam Paris Geneva
	// bookahead: no route within the limits
}

// A line and a cluster are schedules of a desk. The cluster opens at 8, and the line is booked until 5. A transfer and a
// computation are planned on copies of both, and booked as one booking.
func ExampleNetwork_Request() {
	d := must(desk.New(desk.Config{}))
	for _, c := range []desk.Command{
		desk.AddSchedule{Name: "line", Kind: desk.Pool{Units: 10}}, desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}},
		desk.SetTerms{On: "gpus", Terms: desk.Terms{Open: []bookahead.Interval{{Start: 8, End: 20}}}},
		desk.Book{Request: desk.Request{Deadline: 5, Shapes: []desk.Shape{{{On: "line", Units: 6, Duration: 5}}}}},
	} {
		must(d.Do(c))
	}
	day := bookahead.Interval{Start: 0, End: 24}
	n := must(route.New(2,
		[]route.Link{{Name: "line", From: 0, To: 1, Delay: 1, Units: 5, Schedule: must(d.Schedule("line", day))}},
		[]route.Cluster{{Name: "gpus", Node: 1, CPUs: 8, Speed: 1, Pool: must(d.Schedule("gpus", day))}},
		route.Config{Origin: d.Now(), Slots: 24}))

	plan := must(n.Earliest(route.Task{Source: 0, Burst: 2, Work: 6, CPUs: 5}))
	request := must(n.Request(plan))
	request.Owner = "ann"
	out := must(d.Do(desk.Book{Request: request}))
	fmt.Println(out.Booking)
	for _, p := range out.Booking.Places {
		fmt.Println(p)
	}
	_, err := d.Do(desk.Book{Request: request})
	fmt.Println(err)
	// Output:
	// #2 booked [5, 14)
	// 5 of "line" [5, 7)
	// 5 of "gpus" [8, 14)
	// bookahead: no capacity for the request
}

// A copy of 12 gigabytes goes from site to site. Each link carries 4 gigabytes an hour, and others have booked.
func ExampleNetwork_EarliestTransfer() {
	link := func(booked ...bookahead.Request) bookahead.Schedule {
		s := must(carts.NewIndexed(4, carts.Config{}))
		for _, r := range booked {
			must(s.Reserve(r))
		}
		return s
	}
	n := must(route.New(3, []route.Link{
		{Name: "Paris-Rome", From: 0, To: 2, Schedule: link(bookahead.At(0, 9, 3))},
		{Name: "Paris-Bern", From: 0, To: 1, Schedule: link(bookahead.At(2, 2, 2))},
		{Name: "Bern-Rome", From: 1, To: 2, Schedule: link(bookahead.At(0, 1, 4))},
	}, nil, route.Config{Nodes: []string{"Paris", "Bern", "Rome"}, Slots: 24}))
	p := must(n.EarliestTransfer(route.Transfer{From: 0, To: 2, Request: volume.Request{Volume: 12}}))
	for _, l := range p.Links {
		fmt.Println("over", n.Link(l).Name)
	}
	for _, s := range p.Send.Stretches {
		fmt.Println(s.Units, "in", s.Interval)
	}
	must(n.CommitTransfer(p))
	fmt.Println("arrives at", p.Arrival)
	// Output:
	// over Paris-Bern
	// over Bern-Rome
	// 4 in [1, 2)
	// 2 in [2, 4)
	// 4 in [4, 5)
	// arrives at 5
}
