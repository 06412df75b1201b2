package desk

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// book books one part, and returns the booking's ID.
func book(t *testing.T, d *Desk, priority int64, ready, deadline bookahead.Time, p Part) BookingID {
	t.Helper()
	return do(t, d, Book{Request: Request{Priority: priority, Ready: ready, Deadline: deadline, Shapes: []Shape{{p}}}}).Booking.ID
}

// of returns a booking.
func of(t *testing.T, d *Desk, id BookingID) Booking {
	t.Helper()
	k, ok := d.b.booking(id)
	require.True(t, ok)
	return *k
}

// happened returns the kinds of the events.
func happened(events []Event) (list []What) {
	for _, e := range events {
		list = append(list, e.What)
	}
	return list
}

// TestForceTakesTheLeastImportant is the picture of trial.preempt: 3 units of 4 are wanted by tick 8.
//
//	unit 3    111111       NNNNNN 111111
//	unit 2    222222       NNNNNN 222222
//	unit 1    33333333     NNNNNN 33333333
//	unit 0    44444444      44444444
func TestForceTakesTheLeastImportant(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	one := book(t, d, 1, 2, 0, Part{On: "gpus", Units: 1, Duration: 6})
	two := book(t, d, 2, 2, 0, Part{On: "gpus", Units: 1, Duration: 6})
	three := book(t, d, 3, 2, 20, Part{On: "gpus", Units: 1, Duration: 8})
	four := book(t, d, 4, 2, 0, Part{On: "gpus", Units: 1, Duration: 8})
	urgent := Book{Request: Request{Priority: 4, Ready: 1, Deadline: 8, Shapes: []Shape{{{On: "gpus", Units: 3, Duration: 6}}}}}
	_, err := d.Do(urgent)
	require.Equal(t, bookahead.ErrUnavailable, err)
	urgent.Force = Lower
	out := do(t, d, urgent)
	require.Equal(t, ticks(1, 7), out.Booking.Interval)
	require.Equal(t, []What{WasBooked, WasMoved, WasMoved, WasMoved}, happened(out.Events))
	require.Equal(t, three, out.Events[1].Booking, "the most important finds a place first")
	require.Equal(t, ticks(2, 10), out.Events[1].From)
	require.Equal(t, ticks(7, 15), out.Events[1].To)
	require.Equal(t, ticks(7, 13), of(t, d, two).Interval)
	require.Equal(t, ticks(7, 13), of(t, d, one).Interval)
	require.Equal(t, ticks(2, 10), of(t, d, four).Interval)
	_, err = d.Do(urgent)
	require.Equal(t, bookahead.ErrUnavailable, err, "nobody is less important, and in the way")
}

// TestForcePutsBackWhoFits takes out 1 and 2 in turn, and puts 1 back, which was not in the way.
//
//	unit 2    11               11
//	unit 1       2222         NNNNN
//	unit 0       2222         NNNNN       2 has no other place by its deadline
func TestForcePutsBackWhoFits(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 3})
	one := book(t, d, 1, 1, 0, Part{On: "gpus", Units: 1, Duration: 2})
	two := book(t, d, 2, 4, 8, Part{On: "gpus", Units: 2, Duration: 4})
	out := do(t, d, Book{Force: Lower, Request: Request{Priority: 3, Deadline: 8, Shapes: []Shape{{{On: "gpus", Units: 2, Duration: 5}}}}})
	require.Equal(t, ticks(0, 5), out.Booking.Interval)
	require.Equal(t, []What{WasBooked, HasStarted, WasDisplaced}, happened(out.Events))
	require.Equal(t, Event{Number: 6, What: WasDisplaced, Booking: two, From: ticks(4, 8), To: ticks(0, 0)}, out.Events[2])
	require.Equal(t, Displaced, of(t, d, two).State)
	require.Equal(t, ticks(4, 4), of(t, d, two).Places[0].Interval)
	require.Equal(t, Booked, of(t, d, one).State)
}

// TestForceMovesWholeBookings: the part on the disk moves with the part on the GPUs.
func TestForceMovesWholeBookings(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 2}, "disk", Servers{Count: 2, Prefer: "lowest"})
	job := do(t, d, Book{Request: Request{Ready: 2, Shapes: []Shape{{
		{On: "gpus", Units: 2, Duration: 4}, {On: "disk", Units: 1, Duration: 3, Offset: 1},
		{On: "disk", Units: 2, Duration: 2, After: &Gap{1, 3}},
	}}}}).Booking
	require.Equal(t, []bookahead.Interval{ticks(2, 6), ticks(3, 6), ticks(7, 9)}, times(job))
	other := book(t, d, 5, 9, 10, Part{On: "disk", Units: 1, Duration: 1})
	out := do(t, d, Book{Force: Anybody, Request: Request{Ready: 4, Deadline: 6, Shapes: []Shape{{{On: "gpus", Units: 1, Duration: 2}}}}})
	require.Equal(t, []What{WasBooked, WasMoved}, happened(out.Events))
	require.Equal(t, []bookahead.Interval{ticks(6, 10), ticks(7, 10), ticks(11, 13)}, times(of(t, d, job.ID)))
	require.Equal(t, ticks(9, 10), of(t, d, other).Interval)
}

