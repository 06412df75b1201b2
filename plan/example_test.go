package plan_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/plan"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// gpus returns a job of some GPUs for some minutes.
func gpus(id plan.ID, units int64, minutes bookahead.Duration) plan.Job {
	return plan.Job{ID: id, Shapes: []plan.Shape{{{On: "gpus", Units: units, Duration: minutes}}}}
}

// launched is a fake of what starts jobs: it knows when they really end.
type launched struct{ takes, ends map[plan.ID]bookahead.Time }

func (l launched) launch(s plan.Start) error {
	at := s.Places[0]
	l.ends[s.Job] = at.Start + l.takes[s.Job]
	fmt.Printf("%d: %s starts\n", at.Start, s.Job)
	return nil
}

// next returns the next end of a job; bookahead.MaxTime for none.
func (l launched) next() (plan.ID, bookahead.Time) {
	first, at := plan.ID(""), bookahead.MaxTime
	for id, end := range l.ends {
		if end < at || end == at && id < first {
			first, at = id, end
		}
	}
	return first, at
}

// The loop of a scheduler on eight GPUs. The large job waits for all of them; the short one overtakes, since it is over before the
// large one can start, and the long one does not. A job that ends early lets the large one start earlier than it was promised.
func Example() {
	pool := must(carts.NewIndexed(8, carts.Config{}))
	q := must(plan.New(plan.Config{
		Schedules: []plan.Schedule{{Name: "gpus", Pool: pool}},
		Backfill:  plan.EASY(1),
	}))
	for _, j := range []plan.Job{gpus("first", 6, 60), gpus("large", 8, 30), gpus("long", 2, 90), gpus("short", 2, 40)} {
		check(q.Submit(j))
	}
	ctx := context.Background()
	jobs := launched{
		takes: map[plan.ID]bookahead.Time{"first": 50, "large": 30, "long": 90, "short": 40},
		ends:  map[plan.ID]bookahead.Time{},
	}

	for now := bookahead.Time(0); now < bookahead.MaxTime; {
		pass := must(q.Pass(ctx, now))
		for _, start := range pass.Starts {
			err := jobs.launch(start) // on start.Places, to the letter
			if err == nil {
				err = q.Started(start.Job) // a job that could not be launched is proposed again
			}
			check(err)
		}
		job, end := jobs.next()
		now = min(q.Next(), end) // the next time at which there is something to do, if nothing happens before
		if now == end && job != "" {
			check(q.Ended(now, job))
			delete(jobs.ends, job)
		}
	}
	// Output:
	// 0: first starts
	// 0: short starts
	// 50: large starts
	// 80: long starts
}

// When will the jobs start that wait, and why not now? The times of sentences are those of a clock.
func ExampleQueue_Why() {
	nine := bookahead.Clock{Epoch: time.Date(2027, time.March, 1, 9, 0, 0, 0, time.UTC), Tick: time.Minute}
	pool := must(carts.NewIndexed(8, carts.Config{}))
	q := must(plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "gpus", Pool: pool}}, Backfill: plan.EASY(1), Clock: nine}))
	for _, j := range []plan.Job{gpus("first", 6, 60), gpus("large", 8, 30), gpus("long", 2, 90), gpus("short", 2, 40)} {
		check(q.Submit(j))
	}
	ctx := context.Background()
	for _, start := range must(q.Pass(ctx, 0)).Starts {
		check(q.Started(start.Job))
	}
	for _, f := range must(q.Forecasts(ctx)) {
		fmt.Printf("%-5s %-8v from %d to %d\n", f.Job, f.State, f.Start, f.End)
	}
	fmt.Println(must(q.Why("large")))
	fmt.Println(must(q.Why("long")))
	// Output:
	// short running  from 0 to 40
	// first running  from 0 to 60
	// large promised from 60 to 90
	// long  waiting  from 90 to 180
	// job large waits for gpus: job short until Mon 1 Mar 09:40, job first until Mon 1 Mar 10:00; it is promised to start at Mon 1 Mar 10:00
	// job long waits for gpus: job short until Mon 1 Mar 09:40, job first until Mon 1 Mar 10:00; it is not expected to start before Mon 1 Mar 10:30
}

