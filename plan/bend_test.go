package plan

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// inPieces and asVolume return shapes of one part that bends.
func inPieces(units int64, d bookahead.Duration, r pieces.Rule) []Shape {
	return []Shape{{{On: "p", Units: units, Duration: d, Pieces: &r}}}
}

func asVolume(units, least int64, d bookahead.Duration) []Shape {
	return []Shape{{{On: "p", Units: units, Duration: d, Volume: &volume.Request{Least: least}}}}
}

// TestInvalidBends: the error names the field and the value.
func TestInvalidBends(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}}})
	require.NoError(t, err)
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	servers, err := idletree.NewTree(4, idletree.Config{})
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "p", Pool: pool}, {Name: "n", Nodes: m}, {Name: "s", Pool: servers}}})
	require.NoError(t, err)
	v, r := &volume.Request{}, &pieces.Rule{}
	for _, x := range []struct {
		shape Shape
		text  string
	}{
		{Shape{{On: "p", Units: 1, Duration: 4, Pieces: r, Volume: v}}, "Job.Shapes[0][0].Volume {0 0 0 0 0 0 0} is set, and so are Pieces"},
		{Shape{{On: "p", Units: 1, Duration: 4, Pieces: &pieces.Rule{Gap: -1}}}, "Job.Shapes[0][0].Pieces bookahead: Rule.Gap -1 is negative"},
		{Shape{{On: "p", Units: 1, Duration: 4, Pieces: r}, {On: "p", Units: 1, Duration: 4}}, "Job.Shapes[0][0] 2 parts have one that bends, which must be the only one"},
		{Shape{{On: "p", Units: 1, Duration: 4}, {On: "p", Units: 1, Duration: 4, Volume: v}}, "Job.Shapes[0][1] 2 parts have one that bends"},
		{Shape{{On: "p", Units: 3, Duration: math.MaxInt64 / 4, Volume: v}}, "Job.Shapes[0][0].Units 3 for 2305843009213693951 ticks are a volume that overflows"},
		{Shape{{On: "p", Units: 3, Duration: 4, Volume: &volume.Request{Price: 1}}}, "has more than a Least"},
		{Shape{{On: "p", Units: 3, Duration: 4, Volume: &volume.Request{Least: 4}}}, "Job.Shapes[0][0].Volume.Least 4 is not between 0 and the Units, 3"},
		{Shape{{On: "p", Units: 3, Duration: 4, Volume: &volume.Request{Least: -1}}}, "Job.Shapes[0][0].Volume.Least -1 is not between"},
		{Shape{{On: "n", Units: 1, Duration: 4, Volume: v, Tasks: &nodes.Request{Each: nodes.Vector{1}}}}, "Job.Shapes[0][0].Volume 0 is not nil, but n has nodes"},
		{Shape{{On: "s", Units: 1, Duration: 4, Volume: v}}, "knows its servers, and is no pool"},
		{Shape{{On: "n", Units: 1, Duration: 4, Pieces: r, Tasks: &nodes.Request{Each: nodes.Vector{1, 1}}}}, "Each"},
	} {
		err := q.Submit(Job{ID: "a", Shapes: []Shape{x.shape}})
		require.ErrorIs(t, err, bookahead.ErrInvalid, x.text)
		require.ErrorContains(t, err, x.text)
	}
	_, err = q.Search(inPieces(1, 4, *r)[0][0], 0, 0)
	require.ErrorContains(t, err, "Part p bends, and a firm reservation does not")
	require.NoError(t, q.Submit(Job{ID: "a", Shapes: inPieces(5, 4, *r)})) // may come to have room
}