func times(k Booking) (list []bookahead.Interval) {
	for _, p := range k.Places {
		list = append(list, p.Interval)
	}
	return list
}

// TestRestOfARunningBooking moves a booking whose part 0 is over, while part 1 runs and part 2 is to come.
//
//	gpus 0   000      │                000      │
//	gpus 1     1111111│11          ►     1111111│ NNN 11
//	gpus 2            │   222                   │ NNN    222
//	                  5
func TestRestOfARunningBooking(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 1}, "line", Pool{Units: 1})
	job := do(t, d, Book{Request: Request{Owner: "ann", Shapes: []Shape{{
		{On: "line", Units: 1, Duration: 3}, {On: "gpus", Units: 1, Duration: 5, Offset: 2},
		{On: "gpus", Units: 1, Duration: 3, After: &Gap{1, 4}},
	}}}}).Booking
	require.Equal(t, []bookahead.Interval{ticks(0, 3), ticks(2, 7), ticks(8, 11)}, times(job))
	do(t, d, Advance{5})
	out := do(t, d, Book{Force: Anybody, Request: Request{Deadline: 8, Shapes: []Shape{{{On: "gpus", Units: 1, Duration: 3}}}}})
	require.Equal(t, []What{WasBooked, HasStarted, WasMoved}, happened(out.Events))
	k := of(t, d, job.ID)
	require.Equal(t, []bookahead.Interval{ticks(8, 10), ticks(11, 14)}, times(k))
	require.Equal(t, Booked, k.State)
	require.Equal(t, ticks(0, 14), k.Interval)
	require.Equal(t, []bookahead.Interval{ticks(0, 3), ticks(2, 5)}, []bookahead.Interval{k.Past[0].Interval, k.Past[1].Interval})
	require.Equal(t, []Shape{{{On: "gpus", Units: 1, Duration: 2}, {On: "gpus", Units: 1, Duration: 3, After: &Gap{1, 4}}}}, k.Shapes)
	require.Equal(t, []What{HasEnded, HasStarted, WasAdvanced}, happened(do(t, d, Advance{9}).Events))
	longer := do(t, d, Overrun{ID: k.ID, Until: 20}).Booking
	require.Equal(t, []bookahead.Interval{ticks(8, 10), ticks(11, 20)}, times(longer))
	do(t, d, Cancel{k.ID})
}

// TestRestKeepsTheMostAfterAStepThatIsOver: the next step may wait 4 ticks for it, and no more.
func TestRestKeepsTheMostAfterAStepThatIsOver(t *testing.T) {
	for until, state := range map[bookahead.Time]State{7: Booked, 8: Displaced} {
		d := deskWith(t, "gpus", Pool{Units: 1})
		job := do(t, d, Book{Request: Request{Shapes: []Shape{{
			{On: "gpus", Units: 1, Duration: 3}, {On: "gpus", Units: 1, Duration: 3, After: &Gap{2, 4}},
		}}}}).Booking
		do(t, d, Advance{4})
		require.Equal(t, Running, of(t, d, job.ID).State)
		do(t, d, Book{Force: Anybody, Request: Request{Ready: 4, Deadline: until, Shapes: []Shape{{{On: "gpus", Units: 1, Duration: bookahead.Duration(until - 4)}}}}})
		require.Equal(t, state, of(t, d, job.ID).State, "until %d", until)
	}
}