// Somebody books a GPU for a demonstration, where the large job was promised all of them. The promise is broken, and the next Pass
// says so. Search finds a place that breaks none.
func ExampleQueue_Changed() {
	pool := must(carts.NewIndexed(8, carts.Config{}))
	q := must(plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "gpus", Pool: pool}}, Backfill: plan.EASY(1)}))
	check(q.Submit(gpus("first", 6, 60)))
	check(q.Submit(gpus("large", 8, 30)))
	ctx := context.Background()
	for _, start := range must(q.Pass(ctx, 0)).Starts {
		check(q.Started(start.Job))
	}

	demo := must(pool.Reserve(bookahead.Request{Ready: 70, Deadline: 100, Duration: 30, Units: 1}))
	q.Changed()
	for _, e := range must(q.Pass(ctx, 10)).Events {
		fmt.Printf("%s was to start at %d, and starts at %d, because of %v: %v\n", e.Job, e.From, e.To, e.Cause, e.Reservation == demo.ID)
	}
	polite := must(q.Search(plan.Part{On: "gpus", Units: 4, Duration: 30}, 90, 0))
	fmt.Println("four others are free at", polite.Start)
	// Output:
	// large was to start at 60, and starts at 100, because of a firm reservation: true
	// four others are free at 130
}

// A lab is booked by people, on a desk, and its idle instruments run jobs. The queue has a copy of the schedule, and each side hears of
// the other: a start is booked on the desk at its place, and a booking of the desk is made on the copy. The desk's clock follows the
// pass, so that a job that overruns is told before its booking ends.
func Example_desk() {
	d := must(desk.New(desk.Config{}))
	must(d.Do(desk.AddSchedule{Name: "lab", Kind: desk.Servers{Count: 4, Prefer: "lowest"}}))
	lab := must(d.Schedule("lab", bookahead.Interval{Start: 0, End: bookahead.MaxTime}))
	q := must(plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "lab", Pool: lab}}, Backfill: plan.EASY(1), Grace: 10}))
	ctx := context.Background()
	bookings := map[plan.ID]desk.BookingID{}

	// book books a part for an owner between two times, and people's bookings on the copy, too.
	book := func(owner string, from, to bookahead.Time, part desk.Part) desk.Booking {
		return must(d.Do(desk.Book{Request: desk.Request{Owner: owner, Ready: from, Deadline: to, Shapes: []desk.Shape{{part}}}})).Booking
	}
	person := func(owner string, from, to bookahead.Time, instruments int64) {
		at := book(owner, from, to, desk.Part{On: "lab", Units: instruments, Duration: bookahead.Duration(to - from)}).Places[0]
		same := bookahead.At(at.Start, at.Len(), at.Units)
		same.Servers = at.Servers
		must(lab.Reserve(same))
		q.Changed()
	}
	pass := func(now bookahead.Time) {
		r := must(q.Pass(ctx, now))
		for _, e := range r.Events {
			switch e.Kind {
			case plan.Delayed:
				fmt.Printf("%d: %s is delayed from %d to %d by %v\n", now, e.Job, e.From, e.To, e.Cause)
			case plan.Overrun:
				fmt.Printf("%d: %s overruns, until %d\n", now, e.Job, e.To)
				must(d.Do(desk.Overrun{ID: bookings[e.Job], Until: e.To}))
			}
		}
		must(d.Do(desk.Advance{Now: now}))
		for _, start := range r.Starts {
			at := start.Places[0]
			b := book("queue", at.Start, at.End, desk.Part{On: "lab", Units: at.Units, Duration: at.Len(), Servers: at.Servers})
			check(q.Started(start.Job))
			bookings[start.Job] = b.ID
			fmt.Printf("%d: %s starts on %v\n", now, start.Job, b.Places[0].Servers)
		}
	}

	person("ann", 60, 90, 4)
	check(q.Submit(plan.Job{ID: "a", Shapes: []plan.Shape{{{On: "lab", Units: 3, Duration: 40}}}}))
	check(q.Submit(plan.Job{ID: "b", Shapes: []plan.Shape{{{On: "lab", Units: 4, Duration: 40}}}}))
	pass(0)
	person("bob", 95, 100, 1)
	pass(20)
	pass(40)
	must(d.Do(desk.Advance{Now: 45}))
	must(d.Do(desk.End{ID: bookings["a"]}))
	check(q.Ended(45, "a"))
	pass(100)
	// Output:
	// 0: a starts on [0 1 2]
	// 20: b is delayed from 90 to 100 by a firm reservation
	// 40: a overruns, until 50
	// 100: b starts on [0 1 2 3]
}
