// Quickstart is the life of a schedule: look, book, ask why not, change, cancel, and
// let time pass. A tick is a minute.
package main

import (
	"errors"
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

func main() {
	// Eight GPUs, which can be booked a day ahead.
	gpus, err := carts.NewIndexed(8, carts.Config{Horizon: 24 * 60})
	check(err)

	// Six of them for two hours from minute 60 on: a fixed request.
	training, err := gpus.Reserve(bookahead.At(60, 120, 6))
	check(err)
	fmt.Println("training:", training)

	// Four for an hour, as early as may be. Search books nothing.
	flexible := bookahead.Request{Ready: 30, Duration: 60, Units: 4}
	offer, err := gpus.Search(flexible)
	check(err)
	fmt.Println("four for an hour:", offer)

	// By minute 120? That they are not free is no error, but an answer.
	urgent := flexible
	urgent.Deadline = 120
	if _, err := gpus.Reserve(urgent); errors.Is(err, bookahead.ErrUnavailable) {
		why, err := bookahead.Explain(gpus, urgent)
		check(err)
		fmt.Println("by minute 120:", why)
	}

	// The training gives two GPUs back, which is enough.
	training, err = gpus.Rebook(training.ID, bookahead.At(60, 120, 4))
	check(err)
	urgently, err := gpus.Reserve(urgent)
	check(err)
	fmt.Println("after that:", urgently)

	// Minute 70: the past is forgotten, and the training is broken off.
	check(gpus.Advance(70))
	check(gpus.Release(training.ID))
	for r := range gpus.Reservations(gpus.Frame().Window()) {
		fmt.Println("still booked:", r)
	}
	free, err := gpus.RangeQuery(bookahead.Interval{Start: 70, End: 180})
	check(err)
	fmt.Println("free until minute 180:", free.Free)

	// Faults name the field and the value, and change nothing.
	_, err = gpus.Reserve(bookahead.Request{Ready: 100, Duration: 60, Units: -9})
	fmt.Println(err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
