package plan

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/nodes"
)

// A job that is due, and was changed, is booked once.
func TestChangedJobIsBookedOnce(t *testing.T) {
	pool, err := carts.NewIndexed(8, carts.Config{})
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "p", Pool: pool}}, Backfill: Conservative()})
	require.NoError(t, err)
	submit(t, q, Job{ID: "r", Shapes: on(8, 10)})
	pass(t, q, 0)
	submit(t, q, Job{ID: "a", Shapes: on(4, 10)})
	_, err = q.Pass(context.Background(), 0)
	require.NoError(t, err)
	require.NoError(t, q.Ended(10, "r"))
	_, err = q.Pass(context.Background(), 10)
	require.NoError(t, err)
	require.NoError(t, q.Change(Job{ID: "a", Priority: 5, Shapes: on(4, 10)}))
	_, err = q.Pass(context.Background(), 10)
	require.NoError(t, err)
	submit(t, q, Job{ID: "b", Shapes: on(4, 10)})
	started, _ := pass(t, q, 10)
	require.Equal(t, []ID{"a", "b"}, started)
}

// The queue's time ends before MaxTime: nothing can be booked from then on, not even for a job that overruns.
func TestTimeEndsBeforeMaxTime(t *testing.T) {
	q, _ := poolQueue(t, Config{})
	submit(t, q, Job{ID: "r", Shapes: on(1, bookahead.Duration(bookahead.MaxTime))})
	pass(t, q, 0)
	pass(t, q, 0)
	require.Equal(t, bookahead.MaxTime, q.Next())
	_, err := q.Pass(context.Background(), bookahead.MaxTime)
	require.EqualError(t, err, "bookahead: now 9223372036854775807 is the end of time")
	require.ErrorIs(t, q.Ended(bookahead.MaxTime, "r"), bookahead.ErrInvalid)
	_, events := pass(t, q, bookahead.MaxTime-1)
	require.Empty(t, events)
	require.Equal(t, bookahead.MaxTime, q.Next())
	require.NoError(t, q.Ended(bookahead.MaxTime-1, "r"))
}

// A time that one schedule refuses moves the clock of none.
func TestRefusedTimeMovesNoClock(t *testing.T) {
	for first := range 2 {
		p, err := carts.NewIndexed(4, carts.Config{})
		require.NoError(t, err)
		h, err := carts.NewIndexed(4, carts.Config{Horizon: 10})
		require.NoError(t, err)
		list := []Schedule{{Name: "p", Pool: p}, {Name: "h", Pool: h}}
		if first == 1 {
			list[0], list[1] = list[1], list[0]
		}
		q, err := New(Config{Schedules: list})
		require.NoError(t, err)
		require.ErrorIs(t, q.Advance(bookahead.MaxTime-5), bookahead.ErrInvalid)
		require.Zero(t, p.Frame().Now)
		require.NoError(t, h.Advance(3))
		require.ErrorIs(t, q.Advance(2), bookahead.ErrInvalid)
		require.Zero(t, p.Frame().Now)
		_, err = q.Pass(context.Background(), 4)
		require.NoError(t, err)
	}
}

// Why names a firm reservation as the caller's schedule does.
func TestWhyNamesTheCallersReservation(t *testing.T) {
	q, _ := poolQueue(t, Config{})
	submit(t, q, Job{ID: "a", Shapes: on(1, 1)})
	_, err := q.Pass(context.Background(), 0)
	require.NoError(t, err)
	_, err = q.Withdraw("a") // its place had the first ID of the plan
	require.NoError(t, err)
	id, _, err := q.Reserve(Part{On: "p", Units: 4, Duration: 10}, 0, 0)
	require.NoError(t, err)
	submit(t, q, Job{ID: "b", Shapes: on(4, 1)})
	_, err = q.Pass(context.Background(), 0)
	require.NoError(t, err)
	w, err := q.Why("b")
	require.NoError(t, err)
	require.Equal(t, []Blocker{{On: "p", Reservation: id, Until: 10}}, w.InTheWay)
	require.NoError(t, q.Release("p", w.InTheWay[0].Reservation))
}