// TestMovedAtOnceRunsOn: a server breaks, and the booking goes on with another.
func TestMovedAtOnceRunsOn(t *testing.T) {
	d := deskWith(t, "lab", Servers{Count: 3, Prefer: "lowest"})
	k := book(t, d, 0, 0, 0, Part{On: "lab", Units: 2, Duration: 9})
	held := do(t, d, Book{Hold: 30, Request: Request{Ready: 20, Shapes: []Shape{{{On: "lab", Units: 3, Duration: 5}}}}}).Booking
	do(t, d, Advance{4})
	out := do(t, d, Close{On: "lab", Interval: ticks(4, 40), Servers: []int{0}, Title: "broken", Force: Lower, Priority: 1})
	require.Equal(t, OutageID(1), out.Outage)
	require.Equal(t, []What{WasClosed, WasMoved, WasMoved}, happened(out.Events))
	moved := of(t, d, k)
	require.Equal(t, Running, moved.State)
	require.Equal(t, ticks(0, 9), moved.Interval)
	require.Equal(t, ticks(4, 9), moved.Places[0].Interval)
	require.Equal(t, []int{0, 1}, out.Events[1].Before[0].Servers)
	require.Equal(t, moved.Places, out.Events[1].After)
	require.Equal(t, []Piece{{Place: Place{On: "lab", Interval: ticks(0, 4), Units: 2, Servers: []int{0, 1}, Head: -1}, Part: -1}}, moved.Past)
	require.Equal(t, []int{1, 2}, moved.Places[0].Servers)
	hold := of(t, d, held.ID)
	require.Equal(t, Held, hold.State)
	require.Equal(t, bookahead.Time(30), hold.Expiry)
	require.Equal(t, ticks(40, 45), hold.Interval)
	require.Equal(t, []What{HasEnded, HasExpired, WasAdvanced}, happened(do(t, d, Advance{31}).Events))
}

// TestDisplacedWhileItRuns checks that a displaced booking keeps the places that it used.
func TestDisplacedWhileItRuns(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 1})
	k := book(t, d, 0, 0, 10, Part{On: "gpus", Units: 1, Duration: 10})
	do(t, d, Advance{4})
	out := do(t, d, Close{On: "gpus", Interval: ticks(5, 6), Units: 1, Force: Anybody})
	require.Equal(t, []What{WasClosed, WasDisplaced}, happened(out.Events))
	was := of(t, d, k)
	require.Equal(t, Displaced, was.State)
	require.Equal(t, []bookahead.Interval{ticks(0, 4)}, times(was))
	_, err := d.Do(Cancel{k})
	require.Equal(t, bookahead.ErrNotFound, err)
}

// TestChangeByForce moves a booking to a place that another has, and makes a running one larger.
func TestChangeByForce(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	one := book(t, d, 0, 0, 0, Part{On: "gpus", Units: 2, Duration: 10})
	two := book(t, d, 0, 4, 0, Part{On: "gpus", Units: 2, Duration: 4})
	larger := Change{ID: one, Force: Lower, To: Request{Priority: 1, Shapes: []Shape{{{On: "gpus", Units: 3, Duration: 10}}}}}
	out := do(t, d, larger)
	require.Equal(t, []What{WasChanged, WasMoved}, happened(out.Events))
	require.Equal(t, ticks(0, 10), of(t, d, one).Interval)
	require.Equal(t, int64(3), of(t, d, one).Places[0].Units)
	require.Equal(t, ticks(10, 14), of(t, d, two).Interval)

	back := Change{ID: two, To: Request{Priority: 1, Deadline: 8, Shapes: []Shape{{{On: "gpus", Units: 2, Duration: 4}}}}}
	_, err := d.Do(back)
	require.Equal(t, bookahead.ErrUnavailable, err)
	back.Force = Lower
	_, err = d.Do(back)
	require.Equal(t, bookahead.ErrUnavailable, err, "it is not more important")
	back.To.Priority = 2
	out = do(t, d, back)
	require.Equal(t, []What{WasChanged, HasStarted, WasMoved}, happened(out.Events))
	require.Equal(t, ticks(0, 4), of(t, d, two).Interval)
	require.Equal(t, ticks(4, 14), of(t, d, one).Interval)
}

// TestOverrunByForce: bookings that have begun do not give way.
func TestOverrunByForce(t *testing.T) {
	d := deskWith(t, "lab", Servers{Count: 2, Prefer: "lowest"})
	one := book(t, d, 1, 0, 0, Part{On: "lab", Units: 1, Duration: 5})
	next := book(t, d, 0, 5, 0, Part{On: "lab", Units: 2, Duration: 5})
	do(t, d, Advance{3})
	over := Overrun{ID: one, Until: 8}
	_, err := d.Do(over)
	require.Equal(t, bookahead.ErrUnavailable, err)
	over.Force = Lower
	out := do(t, d, over)
	require.Equal(t, []What{WasChanged, WasMoved}, happened(out.Events))
	require.Equal(t, ticks(0, 8), of(t, d, one).Interval)
	require.Equal(t, ticks(8, 13), of(t, d, next).Interval)
	running := book(t, d, 0, 3, 8, Part{On: "lab", Units: 1, Duration: 5})
	last := book(t, d, 0, 13, 0, Part{On: "lab", Units: 2, Duration: 1})
	require.Equal(t, Running, of(t, d, running).State)
	out = do(t, d, Overrun{ID: running, Until: 20, Force: Anybody})
	require.Equal(t, []What{WasChanged, WasMoved, WasMoved}, happened(out.Events))
	require.Equal(t, ticks(20, 25), of(t, d, next).Interval)
	require.Equal(t, ticks(25, 26), of(t, d, last).Interval)
	do(t, d, Close{On: "lab", Interval: ticks(8, 9), Servers: []int{1}, Force: Lower})
	require.Len(t, d.Outages("lab"), 1)
	_, err = d.Do(Overrun{ID: running, Until: 21, Force: Lower})
	require.Equal(t, bookahead.ErrUnavailable, err)
}

