package plan_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// FirstFit promises nothing, also if a firm reservation takes the place of a proposal.
func TestProposalInTheWayOfAReservationGetsNoPromise(t *testing.T) {
	q, p := newQueue(t, 1, plan.Config{Backfill: plan.FirstFit()})
	submit(t, q, "a", on(1, 10))
	pass(t, q, 0)
	_, err := p.Reserve(bookahead.At(5, 5, 1))
	require.NoError(t, err)
	q.Changed()
	ids, _ := pass(t, q, 0)
	require.Empty(t, ids)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, plan.Waiting, f.State)
	require.Equal(t, plan.Never, f.Promised)
}

// A promised start that is not taken keeps its turn in the plan, and an Event says that it is late, also if the schedules have
// changed.
func TestLatePromiseIsToldAfterAChange(t *testing.T) {
	q, _ := newQueue(t, 1, plan.Config{Backfill: plan.EASY(1)})
	submit(t, q, "a", on(1, 10))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	submit(t, q, "b", on(1, 10))
	pass(t, q, 0)
	require.NoError(t, q.Ended(10, "a"))
	pass(t, q, 10)
	q.Changed()
	_, events := pass(t, q, 12)
	require.Equal(t, []plan.Event{{Kind: plan.Delayed, Job: "b", From: 10, To: 12, Cause: plan.Late}}, events)
}

// A proposal that was no promise is not kept by a Change.
func TestChangeKeepsNoProposal(t *testing.T) {
	q, _ := newQueue(t, 1, plan.Config{Order: plan.ByPriority()})
	require.NoError(t, q.Submit(plan.Job{ID: "a", Priority: 2, Shapes: []plan.Shape{on(1, 10)}}))
	require.NoError(t, q.Submit(plan.Job{ID: "b", Priority: 1, Shapes: []plan.Shape{on(1, 10)}}))
	ids, _ := pass(t, q, 0)
	require.Equal(t, []plan.ID{"a"}, ids)
	require.NoError(t, q.Change(plan.Job{ID: "a", Shapes: []plan.Shape{on(1, 10)}}))
	ids, _ = pass(t, q, 0)
	require.Equal(t, []plan.ID{"b"}, ids)
}

// The next job is first when the first goes away, or falls back.
func TestNextIsFirst(t *testing.T) {
	for name, gone := range map[string]func(q *plan.Queue) error{
		"withdrawn": func(q *plan.Queue) error {
			_, err := q.Withdraw("large")
			return err
		},
		"last": func(q *plan.Queue) error {
			return q.Change(plan.Job{ID: "large", Priority: -1, Shapes: []plan.Shape{on(3, 10)}})
		},
	} {
		q, _ := newQueue(t, 2, plan.Config{Order: plan.ByPriority()})
		submit(t, q, "large", on(3, 10))
		submit(t, q, "small", on(1, 10))
		submit(t, q, "other", on(1, 10))
		ids, _ := pass(t, q, 0)
		require.Empty(t, ids)
		require.NoError(t, gone(q))
		ids, _ = pass(t, q, 0)
		require.Equal(t, []plan.ID{"small", "other"}, ids, name)
	}
}

// A start is promised when it has come near enough.
func TestWindowMovesOn(t *testing.T) {
	q, p := newQueue(t, 1, plan.Config{Backfill: plan.EASY(1), Limits: plan.Limits{Window: 5}})
	_, err := p.Reserve(bookahead.At(0, 10, 1))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", on(1, 10))
	for now, want := range map[bookahead.Time]bookahead.Time{4: plan.Never, 5: 10} {
		c, err := q.Clone()
		require.NoError(t, err)
		pass(t, c, 4)
		pass(t, c, now)
		_, f, err := c.Job("a")
		require.NoError(t, err)
		require.Equal(t, want, f.Promised)
	}
}

// Something that becomes free in the middle of a job lets it start, if a part of it begins there.
func TestPartThatBeginsLater(t *testing.T) {
	q, p := newQueue(t, 1, plan.Config{})
	_, err := p.Reserve(bookahead.At(8, 6, 1))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", plan.Shape{{On: "p", Units: 1, Duration: 1}, {On: "p", Units: 1, Duration: 2, Offset: 10}})
	ids, _ := pass(t, q, 0)
	require.Empty(t, ids)
	require.Equal(t, bookahead.Time(4), q.Next())
	ids, _ = pass(t, q, 4)
	require.Equal(t, []plan.ID{"a"}, ids)
}

