package desk

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// newJoint starts a long run with many steps under quotas of unit-ticks, with and without terms.
func newJoint(t require.TestingT, seed uint64, do doer) *long {
	l := newLong(t, 4*seed+2+seed%2, do) // both kinds of seeds have quotas
	l.joint = true
	if seed%4 == 1 {
		l.only = "both" // buffers
	}
	return l
}

// TestJointQuotasByBruteForce compares the places of shapes of which quotas count two steps with those that the oracle
// finds by trying all starts: in commands of all kinds, and for waiting bookings.
func TestJointQuotasByBruteForce(t *testing.T) {
	forms := map[string]int{}
	left := cases() * 4
	for seed := uint64(0); left > 0; seed++ {
		l := newJoint(t, seed, (*Desk).Do)
		for range min(400, left) {
			l.step()
		}
		require.NoError(t, l.x.audit())
		left -= 400
		for k, n := range l.o.forms {
			forms[k] += n
		}
	}
	t.Logf("%d commands: %v", cases()*4, forms)
	for _, form := range []string{"first", "rigid", "none"} {
		require.GreaterOrEqual(t, forms[form], cases()/200, form)
	}
}

// rigidly does each Book of one shape whose steps joint quotas count with a search that is wrong on purpose: find places
// the steps, which have their first place.
func rigidly(find func(s *trial, r *Request, joint []*quotaRule, steps []*step) error) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(Book)
		e, err := d.Decide(c)
		if !ok || err != nil || len(e.Decision.Places) == 0 || len(k.Shapes) != 1 {
			return d.Do(c)
		}
		s := trial{books: &d.b, meter: unlimited()}
		joint := s.jointQuotas(&k.Request, k.Shapes[0])
		if len(joint) == 0 {
			return d.Do(c)
		}
		steps := s.steps(&k.Request, k.Shapes[0])
		err = s.pad(&k.Request, steps)
		if err == nil {
			err = chain(steps, k.Ready, s.now, unlimited())
		}
		if err == nil {
			err = find(&s, &k.Request, joint, steps)
		}
		x := spot{}
		for i := 0; i < len(steps) && err == nil; i++ {
			err = steps[i].add(&s, &x)
		}
		if err != nil {
			return Outcome{}, err
		}
		e.Decision.Places, e.Decision.on = x.places, x.on
		return d.Apply(e)
	}
}

var rigidFaults = []fault{
	{"the first place although it breaks a quota", rigidly(func(*trial, *Request, []*quotaRule, []*step) error { return nil })},
	{"a rigid place without the buffers between steps", rigidly(func(s *trial, r *Request, joint []*quotaRule, steps []*step) error {
		for _, st := range steps {
			st.apart = nil
		}
		return s.keepJoint(joint, r, steps)
	})},
	{"a quota that counts only the first step", rigidly(func(s *trial, r *Request, joint []*quotaRule, steps []*step) error {
		start := steps[0].plan.Start
		_, err := s.quotaClaims(joint, r, steps[0].parts).Next(start, start, unlimited())
		if err == nil {
			return nil
		}
		return searchFixed(steps, leastDistances(steps), s.quotaClaims(s.rules, r, steps[0].parts), s.now, unlimited())
	})},
	{"a rigid place although the first one breaks no quota", rigidly(func(s *trial, r *Request, _ []*quotaRule, steps []*step) error {
		at := leastDistances(steps)
		return searchFixed(steps, at, s.quotaClaims(s.rules, r, laid(steps, at)), s.now, unlimited())
	})},
}

// TestRigidFaultsAreCaught checks that the comparison finds each fault of rigid places, and none where nothing is wrong.
func TestRigidFaultsAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("the faults are in the test: they show that the comparison sees them")
	}
	_, found := findsIn(newJoint, rigidly(rightly), 0, 2000, false)
	require.False(t, found)
	for _, f := range rigidFaults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			ops, found := findsIn(newJoint, f.do, firstSeeds[f.name], 50_000, false)
			require.True(t, found, "not after %d commands", ops)
			t.Logf("after %d commands", ops)
		})
	}
}

// rightly is heed, for rigidly.
func rightly(s *trial, r *Request, joint []*quotaRule, steps []*step) error {
	return s.keepJoint(joint, r, steps)
}

// deskOfSteps returns a desk with three pools of a unit, and a quota of 4 unit-ticks in each 6 ticks.
func deskOfSteps(t *testing.T) *Desk {
	d := deskWith(t, "a", Pool{Units: 1}, "b", Pool{Units: 1}, "c", Pool{Units: 1})
	must(t, d, SetQuota{"q", Quota{Ticks: 4, Every: 6, Owners: []string{"ann"}}})
	return d
}