// TestForceOnNodes clears the nodes that a request names.
func TestForceOnNodes(t *testing.T) {
	d := deskWith(t, "farm", Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {4}, {4}}})
	part := func(tasks int64, on ...int) Part {
		return Part{On: "farm", Units: tasks, Duration: 5, Tasks: &nodes.Request{Each: nodes.Vector{2}, Nodes: on}}
	}
	one := book(t, d, 0, 0, 0, part(2, 0))
	two := book(t, d, 0, 0, 0, part(2, 1))
	out := do(t, d, Book{Force: Anybody, Request: Request{Deadline: 5, Shapes: []Shape{{part(3, 0, 2)}}}})
	require.Equal(t, []nodes.Share{{Node: 0, Tasks: 2}, {Node: 2, Tasks: 1}}, out.Booking.Places[0].Nodes)
	require.Equal(t, []What{WasBooked, HasStarted, WasMoved}, happened(out.Events))
	require.Equal(t, ticks(5, 10), of(t, d, one).Interval)
	require.Equal(t, ticks(0, 5), of(t, d, two).Interval)
}

// TestForceChoosesAShape: of two shapes, others give way for either, and the one that ends first is booked.
func TestForceChoosesAShape(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4}, "lab", Servers{Count: 2, Prefer: "lowest"}, "any", Broker{Of: []string{"gpus", "lab"}})
	one := book(t, d, 1, 0, 0, Part{On: "gpus", Units: 4, Duration: 10})
	two := book(t, d, 2, 0, 0, Part{On: "lab", Units: 1, Duration: 10})
	urgent := Book{Force: Anybody, Request: Request{Deadline: 8, Shapes: []Shape{
		{{On: "any", Units: 2, Duration: 8}}, {{On: "gpus", Units: 4, Duration: 4}},
	}}}
	out := do(t, d, urgent)
	require.Equal(t, 1, out.Booking.Shape)
	require.Equal(t, ticks(0, 4), out.Booking.Interval)
	require.Equal(t, ticks(4, 14), of(t, d, one).Interval)
	out = do(t, d, urgent)
	require.Equal(t, 1, out.Booking.Shape, "the last that was booked gives way first, and ends last")
	require.Equal(t, Running, of(t, d, two).State)
}

// TestShapesThatAreTooLongByNow: placed anew from tick 5 on, the first shape would end behind the deadline.
// The other keeps its number.
func TestShapesThatAreTooLongByNow(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 2})
	book(t, d, 9, 0, 0, Part{On: "gpus", Units: 2, Duration: 5})
	k := do(t, d, Book{Request: Request{Deadline: 10, Shapes: []Shape{
		{{On: "gpus", Units: 1, Duration: 8}}, {{On: "gpus", Units: 2, Duration: 3}},
	}}}).Booking
	require.Equal(t, ticks(5, 8), k.Interval)
	do(t, d, Book{Force: Anybody, Request: Request{Ready: 5, Deadline: 7, Shapes: []Shape{{{On: "gpus", Units: 2, Duration: 2}}}}})
	require.Equal(t, ticks(7, 10), of(t, d, k.ID).Interval)
	require.Equal(t, 1, of(t, d, k.ID).Shape)
}

// TestForceIsDecidedBesideOthers: goroutines that decide at once find the same decision, since each has clones of its own.
func TestForceIsDecidedBesideOthers(t *testing.T) {
	g := newGiving(t, 7)
	for range 60 {
		g.do(g.command())
	}
	list := make([]Command, 40)
	want := make([]Entry, len(list))
	for i := range list {
		list[i] = g.command()
		want[i], _ = g.d.Decide(list[i])
	}
	var all sync.WaitGroup
	got := make([][]Entry, 8)
	for w := range got {
		all.Add(1)
		go func() {
			defer all.Done()
			for _, c := range list {
				e, _ := g.d.Decide(c)
				got[w] = append(got[w], e)
			}
		}()
	}
	all.Wait()
	for _, entries := range got {
		require.Equal(t, want, entries)
	}
}