// A server that is given back when another is taken lets a job start.
func TestNextSeesServersThatChange(t *testing.T) {
	tree, err := idletree.NewTree(2, idletree.Config{Prefer: idletree.LowestIndex})
	require.NoError(t, err)
	for server, w := range []bookahead.Interval{{Start: 0, End: 10}, {Start: 10, End: 30}} {
		r := bookahead.At(w.Start, w.Len(), 1)
		r.Servers = []int{server}
		_, err := tree.Reserve(r)
		require.NoError(t, err)
	}
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "s", Pool: tree}}})
	require.NoError(t, err)
	submit(t, q, "a", plan.Shape{{On: "s", Units: 1, Duration: 15}})
	ids, _ := pass(t, q, 0)
	require.Empty(t, ids)
	require.Equal(t, bookahead.Time(10), q.Next())
	ids, _ = pass(t, q, 10)
	require.Equal(t, []plan.ID{"a"}, ids)
}

// When all use is halved, owners may become equal, so that the one that has waited longer goes first.
func TestNextSeesAHalfLife(t *testing.T) {
	q, _ := newQueue(t, 2, plan.Config{Order: plan.FairShare(plan.Share{HalfLife: 50})})
	job := func(id plan.ID, owner string, units int64, d bookahead.Duration) {
		require.NoError(t, q.Submit(plan.Job{ID: id, Owner: owner, Shapes: []plan.Shape{on(units, d)}}))
	}
	job("a", "ann", 1, 1)
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	job("long", "zoe", 1, 100)
	ids, _ = pass(t, q, 0)
	run(t, q, ids...)
	require.NoError(t, q.Ended(1, "a"))
	job("b", "ann", 1, 1) // ann has used 1
	job("c", "bob", 2, 1) // bob has used nothing, but needs both
	ids, _ = pass(t, q, 1)
	require.Empty(t, ids)
	require.Equal(t, bookahead.Time(50), q.Next())
	ids, _ = pass(t, q, 50)
	require.Equal(t, []plan.ID{"b"}, ids)
}

// A job has at most one part on a machine: Submit refuses it, and no Pass fails.
func TestTwoPartsOnOneMachine(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}}})
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}})
	require.NoError(t, err)
	part := plan.Part{On: "n", Units: 1, Duration: 1, Tasks: &nodes.Request{Each: nodes.Vector{1}}}
	require.ErrorIs(t, q.Submit(plan.Job{ID: "a", Shapes: []plan.Shape{{part, part}}}), bookahead.ErrInvalid)
	_, err = q.Pass(context.Background(), 0)
	require.NoError(t, err)
}

// A job starts with one of its parts. Otherwise a proposal would not lie at the time of its Pass.
func TestJobThatStartsBeforeItsParts(t *testing.T) {
	q, _ := newQueue(t, 2, plan.Config{})
	err := q.Submit(plan.Job{ID: "a", Shapes: []plan.Shape{{{On: "p", Units: 1, Duration: 1, Offset: 3}}}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// What Withdraw returns is the caller's.
func TestWithdrawnJobIsTheCallers(t *testing.T) {
	q, _ := newQueue(t, 2, plan.Config{})
	submit(t, q, "a", on(3, 1))
	submit(t, q, "b", on(3, 1))
	gone, err := q.Withdraw("a")
	require.NoError(t, err)
	gone[0].Shapes[0][0].Units = 1
	ids, _ := pass(t, q, 0)
	require.Empty(t, ids)
}

// When a promised job is due, the next one gets a promise in the same Pass.
func TestNextIsPromisedWhenTheFirstIsDue(t *testing.T) {
	q, p := newQueue(t, 2, plan.Config{Backfill: plan.EASY(1)})
	_, err := p.Reserve(bookahead.At(0, 5, 2))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", on(2, 10))
	submit(t, q, "b", on(2, 10))
	pass(t, q, 0)
	require.Equal(t, bookahead.Time(5), q.Next()) // as many units are free before as after
	ids, _ := pass(t, q, 5)
	require.Equal(t, []plan.ID{"a"}, ids)
	_, f, err := q.Job("b")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(15), f.Promised)
}

// A promised job moves to a place that has a part of its own, although it was the tick before that became free last.
//
//	node 1    ....aaaab      j asks for two nodes, and is promised [8, 12) on 0 and 1. Node 2 is taken from 10 on.
//	node 0    ..x.....       When x ends, j can start at 6 on 0 and 2, but not at 7.
func TestMoveIntoAPartOfItsOwnPlace(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}, {1}}})
	require.NoError(t, err)
	book := func(node int, from, to bookahead.Time) bookahead.ID {
		r, err := m.ReserveOffer(nodes.Offer{Interval: bookahead.Interval{Start: from, End: to}, Tasks: []nodes.Share{{Node: node, Tasks: 1}}, Head: -1},
			nodes.Request{Each: nodes.Vector{1}})
		require.NoError(t, err)
		return r.ID
	}
	book(0, 0, 6)
	x := book(0, 6, 7)
	book(1, 0, 8)
	book(2, 10, 20)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}, Backfill: plan.EASY(1)})
	require.NoError(t, err)
	part := plan.Part{On: "n", Units: 2, Duration: 4, Tasks: &nodes.Request{Each: nodes.Vector{1}}}
	require.NoError(t, q.Submit(plan.Job{ID: "j", Shapes: []plan.Shape{{part}}}))
	pass(t, q, 0)
	_, f, err := q.Job("j")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(8), f.Promised)
	require.NoError(t, q.Release("n", x))
	pass(t, q, 0)
	_, f, err = q.Job("j")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(6), f.Promised)
}