// Why asks for all shapes of a job.
func TestWhyAsksForAllShapes(t *testing.T) {
	q, _ := poolQueue(t, Config{})
	submit(t, q, Job{ID: "r", Shapes: on(4, 10)})
	pass(t, q, 0)
	submit(t, q, Job{ID: "a", Shapes: append(on(5, 1), on(2, 3)...)}, Job{ID: "b", Shapes: append(on(2, 3), on(5, 1)...)})
	_, err := q.Pass(context.Background(), 0)
	require.NoError(t, err)
	w, err := q.Why("a")
	require.NoError(t, err)
	require.Equal(t, "job a waits for p: job r until 10; it is not expected to start before 10", w.String())

	require.NoError(t, q.Ended(5, "r"))
	require.NoError(t, q.Postpone("a", 7))
	_, err = q.Pass(context.Background(), 5)
	require.NoError(t, err)
	w, err = q.Why("b")
	require.NoError(t, err)
	require.Equal(t, "job b would fit, and waits behind job a; it is not expected to start before 5", w.String())
}

// A time that has become too short for a firm reservation leaves no room, and is no mistake of the caller.
func TestFirmReservationThatIsTooLate(t *testing.T) {
	q, _ := poolQueue(t, Config{})
	require.NoError(t, q.Advance(10))
	p := Part{On: "p", Units: 1, Duration: 5}
	_, err := q.Search(p, 5, 12)
	require.Equal(t, bookahead.ErrUnavailable, err)
	_, _, err = q.Reserve(p, 5, 12)
	require.Equal(t, bookahead.ErrUnavailable, err)
	_, err = q.Search(p, 11, 12)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// Firm reservations that are over leave nothing behind.
func TestFirmReservationsAreForgotten(t *testing.T) {
	q, _ := poolQueue(t, Config{})
	for now := range bookahead.Time(2000) {
		require.NoError(t, q.Advance(now))
		_, _, err := q.Reserve(Part{On: "p", Units: 1, Duration: 1}, now, 0)
		require.NoError(t, err)
	}
	require.Less(t, len(q.copies), 200)
	require.Less(t, len(q.edges), 200)
}

// Orders that cannot be are refused, and an order keeps nothing of the caller's.
func TestInvalidOrders(t *testing.T) {
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	for _, x := range []struct {
		order Order
		text  string
	}{
		{Own(nil), "compare <nil> is no order"},
		{By(FCFS(), Own(nil)), "compare <nil> is no order"},
		{By(FairShare(Share{}), FairShare(Share{})), "orders 2 are FairShare, of which there is one at most"},
		{FairShare(Share{Owners: map[string]int64{"b": 0, "a": -1, "c": 0}}), "Share.Owners[a] -1 is less than 1"},
	} {
		_, err := New(Config{Schedules: []Schedule{{Name: "p", Pool: pool}}, Order: x.order})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, x.text)
	}
	owners := map[string]int64{"ann": 100}
	q, _ := poolQueue(t, Config{Order: FairShare(Share{Owners: owners}), Backfill: FirstFit()})
	require.NoError(t, q.Charge("ann", "", 50, 1))
	require.NoError(t, q.Charge("bob", "", 1, 1))
	owners["ann"] = 1
	submit(t, q, Job{ID: "bob", Owner: "bob", Shapes: on(4, 1)}, Job{ID: "ann", Owner: "ann", Shapes: on(4, 1)})
	started, _ := pass(t, q, 0)
	require.Equal(t, []ID{"ann"}, started)
}

// The least number of ticks takes all off that was charged.
func TestChargeOfTheLeastTicks(t *testing.T) {
	q, _ := poolQueue(t, Config{})
	require.NoError(t, q.Charge("ann", "g", 7, 3))
	require.NoError(t, q.Charge("ann", "g", 1, math.MinInt64))
	require.Empty(t, q.used.owners)
}

// Promises that must move have new places in the same Pass, even if its steps would not suffice.
func TestPromisesMoveWithoutSteps(t *testing.T) {
	q, pool := poolQueue(t, Config{Backfill: EASY(2), Limits: Limits{Steps: stepsOfSearch}})
	submit(t, q, Job{ID: "r", Shapes: on(4, 10)})
	pass(t, q, 0)
	submit(t, q, Job{ID: "a", Shapes: on(4, 5)}, Job{ID: "b", Shapes: on(4, 5)})
	for _, err := q.Pass(context.Background(), 0); err != nil; _, err = q.Pass(context.Background(), 0) {
		require.ErrorIs(t, err, bookahead.ErrStopped)
	}
	_, err := pool.Reserve(bookahead.At(10, 20, 1))
	require.NoError(t, err)
	q.Changed()
	r, err := q.Pass(context.Background(), 1)
	if err != nil {
		require.ErrorIs(t, err, bookahead.ErrStopped)
	}
	require.Equal(t, []Event{
		{Kind: Delayed, Job: "a", From: 10, To: 30, Cause: Firm, On: "p", Reservation: 2},
		{Kind: Delayed, Job: "b", From: 15, To: 35, Cause: Firm, On: "p", Reservation: 2},
	}, r.Events)
}