// TestPromiseBends: places that do not do the work by the rule are no promise.
func TestPromiseBends(t *testing.T) {
	at := func(units int64, ends ...bookahead.Time) (list []Place) {
		for i := 0; i < len(ends); i += 2 {
			list = append(list, Place{On: "p", Interval: bookahead.Interval{Start: ends[i], End: ends[i+1]}, Units: units, Head: -1})
		}
		return list
	}
	mixed := at(2, 3, 5, 5, 9)
	mixed[1].Units = 1
	paused := at(2, 3, 5, 6, 8)
	other := at(2, 3, 11)
	other[0].On = "x"
	for _, x := range []struct {
		shapes []Shape
		at     []Place
		text   string
	}{
		{inPieces(2, 8, pieces.Rule{Least: 3, Gap: 4, Restart: 1}), at(2, 3, 6, 10, 16), ""},
		{inPieces(2, 8, pieces.Rule{Least: 3, Gap: 4, Restart: 1}), at(2, 3, 11), ""},
		{inPieces(2, 8, pieces.Rule{Least: 3, Gap: 4, Restart: 1}), other, "place[0] [3, 11) is not on p"},
		{inPieces(2, 8, pieces.Rule{Least: 3, Gap: 4, Restart: 1}), at(2), "place 0 parts are not"},
		{inPieces(2, 8, pieces.Rule{Least: 3, Gap: 4, Restart: 1}), at(2, 3, 6, 11, 17), "place[1] [11, 17) begins 5 ticks after the piece before"},
		{inPieces(2, 8, pieces.Rule{Least: 3, Gap: 4, Restart: 1}), at(2, 3, 5, 9, 16), "place[0] [3, 5) does less than 3 ticks of the work"},
		{inPieces(2, 8, pieces.Rule{Least: 3, Gap: 4, Restart: 1}), at(2, 3, 6, 10, 15), "place[1] [10, 15) ends after 7 of the work, which is 8"},
		{inPieces(2, 8, pieces.Rule{Least: 3, Gap: 4, Restart: 1}), at(2, 3, 6, 10, 17), "place[1] [10, 17) ends after 9 of the work, which is 8"},
		{inPieces(2, 8, pieces.Rule{}), at(2, 3, 6, 5, 10), "place[1] [5, 10) is out of order"},
		{inPieces(2, 8, pieces.Rule{}), at(1, 3, 11), "place[0] [3, 11) has 1 units"},
		{asVolume(2, 1, 4), mixed, ""},
		{asVolume(2, 2, 4), mixed, "place[1] [5, 9) has 1 units"},
		{asVolume(2, 0, 4), paused, ""},
		{asVolume(2, 1, 4), paused, "place[1] [6, 8) begins after a pause"},
		{asVolume(2, 0, 4), at(3, 3, 6), "place[0] [3, 6) has 3 units"},
		{asVolume(2, 0, 4), at(2, 3, 8), "place[0] [3, 8) ends after 10 of the work, which is 8"},
		{asVolume(4, 0, 5), at(4, 3, 1<<62+8), "ends after 9223372036854775807 of the work, which is 20"}, // 2^64 and 20
		{asVolume(4, 0, 5), at(4, 3, 1<<62, 1<<62, 1<<62+1<<61), "ends after 9223372036854775807 of the work, which is 20"},
	} {
		q, _ := poolQueue(t, Config{Backfill: Conservative()})
		submit(t, q, Job{ID: "r", Shapes: on(4, 3)})
		pass(t, q, 0)
		submit(t, q, Job{ID: "a", Shapes: x.shapes})
		err := q.Promise("a", 0, x.at)
		if x.text != "" {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.ErrorContains(t, err, x.text)
			continue
		}
		require.NoError(t, err)
		_, err = q.Pass(context.Background(), 1)
		require.NoError(t, err)
		require.NoError(t, q.Verify())
		_, f, err := q.Job("a")
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(3), f.Promised)
	}
}