// twoSteps is 3 ticks of a, and then 2 of b.
func twoSteps(most bookahead.Duration) Request {
	return Request{Owner: "ann", Shapes: []Shape{{{On: "a", Units: 1, Duration: 3}, {On: "b", Units: 1, Duration: 2, After: &Gap{0, most}}}}}
}

// TestPictureOfRigid has the place of heed's comment, and others beside it.
func TestPictureOfRigid(t *testing.T) {
	d := deskOfSteps(t)
	k := must(t, d.Clone(), Book{Request: twoSteps(9)})
	require.Equal(t, []bookahead.Interval{ticks(2, 5), ticks(5, 7)}, times(k), "rigid")
	must(t, d, Book{Request: at(3, "b", 1, 4)})
	k = must(t, d, Book{Request: twoSteps(9)})
	require.Equal(t, []bookahead.Interval{ticks(0, 3), ticks(7, 9)}, times(k), "the first place breaks nothing, and has a wide gap")

	d = deskOfSteps(t)
	r := twoSteps(9)
	r.Deadline = 6
	_, err := d.Do(Book{Request: r})
	require.Equal(t, bookahead.ErrUnavailable, err)
	f, err := d.Why(r, bookahead.Effort{})
	require.NoError(t, err)
	require.Len(t, f.Obstacles, 1)
	require.Equal(t, `quota "q" has 0 of 4 unit-ticks in use, and room for 5 at 2`, f.Obstacles[0].String())
	require.Equal(t, ticks(2, 7), f.Next)
	must(t, d, SetQuota{"q", Quota{Ticks: 4, Window: 50}})
	r.Deadline = 0
	_, err = d.Do(Book{Request: r})
	require.Equal(t, bookahead.ErrUnavailable, err, "there is never room for 5")
}

// TestPictureOfRigidLeaps has the starts of rigid's comment: the claims leap from 0 to 2, and step 0 from there to 4.
func TestPictureOfRigidLeaps(t *testing.T) {
	d := deskOfSteps(t)
	must(t, d, Book{Request: at(3, "a", 1, 1)})
	r := twoSteps(0)
	free := d.Clone()
	must(t, free, DropQuota{"q"})
	require.Equal(t, []bookahead.Interval{ticks(0, 3), ticks(3, 5)}, times(must(t, free, Book{Request: r})), "the first place")
	require.Equal(t, []bookahead.Interval{ticks(4, 7), ticks(7, 9)}, times(must(t, d, Book{Request: r})), "the rigid one")
}

// TestShapesWithRigidPlaces: the shape that ends first is booked, whether it has its first place or a rigid one.
func TestShapesWithRigidPlaces(t *testing.T) {
	for length, want := range map[bookahead.Duration]int{7: 0, 6: 1} {
		d := deskOfSteps(t)
		must(t, d, SetQuota{"q", Quota{Ticks: 4, Every: 6, On: []string{"a", "b"}}})
		r := twoSteps(0)
		r.Shapes = append(r.Shapes, Shape{{On: "c", Units: 1, Duration: length}})
		k := must(t, d, Book{Request: r})
		require.Equal(t, want, k.Shape)
	}
}

// TestBuffersOfRigidPlaces: steps on one schedule keep their buffers, and a step between them goes along with the later one.
func TestBuffersOfRigidPlaces(t *testing.T) {
	d := deskOfSteps(t)
	must(t, d, SetTerms{"a", Terms{After: 4}})
	shape := Shape{{On: "a", Units: 1, Duration: 2}, {On: "b", Units: 1, Duration: 1, After: &Gap{0, 9}}, {On: "a", Units: 1, Duration: 2, After: &Gap{0, 1}}}
	r := Request{Owner: "ann", Shapes: []Shape{shape}}
	free := must(t, d.Clone(), Book{Request: r})
	require.Equal(t, []bookahead.Interval{ticks(0, 2), ticks(4, 5), ticks(6, 8)}, times(free))
	must(t, d, SetQuota{"q", Quota{Ticks: 2, Periods: []bookahead.Interval{ticks(0, 5)}}})
	k := must(t, d, Book{Request: r})
	require.Equal(t, []bookahead.Interval{ticks(1, 3), ticks(5, 6), ticks(7, 9)}, times(k))
}