// The same if it was a tick of its own place that became free, on another node.
func TestMoveIntoMoreThanItsOwnPlace(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}, {1}}})
	require.NoError(t, err)
	book := func(node int, from, to bookahead.Time) bookahead.ID {
		r, err := m.ReserveOffer(nodes.Offer{Interval: bookahead.Interval{Start: from, End: to}, Tasks: []nodes.Share{{Node: node, Tasks: 1}}, Head: -1},
			nodes.Request{Each: nodes.Vector{1}})
		require.NoError(t, err)
		return r.ID
	}
	book(0, 0, 6)
	x := book(0, 9, 14)
	book(1, 0, 8)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}, Backfill: plan.EASY(1)})
	require.NoError(t, err)
	part := plan.Part{On: "n", Units: 2, Duration: 4, Tasks: &nodes.Request{Each: nodes.Vector{1}}}
	require.NoError(t, q.Submit(plan.Job{ID: "j", Shapes: []plan.Shape{{part}}}))
	pass(t, q, 0)
	_, f, err := q.Job("j")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(8), f.Promised)
	require.NoError(t, q.Release("n", x))
	pass(t, q, 0)
	_, f, err = q.Job("j")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(6), f.Promised)
}

// A proposal whose place is over is looked at again.
func TestProposalThatIsOver(t *testing.T) {
	q, p := newQueue(t, 1, plan.Config{Backfill: plan.Conservative()})
	_, err := p.Reserve(bookahead.At(1, 10, 1))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", on(1, 1))
	ids, _ := pass(t, q, 0)
	require.Equal(t, []plan.ID{"a"}, ids)
	pass(t, q, 1)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(11), f.Promised)
}

// A promised job does not move to a place that ends earlier, and starts later.
func TestMoveStartsNoLater(t *testing.T) {
	q, p := newQueue(t, 2, plan.Config{Backfill: plan.EASY(1)})
	_, err := p.Reserve(bookahead.At(0, 10, 2))
	require.NoError(t, err)
	x, err := p.Reserve(bookahead.At(10, 30, 1))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", on(1, 20), on(2, 5))
	pass(t, q, 0)
	require.NoError(t, p.Release(x.ID))
	_, err = p.Reserve(bookahead.At(10, 10, 1))
	require.NoError(t, err)
	q.Changed()
	pass(t, q, 0)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(10), f.Promised)
}

// A job is promised a place in the window, if one of its shapes has one, although another shape would end earlier.
func TestShapeInTheWindow(t *testing.T) {
	q, p := newQueue(t, 2, plan.Config{Backfill: plan.EASY(1), Limits: plan.Limits{Window: 5}})
	_, err := p.Reserve(bookahead.At(0, 10, 1))
	require.NoError(t, err)
	_, err = p.Reserve(bookahead.At(0, 3, 1))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", on(2, 5), on(1, 20))
	pass(t, q, 0)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(3), f.Promised)
}

// Jobs that come after each other are refused by Change.
func TestChangeIntoACircle(t *testing.T) {
	q, _ := newQueue(t, 1, plan.Config{})
	submit(t, q, "a", on(1, 1))
	require.NoError(t, q.Submit(plan.Job{ID: "b", After: []plan.ID{"a"}, Shapes: []plan.Shape{on(1, 1)}}))
	require.NoError(t, q.Submit(plan.Job{ID: "c", After: []plan.ID{"b"}, Shapes: []plan.Shape{on(1, 1)}}))
	require.ErrorIs(t, q.Change(plan.Job{ID: "a", After: []plan.ID{"c"}, Shapes: []plan.Shape{on(1, 1)}}), bookahead.ErrInvalid)
	ids, _ := pass(t, q, 0)
	require.Equal(t, []plan.ID{"a"}, ids)
}