// A job of several shapes moves when the horizon slides far enough for another of them.
func TestShapeMovesWithTheHorizon(t *testing.T) {
	a, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	b, err := carts.NewIndexed(1, carts.Config{Horizon: 20})
	require.NoError(t, err)
	_, err = a.Reserve(bookahead.At(0, 8, 1))
	require.NoError(t, err)
	_, err = b.Reserve(bookahead.At(0, 6, 1))
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "a", Pool: a}, {Name: "b", Pool: b}}, Backfill: Conservative()})
	require.NoError(t, err)
	submit(t, q, Job{ID: "x", Shapes: []Shape{{{On: "a", Units: 1, Duration: 30}}, {{On: "b", Units: 1, Duration: 15}}}})
	_, err = q.Pass(context.Background(), 0)
	require.NoError(t, err)
	_, f, err := q.Job("x")
	require.NoError(t, err)
	require.EqualValues(t, 8, f.Start)
	_, err = q.Pass(context.Background(), 2)
	require.NoError(t, err)
	_, f, err = q.Job("x")
	require.NoError(t, err)
	require.EqualValues(t, 6, f.Start)
}

// Read refuses jobs that wait for others and have a place nevertheless, jobs that come after themselves, and a time that the
// schedules have not reached.
func TestReadChecksTheLine(t *testing.T) {
	for name, spoil := range map[string]func(q *Queue){
		"Job.After [a] have not ended, and the job is waiting": func(q *Queue) { q.jobs["b"].state = Waiting },
		"Job.After 2 jobs come after themselves": func(q *Queue) {
			q.jobs["a"].After, q.jobs["a"].state = []ID{"b"}, Held
			q.waiting = nil
		},
		"now 7 is after the clock of p, 0":              func(q *Queue) { q.now = 7 },
		"now 9223372036854775807 is no time of a queue": func(q *Queue) { q.now = bookahead.MaxTime },
		"now -1 ": func(q *Queue) { q.now = -1 },
	} {
		q, _ := poolQueue(t, Config{})
		submit(t, q, Job{ID: "a", Shapes: on(1, 1)}, Job{ID: "b", After: []ID{"a"}, Shapes: on(1, 1)})
		data, err := q.Snapshot()
		require.NoError(t, err)
		_, err = Read(q.config, data)
		require.NoError(t, err)
		spoil(q)
		data, err = q.Snapshot()
		require.NoError(t, err)
		_, err = Read(q.config, data)
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.ErrorContains(t, err, name)
	}
}

// TestAJobBehindOneAlikeMoves: a promised job moves when another gives room, although one alike before it in turn has just not
// fitted now.
func TestAJobBehindOneAlikeMoves(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}}})
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "n", Nodes: m}}, Order: ByPriority(), Backfill: EASY(1)})
	require.NoError(t, err)
	gang := func(units int64, d bookahead.Duration) []Shape {
		return []Shape{{{On: "n", Units: units, Duration: d, Tasks: &nodes.Request{Each: nodes.Vector{1}}}}}
	}
	promised := func(a, b bookahead.Time) {
		for id, want := range map[ID]bookahead.Time{"a": a, "b": b} {
			_, f, err := q.Job(id)
			require.NoError(t, err)
			require.Equal(t, want, f.Promised, id)
		}
	}
	submit(t, q, Job{ID: "until 10", Shapes: gang(1, 10)}, Job{ID: "until 20", Shapes: gang(1, 20)})
	pass(t, q, 0)
	submit(t, q, Job{ID: "a", Shapes: gang(2, 5)})
	pass(t, q, 0)
	submit(t, q, Job{ID: "b", Priority: 2, Shapes: gang(2, 6)}, Job{ID: "c", Priority: 1, Shapes: gang(2, 5)})
	pass(t, q, 0)
	promised(20, 25)
	require.NoError(t, q.Ended(1, "until 20"))
	pass(t, q, 1)
	promised(16, 10)
}
