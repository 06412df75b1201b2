// Cosites runs one simulation on two sites at once: the sites' nodes and the line
// between them are needed at the same time, the data comes in before, and the result
// goes to an archive afterwards. All of it is booked, or nothing. A tick is a minute.
package main

import (
	"errors"
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/idletree"
)

func main() {
	north := must(idletree.NewTree(16, idletree.Config{Prefer: idletree.LowestIndex}))
	south := must(carts.NewIndexed(64, carts.Config{}))
	line := must(carts.NewIndexed(40, carts.Config{})) // Gb/s
	archive := must(carts.NewIndexed(4, carts.Config{}))

	// The bookings of others.
	must(north.Reserve(bookahead.Request{Ready: 0, Duration: 90, Units: 10}))
	must(south.Reserve(bookahead.Request{Ready: 120, Duration: 45, Units: 50}))
	must(line.Reserve(bookahead.Request{Ready: 100, Duration: 30, Units: 35}))

	const stageIn, run, stageOut = 20, 60, 15
	simulation := grid.Job{Deadline: 8 * 60, Parts: []grid.Part{
		{On: line, Duration: stageIn, Units: 30},
		{On: north, Offset: stageIn, Duration: run, Units: 8},
		{On: south, Offset: stageIn, Duration: run, Units: 32},
		{On: line, Offset: stageIn, Duration: run, Units: 10},
		{On: line, Offset: stageIn + run, Duration: stageOut, Units: 40},
		{On: archive, Offset: stageIn + run, Duration: stageOut, Units: 1},
	}}
	names := []string{"stage in", "north", "south", "line", "stage out", "archive"}

	// Each part alone could start earlier.
	for i, p := range simulation.Parts {
		alone := must(grid.CoSearch(grid.Job{Parts: []grid.Part{p}}))
		fmt.Printf("%-9s alone from %d\n", names[i], alone.Parts[0].Start)
	}
	booked := must(grid.CoAllocate(simulation))
	fmt.Println("together from", booked.Start)
	for i, part := range booked.Parts {
		fmt.Printf("%-9s %v\n", names[i], part)
	}

	// A second simulation has no place within five hours: the error leaves nothing booked.
	simulation.Deadline = 5 * 60
	_, err := grid.CoAllocate(simulation)
	fmt.Println("another by 300:", err, errors.Is(err, bookahead.ErrUnavailable))
	simulation.Deadline = 0
	fmt.Println("another, if it may wait:", must(grid.CoAllocate(simulation)).Start)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
