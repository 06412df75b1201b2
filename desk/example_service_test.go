package desk_test

import (
	"bytes"
	"fmt"
	"io"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// service is a booking service for a GPU cluster, without its network. A tick is an hour.
type service struct{ desk *desk.Desk }

// start starts a service: from the snapshot that another has saved, or anew.
func start(snapshot io.Reader) *service {
	config := desk.Config{Keep: 7 * 24}
	if snapshot != nil {
		d, err := desk.Read(snapshot, config)
		if err != nil {
			log.Fatal(err)
		}
		return &service{d}
	}
	d, err := desk.New(config)
	if err != nil {
		log.Fatal(err)
	}
	s := &service{d}
	s.do(desk.AddSchedule{Name: "line", Kind: desk.Pool{Units: 10}})
	s.do(desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}})
	return s
}

// save writes a snapshot. It may run beside queries and commands. A service that must not lose a command in
// a crash has a desk.Log besides.
func (s *service) save() *bytes.Buffer {
	var file bytes.Buffer
	_, err := s.desk.WriteTo(&file)
	if err != nil {
		log.Fatal(err)
	}
	return &file
}

// do carries out a command that has to succeed.
func (s *service) do(c desk.Command) desk.Outcome {
	out, err := s.desk.Do(c)
	if err != nil {
		log.Fatal(err)
	}
	return out
}

// book is asked by a user, who may ask again with the same key after a lost answer.
func (s *service) book(key, owner string, priority, gpus int64, hours bookahead.Duration) desk.Booking {
	shape := desk.Shape{
		{On: "line", Units: 10, Duration: 1},
		{On: "gpus", Units: gpus, Duration: hours, After: &desk.Gap{Most: 4}},
	}
	out := s.do(desk.Book{Key: key, Request: desk.Request{Owner: owner, Ready: 10, Priority: priority, Shapes: []desk.Shape{shape}}})
	fmt.Println(owner, "has", out.Booking, "with data at", out.Booking.Places[0].Interval)
	return out.Booking
}

// longer is asked by a user whose job needs more time. All parts are placed anew.
func (s *service) longer(b desk.Booking, hours bookahead.Duration) {
	to := b.Request
	shape := append(desk.Shape(nil), b.Shapes[b.Shape]...) // a Booking's slices are the desk's
	shape[1].Duration = hours
	to.Shapes = []desk.Shape{shape}
	out, err := s.desk.Do(desk.Change{ID: b.ID, To: to})
	if err != nil {
		fmt.Println(b.Owner, "keeps", b, "as", err)
		return
	}
	fmt.Println(out.Booking.Owner, "now has", out.Booking)
}

// maintain closes GPUs, and notifies those who had to move. Others stay where they are.
func (s *service) maintain(w bookahead.Interval, gpus int64) {
	out := s.do(desk.Close{On: "gpus", Interval: w, Units: gpus, Title: "new fans", Force: desk.Anybody})
	for _, e := range out.Events {
		switch e.What {
		case desk.WasMoved:
			fmt.Printf("to %s: #%d moves from %v to %v\n", e.Owner, e.Booking, e.From, e.To)
		case desk.WasDisplaced:
			fmt.Printf("to %s: #%d has lost its place\n", e.Owner, e.Booking)
		}
	}
}

// A service books, changes, closes GPUs for repairs, notifies those who have to move, and restarts.
func Example_service() {
	s := start(nil)
	ann := s.book("k1", "ann", 2, 5, 5)
	s.book("k2", "bob", 1, 3, 3)
	s.book("k2", "bob", 1, 3, 3) // the answer was lost
	s.longer(ann, 8)
	s.maintain(bookahead.Interval{Start: 12, End: 20}, 3)

	s = start(s.save()) // a restart
	out := s.do(desk.Advance{Now: 11})
	fmt.Println(out.Events[0].What, out.Events[0].Owner)
	s.book("k2", "bob", 1, 3, 3)
	s.book("k3", "cho", 1, 2, 2)
	// Output:
	// ann has #1 booked [10, 16) with data at [10, 11)
	// bob has #2 booked [11, 15) with data at [11, 12)
	// bob has #2 booked [11, 15) with data at [11, 12)
	// ann now has #1 booked [10, 19)
	// to bob: #2 moves from [11, 15) to [14, 22)
	// started ann
	// bob has #2 booked [14, 22) with data at [14, 15)
	// cho has #3 booked [15, 21) with data at [15, 16)
}