// TestRoomThatOthersTake: a booking of two steps that waits may get a place when others take the first that it would have.
func TestRoomThatOthersTake(t *testing.T) {
	for name, take := range map[string]Command{
		"book":   Book{Request: at(3, "b", 1, 4)},
		"series": BookSeries{Request: asks(Part{On: "b", Units: 1, Duration: 4}), At: Occurrences{ticks(3, 7)}},
		"close":  Close{On: "b", Interval: ticks(3, 7), Units: 1},
		"batch":  Batch{[]Command{Book{Request: at(3, "b", 1, 4)}}},
	} {
		d := deskOfSteps(t)
		must(t, d, Book{Request: at(3, "a", 1, 20)})
		r := twoSteps(9)
		r.Deadline = 12
		wait := Book{Request: r, Wait: 9}
		if name == "batch" {
			take = Batch{append([]Command{wait}, take.(Batch).Commands...)}
		} else {
			require.Equal(t, Waiting, must(t, d, wait).State, name)
		}
		out, err := d.Do(take)
		require.NoError(t, err, name)
		i := slices.IndexFunc(out.Events, func(e Event) bool { return e.What == WasBooked && e.Owner == "ann" })
		require.GreaterOrEqual(t, i, 0, name)
		k, err := d.Booking(out.Events[i].Booking)
		require.NoError(t, err)
		require.Equal(t, []bookahead.Interval{ticks(0, 3), ticks(7, 9)}, times(k), name)
		require.NoError(t, d.Verify())
	}
}

// TestRunningStepsUnderAQuota: a booking that has begun keeps the starts of its steps, or is placed anew as any request.
func TestRunningStepsUnderAQuota(t *testing.T) {
	d := deskOfSteps(t)
	k := must(t, d, Book{Request: twoSteps(9)})
	must(t, d, Advance{3})
	to := twoSteps(9)
	to.Shapes[0][1].Duration = 6
	_, err := d.Do(Change{ID: k.ID, To: to})
	require.Equal(t, bookahead.ErrUnavailable, err, "5 of [6, 12)")
	to.Shapes[0][1].Duration = 5
	require.Equal(t, []bookahead.Interval{ticks(2, 5), ticks(5, 10)}, times(must(t, d.Clone(), Change{ID: k.ID, To: to})))

	// Pool a is closed from 3 on, so the rest of step 0 goes on from 8, and step 1 follows it.
	out, err := d.Do(Close{On: "a", Interval: ticks(3, 8), Units: 1, Force: Anybody})
	require.NoError(t, err)
	require.NoError(t, d.Verify())
	moved, err := d.Booking(k.ID)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(8, 10), ticks(10, 12)}, times(moved), "%v", out.Events)
	require.Empty(t, d.OverQuota())
}

// TestChangeAndRepairOfSteps: a Change and a repair place the steps as a Book does.
func TestChangeAndRepairOfSteps(t *testing.T) {
	d := deskOfSteps(t)
	k := must(t, d, Book{Request: twoSteps(9)})
	to := twoSteps(9)
	to.Ready = 1
	require.Equal(t, []bookahead.Interval{ticks(2, 5), ticks(5, 7)}, times(must(t, d.Clone(), Change{ID: k.ID, To: to})))
	must(t, d, Close{On: "b", Interval: ticks(5, 6), Units: 1, Force: Anybody})
	moved, err := d.Booking(k.ID)
	require.NoError(t, err)
	require.Equal(t, Booked, moved.State)
	require.Equal(t, []bookahead.Interval{ticks(2, 5), ticks(6, 8)}, times(moved))
}

// TestRigidLeapsAreBounded: a search for a rigid place in a backlog stops after so many searches, too.
func TestRigidLeapsAreBounded(t *testing.T) {
	d, shape := backlog(t, 1_200)
	shape = append(shape, Part{On: "b", Units: 1, Duration: 1, After: &Gap{0, 1 << 40}})
	must(t, d, SetQuota{"q", Quota{Ticks: 1, Periods: []bookahead.Interval{ticks(0, 10), ticks(2_300, 2_310)}, Owners: []string{"ann"}}})
	_, err := d.Search(Request{Owner: "ann", Shapes: []Shape{shape}}, bookahead.Effort{Steps: 1 << 20})
	require.ErrorIs(t, err, bookahead.ErrStopped)
	require.ErrorContains(t, err, "no place starts before")
	k, err := d.Search(Request{Owner: "ann", Shapes: []Shape{shape}, Ready: 2_290}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, k.Places[len(shape)-2].End, k.Places[len(shape)-1].Start, "rigid")
}