// A volume takes what is free, and is told each change of its units: also of those that a job leaves which ends early.
func TestVolumeChanges(t *testing.T) {
	q, pool := poolQueue(t, Config{Backfill: EASY(1)})
	submit(t, q, Job{ID: "r", Shapes: on(3, 10)}, Job{ID: "v", Shapes: asVolume(4, 0, 5)}, Job{ID: "s", Shapes: on(4, 3)})
	r, err := q.Pass(context.Background(), 0)
	require.NoError(t, err)
	require.Empty(t, r.Changes)
	require.Equal(t, []Promise{{"s", 13}}, r.Promises)
	require.Equal(t, "[[0, 10) [10, 13)]", text(r.Starts[1].Places))
	for _, s := range r.Starts {
		require.NoError(t, q.Started(s.Job))
	}
	require.NoError(t, q.Ended(4, "r")) // v has done 4 of 20
	r, err = q.Pass(context.Background(), 4)
	require.NoError(t, err)
	require.Equal(t, []Change{{"v", []Place{{On: "p", Interval: bookahead.Interval{Start: 4, End: 8}, Units: 4, Head: -1}}}}, r.Changes)
	_, f, err := q.Job("s")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(8), f.Promised)
	again, err := q.Pass(context.Background(), 4)
	require.NoError(t, err)
	require.Equal(t, r, again)
	require.Equal(t, bookahead.Time(8), q.Next())
	a, err := pool.RangeQuery(bookahead.Interval{Start: 4, End: 8})
	require.NoError(t, err)
	require.Zero(t, a.Free)
	require.NoError(t, q.Ended(8, "v"))
	started, _ := pass(t, q, 8)
	require.Equal(t, []ID{"s"}, started)
}

func text(at []Place) string {
	s := "["
	for i, x := range at {
		if i > 0 {
			s += " "
		}
		s += x.Interval.String()
	}
	return s + "]"
}

// A running volume pauses for a job with less to do than it has left, from the tick after its start on, and for no other.
func TestVolumeYields(t *testing.T) {
	for d, at := range map[bookahead.Duration]bookahead.Time{2: 1, 8: 1, 9: 10} { // v has 36 left at 1, and ends at 10
		q, _ := poolQueue(t, Config{Backfill: EASY(1), Yield: true})
		submit(t, q, Job{ID: "v", Shapes: asVolume(4, 0, 10)})
		pass(t, q, 0)
		submit(t, q, Job{ID: "s", Shapes: on(4, d)})
		started, _ := pass(t, q, 0)
		require.Empty(t, started)
		require.Equal(t, bookahead.Time(1), q.Next())
		r, err := q.Pass(context.Background(), 1)
		require.NoError(t, err)
		_, f, err := q.Job("s")
		require.NoError(t, err)
		require.Equal(t, at, f.Start, "%d ticks", d)
		if at > 1 {
			require.Empty(t, r.Changes)
			continue
		}
		require.Equal(t, []Change{{Job: "v"}}, r.Changes)
		require.NoError(t, q.Started("s"))
		_, f, err = q.Job("v")
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(10)+bookahead.Time(d), f.End)
		require.NoError(t, q.Ended(2, "s")) // sooner than it said
		r, err = q.Pass(context.Background(), 2)
		require.NoError(t, err)
		require.Equal(t, bookahead.Interval{Start: 2, End: 11}, r.Changes[0].Places[0].Interval)
	}
}

// A volume that has just begun yields at the next tick, also if another one alone was not enough until then.
func TestTwoVolumesYield(t *testing.T) {
	q, _ := poolQueue(t, Config{Backfill: FirstFit(), Yield: true})
	submit(t, q, Job{ID: "v", Shapes: asVolume(2, 0, 10)})
	pass(t, q, 0)
	submit(t, q, Job{ID: "w", Shapes: asVolume(2, 0, 10)})
	pass(t, q, 1)
	submit(t, q, Job{ID: "s", Shapes: on(4, 2)})
	started, _ := pass(t, q, 1)
	require.Empty(t, started)
	require.Equal(t, bookahead.Time(2), q.Next())
	started, _ = pass(t, q, 2)
	require.Equal(t, []ID{"s"}, started)
	for id, places := range map[ID]string{"v": "[[0, 2) [4, 12)]", "w": "[[1, 2) [4, 13)]"} {
		_, f, err := q.Job(id)
		require.NoError(t, err)
		require.Equal(t, places, text(f.Places))
	}
}

