package desk_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// service is a booking service for a GPU cluster, without its network. A tick is an hour.
type service struct {
	desk *desk.Desk
	kept []desk.Entry // a file, in a service that runs for long
}

// open starts a service, from the entries that another has kept.
func open(kept []desk.Entry) *service {
	d, err := desk.New(desk.Config{Keep: 7 * 24})
	if err != nil {
		log.Fatal(err)
	}
	s := &service{desk: d}
	for _, e := range kept {
		s.apply(e)
	}
	return s
}

// do keeps the decision before it is applied, so that a restart loses no booking that was promised.
func (s *service) do(c desk.Command) (desk.Outcome, error) {
	e, err := s.desk.Decide(c)
	if err != nil {
		return desk.Outcome{}, err
	}
	return s.apply(e), nil
}

// apply carries an entry out. The number is 0 if the key is known: then nothing has changed.
func (s *service) apply(e desk.Entry) desk.Outcome {
	out, err := s.desk.Apply(e)
	if err != nil {
		log.Fatal(err)
	}
	if e.Number != 0 {
		s.kept = append(s.kept, e)
	}
	return out
}

// book is asked by a user, who may ask again with the same key after a lost answer.
func (s *service) book(key, owner string, priority, gpus int64, hours bookahead.Duration) desk.Booking {
	shape := desk.Shape{
		{On: "line", Units: 10, Duration: 1},
		{On: "gpus", Units: gpus, Duration: hours, After: &desk.Gap{Most: 4}},
	}
	out, err := s.do(desk.Book{Key: key, Request: desk.Request{Owner: owner, Ready: 10, Priority: priority, Shapes: []desk.Shape{shape}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(owner, "has", out.Booking, "with data at", out.Booking.Places[0].Interval)
	return out.Booking
}

// longer is asked by a user whose job needs more time. All parts are placed anew.
func (s *service) longer(b desk.Booking, hours bookahead.Duration) {
	to := b.Request
	shape := append(desk.Shape(nil), b.Shapes[b.Shape]...) // a Booking's slices are the desk's
	shape[1].Duration = hours
	to.Shapes = []desk.Shape{shape}
	out, err := s.do(desk.Change{ID: b.ID, To: to})
	if errors.Is(err, bookahead.ErrUnavailable) {
		fmt.Println("no place for it, and nothing has changed")
		return
	}
	fmt.Println(out.Booking.Owner, "now has", out.Booking)
}

// maintain closes GPUs, and notifies those who had to move. Others stay where they are.
func (s *service) maintain(w bookahead.Interval, gpus int64) {
	out, err := s.do(desk.Close{On: "gpus", Interval: w, Units: gpus, Title: "new fans", Force: desk.Anybody})
	if err != nil {
		log.Fatal(err)
	}
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
	s := open(nil)
	_, _ = s.do(desk.AddSchedule{Name: "line", Kind: desk.Pool{Units: 10}})
	_, _ = s.do(desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}})
	ann := s.book("k1", "ann", 2, 5, 5)
	s.book("k2", "bob", 1, 3, 3)
	s.book("k2", "bob", 1, 3, 3) // the answer was lost
	s.longer(ann, 8)
	s.maintain(bookahead.Interval{Start: 12, End: 20}, 3)

	s = open(s.kept) // a restart
	out, _ := s.do(desk.Advance{Now: 11})
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
