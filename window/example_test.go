package window_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/window"
)

// A job needs two of three nodes, for at most 60, and as far as it can be from other
// bookings.
func Example() {
	schedule, _ := idletree.NewTree(3, idletree.Config{Horizon: 100})
	schedule.Reserve(bookahead.Request{Ready: 40, Deadline: 50, Duration: 10, Units: 1, Servers: []int{0}})
	schedule.Reserve(bookahead.Request{Ready: 0, Deadline: 30, Duration: 30, Units: 1, Servers: []int{1}})

	slots, _ := window.Slots(schedule, bookahead.Interval{Start: 0, End: 100})
	nodes := []window.Node{
		{Performance: 2, Price: 1},
		{Performance: 3, Price: 2},
		{Performance: 4, Price: 4},
	}
	environment, err := window.New(nodes, slots)
	if err != nil {
		fmt.Println(err)
		return
	}
	job := window.Job{Nodes: 2, Volume: 40, Budget: 60}
	best, err := window.ExactPlacement(environment, job, window.Near)
	if err != nil {
		fmt.Println(err)
		return
	}
	near, _ := environment.Distances(best.Window)
	fmt.Println(best.Interval, "costs", best.Cost, "distance", near, "proven", best.Proven())

	booked, err := environment.Commit(schedule, best.Window)
	fmt.Println(booked, err)
	// Output:
	// [55, 75) costs 60 distance 15 proven true
	// [#3 [55, 75) [0 1]] <nil>
}

// Two of three nodes are cheaper from 22 to 6 o'clock. A job of 4 hours on two nodes can pay
// 20: it can begin at 21 o'clock, and is cheapest at night.
func ExampleRate() {
	tariff := []window.Rate{{From: 6, Price: 4}, {From: 22, Price: 2}}
	nodes := []window.Node{
		{Performance: 1, Price: 2, Tariff: tariff},
		{Performance: 1, Price: 2, Tariff: tariff},
		{Performance: 1, Price: 3},
	}
	day := bookahead.Interval{Start: 8, End: 30}
	environment, err := window.New(nodes, []window.Slot{{Node: 0, Interval: day}, {Node: 1, Interval: day}, {Node: 2, Interval: day}})
	if err != nil {
		fmt.Println(err)
		return
	}
	job := window.Job{Nodes: 2, Volume: 4, Budget: 20}
	for _, criterion := range []window.Criterion{window.EarliestStart, window.Cheapest} {
		best, err := window.ExactPlacement(environment, job, criterion)
		fmt.Println(criterion.Name, best.Interval, "costs", best.Cost, err)
	}
	// Output:
	// start [21, 25) costs 20 <nil>
	// cost [22, 26) costs 16 <nil>
}

// A job needs 4 GPUs on each of two nodes, and can pay 60. Node 0 is the cheapest, but booked until 30.
func ExampleMachineSlots() {
	machine, _ := nodes.New(nodes.Config{Horizon: 100, Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{8, 64}, {8, 64}, {4, 32}}})
	machine.Reserve(nodes.Request{Duration: 30, Tasks: 1, Each: nodes.Vector{6, 10}, Nodes: []int{0}})

	task := nodes.Vector{4, 16}
	slots, _ := window.MachineSlots(machine, task, bookahead.Interval{Start: 0, End: 100})
	prices := []window.Node{
		{Performance: 2, Price: 1},
		{Performance: 2, Price: 2},
		{Performance: 4, Price: 4},
	}
	environment, err := window.New(prices, slots)
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := window.Exact(environment, window.Job{Nodes: 2, Volume: 40, Budget: 60}, window.EarliestStart)
	if err != nil {
		fmt.Println(err)
		return
	}
	booked, err := environment.MachineCommit(machine, task, best.Window)
	fmt.Println(booked, err, "costs", best.Cost)
	// Output:
	// [#2 [30, 50) 1 on 0, 1 on 1] <nil> costs 60
}

// A desk of three servers opens at 8, and one server is booked until 12. A job needs two servers for 6 hours, in one
// booking. Meanwhile server 2 has become dearer: the caller looks again before the desk is asked.
func ExampleEnvironment_Request() {
	d, _ := desk.New(desk.Config{})
	d.Do(desk.AddSchedule{Name: "lab", Kind: desk.Servers{Count: 3}})
	d.Do(desk.SetTerms{On: "lab", Terms: desk.Terms{Open: []bookahead.Interval{{Start: 8, End: 20}}}})
	d.Do(desk.Book{Request: desk.Request{Ready: 8, Shapes: []desk.Shape{{{On: "lab", Units: 1, Duration: 4, Servers: []int{1}}}}}})

	day := bookahead.Interval{Start: 0, End: 24}
	copied, _ := d.Schedule("lab", day)
	slots, _ := window.Slots(copied, day)
	nodes := []window.Node{{Performance: 1, Price: 2}, {Performance: 1, Price: 2}, {Performance: 1, Price: 1}}
	job := window.Job{Nodes: 2, Volume: 6, Budget: 30}
	for range 2 {
		environment, err := window.New(nodes, slots)
		if err != nil {
			fmt.Println(err)
			return
		}
		best, _ := window.Exact(environment, job, window.Cheapest)
		nodes[2].Price = 3
		prices, _ := window.New(nodes, nil)
		request, err := prices.Request("lab", best.Window)
		if err != nil {
			fmt.Println(err)
			continue
		}
		request.Owner = "ann"
		out, err := d.Do(desk.Book{Request: request})
		fmt.Println(out.Booking, out.Booking.Places, err)
	}
	// Output:
	// window: the price has risen: the tasks cost 30 now, which is more than Window.Cost 18
	// #2 booked [12, 18) [2 of "lab" [12, 18) on [0 1]] <nil>
}