// What is left of a volume does not go where a job still runs that is to give way.
func TestVolumeYieldsWhenAnotherHasGone(t *testing.T) {
	q, _ := poolQueue(t, Config{Backfill: FirstFit(), Yield: true, Preempt: true})
	submit(t, q, Job{ID: "r", Preemptible: true, Shapes: on(3, 20)}, Job{ID: "v", Shapes: asVolume(2, 0, 20)})
	pass(t, q, 0)
	submit(t, q, Job{ID: "high", Class: 1, Shapes: on(2, 50)}, Job{ID: "s", Shapes: on(2, 2)})
	r, err := q.Pass(context.Background(), 1)
	require.NoError(t, err)
	require.Len(t, r.Starts, 1)
	require.Equal(t, []ID{"r"}, r.Starts[0].Victims)
	require.NoError(t, q.Requeue(1, "r"))
	require.NoError(t, q.Started("high"))
	started, _ := pass(t, q, 1)
	require.Equal(t, []ID{"s"}, started)
	require.NoError(t, q.Verify())
}

// A volume yields to a job behind the first in line too, which has more to do.
func TestVolumeYieldsBehindTheFirst(t *testing.T) {
	q, _ := poolQueue(t, Config{Backfill: EASY(1), Yield: true})
	submit(t, q, Job{ID: "v", Shapes: asVolume(4, 0, 10)})
	pass(t, q, 0)
	submit(t, q, Job{ID: "first", Shapes: on(4, 50)})
	for _, id := range []ID{"a", "b", "c", "d", "e", "f"} { // so many that a Pass asks for the room of all
		submit(t, q, Job{ID: id, Shapes: on(4, 60+bookahead.Duration(id[0]))})
	}
	submit(t, q, Job{ID: "s", Shapes: on(3, 2)})
	started, _ := pass(t, q, 1)
	require.Equal(t, []ID{"s"}, started)
	_, f, err := q.Job("v")
	require.NoError(t, err)
	require.Equal(t, "[[0, 1) [1, 3) [3, 10) [60, 62)]", text(f.Places)) // the promise of the first is kept
}

// A job in pieces that runs on nodes goes on where it is when the promise behind it has gone.
func TestPieceGoesOn(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}, {2}}})
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "n", Nodes: m}}, Backfill: EASY(1)})
	require.NoError(t, err)
	part := func(units int64, d bookahead.Duration) Part {
		return Part{On: "n", Units: units, Duration: d, Tasks: &nodes.Request{Each: nodes.Vector{1}}}
	}
	bent := part(1, 20)
	bent.Pieces = &pieces.Rule{Least: 3, Restart: 2}
	submit(t, q, Job{ID: "r", Shapes: []Shape{{part(3, 10)}}}, Job{ID: "large", Shapes: []Shape{{part(4, 5)}}}, Job{ID: "b", Shapes: []Shape{{bent}}})
	started, _ := pass(t, q, 0)
	require.Equal(t, []ID{"r", "b"}, started)
	_, f, err := q.Job("b")
	require.NoError(t, err)
	require.Equal(t, "[[0, 10) [15, 27)]", text(f.Places))
	_, err = q.Withdraw("large")
	require.NoError(t, err)
	r, err := q.Pass(context.Background(), 4)
	require.NoError(t, err)
	require.Empty(t, r.Changes)
	_, f, err = q.Job("b")
	require.NoError(t, err)
	require.Equal(t, "[[0, 20)]", text(f.Places))
	require.Equal(t, bookahead.Time(20), f.End)
	r, err = q.Pass(context.Background(), 12)
	require.NoError(t, err)
	require.Empty(t, r.Changes)
}

// threeHoles returns a queue whose pool of two units is free until 4, from 5 to 11 and from 20 on, and a job in pieces that can do four ticks in the
// first hole or six in the second, but not both: its best place begins at 5.
func threeHoles(t *testing.T) (q *Queue, bent Job) {
	p, err := carts.NewIndexed(2, carts.Config{})
	require.NoError(t, err)
	other, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	for _, w := range []bookahead.Interval{{Start: 4, End: 5}, {Start: 11, End: 20}} {
		_, err = p.Reserve(bookahead.At(w.Start, w.Len(), 1))
		require.NoError(t, err)
	}
	q, err = New(Config{Schedules: []Schedule{{Name: "p", Pool: p}, {Name: "q", Pool: other}}, Backfill: FirstFit()})
	require.NoError(t, err)
	return q, Job{ID: "b", Shapes: inPieces(2, 12, pieces.Rule{Least: 4, Restart: 3})}
}

// Where another job takes the best place of one in pieces, which was to begin later, that one starts now, though less is free.
func TestLessRoomStartsAJob(t *testing.T) {
	taker := Job{ID: "c", Shapes: []Shape{{{On: "q", Units: 1, Duration: 1}, {On: "p", Units: 1, Duration: 6, Offset: 5}}}}
	for _, at := range []string{"one pass", "a pass each", "a third job"} {
		q, b := threeHoles(t)
		submit(t, q, b)
		if at == "a pass each" {
			started, _ := pass(t, q, 0)
			require.Empty(t, started)
		}
		submit(t, q, taker)
		if at == "a third job" { // is of the kind, and behind both
			b.ID = "d"
			submit(t, q, b)
		}
		r, err := q.Pass(context.Background(), 0)
		require.NoError(t, err)
		require.Len(t, r.Starts, 2, at)
		require.Equal(t, ID("c"), r.Starts[0].Job)
		require.Equal(t, "[[0, 4) [20, 31)]", text(r.Starts[1].Places), at)
	}
	q, b := threeHoles(t)
	submit(t, q, b)
	b.ID = "d"
	submit(t, q, b)
	list, err := q.Forecasts(context.Background())
	require.NoError(t, err)
	require.Equal(t, "[[5, 11) [20, 29)]", text(list[0].Places))
	require.Equal(t, "[[0, 4) [29, 40)]", text(list[1].Places))
}

// What is lost stays where it is, until the caller says what has become of it.
func TestLostPieceStays(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}}})
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "n", Nodes: m}}, Backfill: FirstFit()})
	require.NoError(t, err)
	part := Part{On: "n", Units: 1, Duration: 12, Tasks: &nodes.Request{Each: nodes.Vector{1}}}
	bent := part
	bent.Pieces = &pieces.Rule{}
	_, err = m.Reserve(nodes.Request{Ready: 6, Duration: 20, Tasks: 1, Each: nodes.Vector{1}, Nodes: []int{0}})
	require.NoError(t, err)
	q.Changed()
	part.Tasks = &nodes.Request{Each: nodes.Vector{1}, Nodes: []int{1}}
	submit(t, q, Job{ID: "r", Shapes: []Shape{{part}}}, Job{ID: "b", Shapes: []Shape{{bent}}})
	started, _ := pass(t, q, 0)
	require.Equal(t, []ID{"r", "b"}, started)
	_, before, err := q.Job("b")
	require.NoError(t, err)
	require.Equal(t, "[[0, 6) [12, 18)]", text(before.Places))
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 2, End: 4}, Servers: []int{0}})
	require.NoError(t, err)
	q.Changed()
	require.NoError(t, q.Ended(2, "r")) // so that b would have room there
	r, err := q.Pass(context.Background(), 2)
	require.NoError(t, err)
	require.Len(t, r.Events, 1)
	require.Equal(t, Lost, r.Events[0].Kind)
	_, after, err := q.Job("b")
	require.NoError(t, err)
	require.Equal(t, before.Places, after.Places)
}

// An outage that is to come over a place of a running job is planned around, though the job ends later so.
func TestRestGoesAroundAnOutage(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}}})
	require.NoError(t, err)
	p, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "n", Nodes: m}, {Name: "p", Pool: p}}, Backfill: FirstFit()})
	require.NoError(t, err)
	part := Part{On: "n", Units: 1, Duration: 12, Tasks: &nodes.Request{Each: nodes.Vector{1}, Nodes: []int{0}}, Pieces: &pieces.Rule{Restart: 1}}
	submit(t, q, Job{ID: "b", Shapes: []Shape{{part}}}, Job{ID: "v", Shapes: asVolume(4, 1, 10)}, Job{ID: "w", Shapes: asVolume(4, 1, 10)})
	started, _ := pass(t, q, 0)
	require.Equal(t, []ID{"b", "v"}, started)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 5, End: 8}, Servers: []int{0}})
	require.NoError(t, err)
	_, err = p.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 6, End: 9}, Units: 3})
	require.NoError(t, err)
	q.Changed()
	r, err := q.Pass(context.Background(), 2)
	require.NoError(t, err)
	require.Empty(t, r.Events)
	for id, places := range map[ID]string{"b": "[[0, 5) [8, 16)]", "v": "[[0, 6) [6, 9) [9, 13)]"} {
		_, f, err := q.Job(id)
		require.NoError(t, err)
		require.Equal(t, places, text(f.Places))
	}
	for _, now := range []bookahead.Time{5, 6, 8, 9} {
		r, err = q.Pass(context.Background(), now)
		require.NoError(t, err)
		require.Len(t, r.Changes, 1)
		require.Empty(t, r.Events)
	}
}

// A volume whose units are closed keeps them until the caller says otherwise, also if it would end earlier after a pause.
func TestVolumeDoesNotPauseAtOnce(t *testing.T) {
	q, pool := poolQueue(t, Config{Backfill: FirstFit(), Order: ByPriority()})
	x, err := pool.Reserve(bookahead.At(2, 8, 2))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, Job{ID: "v", Shapes: asVolume(2, 0, 4)}, Job{ID: "r", Priority: 1, Shapes: on(2, 20)})
	started, _ := pass(t, q, 0)
	require.Equal(t, []ID{"r", "v"}, started)
	require.NoError(t, pool.Release(x.ID))
	_, err = pool.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 3}, Units: 2})
	require.NoError(t, err)
	q.Changed()
	for now, places := range []string{"[[0, 2) [10, 12)]", "[[0, 2) [10, 12)]", "[[0, 2) [3, 5)]"} {
		_, err = q.Pass(context.Background(), bookahead.Time(now))
		require.NoError(t, err)
		_, f, err := q.Job("v")
		require.NoError(t, err)
		require.Equal(t, places, text(f.Places))
		_, err = q.Clone()
		require.NoError(t, err)
	}
}

// A context that is done in the search for the rest of a running job ends the Pass, and the next one looks again.
func TestStoppedRestIsPlannedLater(t *testing.T) {
	stopped := 0
	for n := range 4 {
		for _, shapes := range [][]Shape{inPieces(4, 12, pieces.Rule{Restart: 1}), asVolume(4, 0, 12)} {
			q, pool := poolQueue(t, Config{Backfill: EASY(1)})
			x, err := pool.Reserve(bookahead.At(8, 4, 4))
			require.NoError(t, err)
			q.Changed()
			submit(t, q, Job{ID: "b", Shapes: shapes})
			pass(t, q, 0)
			require.NoError(t, q.Release("p", x.ID))
			_, err = q.Pass(&fuse{context.Background(), n}, 1)
			if err != nil {
				stopped++
				require.ErrorIs(t, err, bookahead.ErrStopped)
				_, err = q.Pass(context.Background(), 1)
			}
			require.NoError(t, err)
			_, f, err := q.Job("b")
			require.NoError(t, err)
			require.Equal(t, "[[0, 12)]", text(f.Places), "done after %d searches", n)
		}
	}
	require.Greater(t, stopped, 2)
}

// fuse is a context that is done for all who ask after some others.
type fuse struct {
	context.Context
	left int
}

func (f *fuse) Done() <-chan struct{} {
	done := make(chan struct{})
	f.left--
	if f.left < 0 {
		close(done)
	}
	return done
}

func (f *fuse) Err() error {
	if f.left < 0 {
		return context.Canceled
	}
	return nil
}

// Use of groups alone, which is halved, is a reason for a Pass too.
func TestNextHearsOfGroups(t *testing.T) {
	q, _ := poolQueue(t, Config{Order: FairShare(Share{HalfLife: 7})})
	submit(t, q, Job{ID: "r", Shapes: on(4, 100)})
	pass(t, q, 0)
	submit(t, q, Job{ID: "a", Shapes: on(4, 3)})
	require.NoError(t, q.Charge("", "h", 1, 50))
	require.NoError(t, q.Charge("", "g", 1, -500))
	pass(t, q, 1)
	require.Equal(t, bookahead.Time(7), q.Next())
}
