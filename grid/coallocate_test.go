package grid

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

// scan is the brute force: every start, from the first to the last.
func (j Job) scan() (bookahead.Time, error) {
	end := bookahead.Time(axis)
	if j.Deadline != 0 {
		end = min(end, j.Deadline)
	}
	for t := max(j.Ready, -axis); t < axis; t++ {
		late := slices.ContainsFunc(j.Parts, func(p Part) bool { return p.window(t).End > end })
		if !late && fits(j.Parts, 0, t) {
			return t, nil
		}
	}
	return 0, bookahead.ErrUnavailable
}

func drawJob(t *rapid.T, members []*cells) Job {
	j := Job{Ready: bookahead.Time(rapid.IntRange(-5, 40).Draw(t, "ready"))}
	span := bookahead.Duration(0)
	for range rapid.IntRange(1, 4).Draw(t, "parts") {
		c := members[rapid.IntRange(0, len(members)-1).Draw(t, "on")]
		p := Part{
			On:       c,
			Offset:   bookahead.Duration(max(0, rapid.IntRange(-8, 12).Draw(t, "offset"))),
			Duration: bookahead.Duration(rapid.IntRange(1, 12).Draw(t, "duration")),
			Units:    rapid.Int64Range(1, min(3, c.capacity)+1).Draw(t, "units"), // perhaps one too many
		}
		if c.servers && p.Units <= c.capacity && rapid.IntRange(0, 3).Draw(t, "named") == 3 {
			all := []int{0, 1, 2, 3, 4}[:c.capacity]
			n := rapid.Int64Range(p.Units, c.capacity).Draw(t, "number named")
			p.Servers = rapid.Permutation(all).Draw(t, "servers")[:n]
		}
		span = max(span, p.Offset+p.Duration)
		j.Parts = append(j.Parts, p)
	}
	if rapid.Bool().Draw(t, "limited") {
		j.Deadline = j.Ready + bookahead.Time(span) + bookahead.Time(rapid.IntRange(0, 40).Draw(t, "slack"))
	}
	return j
}

// A scan of all starts finds the same start, whatever members the parts are on and
// however they overlap. The parts are booked as offered, and a job that is refused or
// given back leaves no trace. Some members are closed for a time, and overbooked.
func TestCoAllocateEqualsTheScan(t *testing.T) {
	count := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		members := []*cells{drawCells(t, axis), drawCells(t, axis), drawCells(t, axis)}
		for _, c := range members {
			changes := rapid.IntRange(0, 2).Draw(t, "closed") == 2
			if changes {
				c.drawClosure(t)
			}
			for range rapid.IntRange(0, 12).Draw(t, "booked") {
				r := bookahead.Request{
					Ready:    bookahead.Time(rapid.IntRange(0, 60).Draw(t, "ready")),
					Duration: bookahead.Duration(rapid.IntRange(1, 15).Draw(t, "duration")),
					Units:    rapid.Int64Range(1, c.capacity).Draw(t, "units"),
				}
				if res, err := c.Reserve(r); err == nil {
					c.add(t, res.Offer, true)
				}
			}
			if changes { // reservations there are overbooked now
				c.drawClosure(t)
			}
		}
		var live []Allocation
		var jobs []Job // of those that are live
		for range 6 {
			j := drawJob(t, members)
			real := j.real()
			plan, err := CoSearch(real)
			again, errAgain := CoSearch(real)
			require.Equal(t, plan, again)
			require.Equal(t, err, errAgain)
			if chained(j) {
				require.ErrorIs(t, err, bookahead.ErrInvalid)
				count["chained"]++
				continue
			}
			want, wantErr := j.scan()
			require.Equal(t, wantErr, err)
			a, errBook := CoAllocate(real)
			require.Equal(t, err, errBook)
			if err != nil {
				count["unavailable"]++
				if !couldEverFit(j) {
					count["too large"]++
				}
				for _, c := range members {
					c.agrees(t)
				}
				continue
			}
			count["booked"]++
			require.Equal(t, want, plan.Start)
			require.Equal(t, want, a.Start)
			for i, p := range j.Parts {
				o := a.Parts[i].Offer
				require.Equal(t, plan.Parts[i], o)
				require.Equal(t, p.window(want), o.Interval)
				require.Equal(t, p.Units, o.Units)
				p.On.(*cells).add(t, o, true)
				for _, k := range o.Servers {
					require.True(t, p.Servers == nil || slices.Contains(p.Servers, k))
				}
				if p.On.(*cells).servers {
					require.Len(t, o.Servers, int(p.Units))
				}
			}
			live, jobs = append(live, a), append(jobs, j)
			for _, c := range members {
				c.agrees(t)
			}
			if rapid.IntRange(0, 2).Draw(t, "release") == 2 {
				k := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				require.NoError(t, live[k].Release())
				for i, res := range live[k].Parts {
					jobs[k].Parts[i].On.(*cells).add(t, res.Offer, false)
				}
				require.Equal(t, bookahead.ErrNotFound, live[k].Release())
				live, jobs = slices.Delete(live, k, k+1), slices.Delete(jobs, k, k+1)
				for _, c := range members {
					c.agrees(t)
				}
			}
		}
	})
	t.Log(count)
	for _, kind := range []string{"booked", "unavailable", "too large"} { // chains are rare
		require.Positive(t, count[kind], kind)
	}
}

// real is the job on the members themselves, behind their locks if they have any.
func (j Job) real() Job {
	j.Parts = slices.Clone(j.Parts)
	for i, p := range j.Parts {
		j.Parts[i].On = p.On.(*cells).Keeper
	}
	return j
}

// couldEverFit reports whether the job could start if nothing was booked and no one
// was in a hurry.
func couldEverFit(j Job) bool {
	empty := map[Member]*cells{}
	parts := slices.Clone(j.Parts)
	for i, p := range parts {
		c := p.On.(*cells)
		if empty[c] == nil {
			empty[c] = &cells{capacity: c.capacity, servers: c.servers, horizon: c.horizon}
		}
		parts[i].On = empty[c]
	}
	_, err := Job{Parts: parts}.scan()
	return err == nil
}

// chained reports whether some parts on servers overlap, and have no tick in
// common.
func chained(j Job) bool {
	s := &search{Job: j}
	for _, set := range s.overlapping() {
		var from, to bookahead.Duration = 0, 1 << 40
		for _, i := range set {
			from, to = max(from, j.Parts[i].Offset), min(to, j.Parts[i].Offset+j.Parts[i].Duration)
		}
		if len(set) > 1 && from >= to && j.Parts[set[0]].On.(*cells).servers {
			return true
		}
	}
	return false
}

// failing is a member of which a call can be made to fail.
type failing struct {
	bookahead.Keeper
	reserves, releases, rebooks, queries int   // calls until one fails; 0 for never
	err                                  error // instead of errInjected
}

var errInjected = errors.New("the line is down")

// fail returns the error if the calls left come to nothing.
func (f *failing) fail(left *int) error {
	*left--
	if *left != 0 {
		return nil
	}
	if f.err != nil {
		return f.err
	}
	return errInjected
}

func (f *failing) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if err := f.fail(&f.reserves); err != nil {
		return bookahead.Reservation{}, err
	}
	return f.Keeper.Reserve(r)
}

func (f *failing) Release(id bookahead.ID) error {
	if err := f.fail(&f.releases); err != nil {
		return err
	}
	return f.Keeper.Release(id)
}

func (f *failing) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	if err := f.fail(&f.rebooks); err != nil {
		return bookahead.Reservation{}, err
	}
	return f.Keeper.Rebook(id, r)
}

func (f *failing) Search(r bookahead.Request) (bookahead.Offer, error) {
	if err := f.fail(&f.queries); err != nil {
		return bookahead.Offer{}, err
	}
	return f.Keeper.Search(r)
}

func (f *failing) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	if err := f.fail(&f.queries); err != nil {
		return bookahead.Offer{}, err
	}
	return f.Keeper.SearchFor(id, r)
}

func (f *failing) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	if err := f.fail(&f.queries); err != nil {
		return bookahead.Availability{}, err
	}
	return f.Keeper.RangeQuery(w)
}

func newPool(t require.TestingT, capacity int64) *carts.Indexed {
	s, err := carts.NewIndexed(capacity, carts.Config{})
	require.NoError(t, err)
	return s
}

func newServers(t require.TestingT, n int64) *idletree.Tree {
	s, err := idletree.NewTree(n, idletree.Config{})
	require.NoError(t, err)
	return s
}

func freeIn(t require.TestingT, s bookahead.Schedule, start, end bookahead.Time) int64 {
	a, err := s.RangeQuery(bookahead.Interval{Start: start, End: end})
	require.NoError(t, err)
	return a.Free
}

// The error names the part that cannot be given back, and the first fault; the other
// parts are given back.
func TestARollbackThatFailsIsReported(t *testing.T) {
	first, second, third := &failing{Keeper: newPool(t, 4)}, &failing{Keeper: newPool(t, 4)}, &failing{Keeper: newPool(t, 4)}
	first.releases, third.reserves = 1, 1
	job := Job{Parts: []Part{{On: first, Duration: 5, Units: 2}, {On: second, Duration: 5, Units: 2}, {On: third, Duration: 5, Units: 2}}}
	_, err := CoAllocate(job)
	require.ErrorIs(t, err, errInjected)
	require.EqualError(t, err, "grid: Parts[2]: the line is down\ngrid: Parts[0] is still booked as #1 [0, 5) 2: the line is down")
	require.EqualValues(t, 2, freeIn(t, first, 0, 5))
	require.EqualValues(t, 4, freeIn(t, second, 0, 5))
	require.EqualValues(t, 4, freeIn(t, third, 0, 5))

	second.reserves = 1
	_, err = CoAllocate(job)
	require.EqualError(t, err, "grid: Parts[1]: the line is down")

	a, err := CoAllocate(job)
	require.NoError(t, err)
	second.releases = 1
	require.EqualError(t, a.Release(), "grid: Parts[1] is still booked as #2 [0, 5) 2: the line is down")
	require.EqualValues(t, 2, freeIn(t, first, 0, 5))
	require.EqualValues(t, 2, freeIn(t, second, 0, 5))
	require.EqualValues(t, 4, freeIn(t, third, 0, 5))
	require.NoError(t, a.Release())
	require.Equal(t, bookahead.ErrNotFound, a.Release())
}

// The parts of a running job end one by one; the rest is given back.
func TestReleaseWhileItRuns(t *testing.T) {
	disk, nodes := newPool(t, 1), newPool(t, 8)
	a, err := CoAllocate(Job{Parts: []Part{
		{On: disk, Duration: 10, Units: 1},
		{On: nodes, Offset: 10, Duration: 20, Units: 8},
		{On: disk, Offset: 30, Duration: 10, Units: 1},
	}})
	require.NoError(t, err)
	for _, s := range []bookahead.Schedule{disk, nodes} {
		require.NoError(t, s.Advance(15))
	}
	require.NoError(t, a.Release())
	require.EqualValues(t, 8, freeIn(t, nodes, 15, 30))
	require.EqualValues(t, 1, freeIn(t, disk, 15, 40))
	require.Equal(t, bookahead.ErrNotFound, a.Release())
}

// A job that is never possible is invalid, and the error names the part.
func TestJobsAreChecked(t *testing.T) {
	p, small := newPool(t, 4), newPool(t, 2)
	tree := newServers(t, 3)
	broker, err := NewBroker(Config{}, newPool(t, 4), newPool(t, 4))
	require.NoError(t, err)
	one := func(p Part) Job { return Job{Parts: []Part{{On: small, Duration: 1, Units: 1}, p}} }
	for want, j := range map[string]Job{
		"Job.Parts 0 is less than 1":                                             {},
		"Job.Parts[1].On <nil> is nil":                                           one(Part{Duration: 1, Units: 1}),
		"Job.Parts[1].Offset -3 is negative":                                     one(Part{On: p, Offset: -3, Duration: 1, Units: 1}),
		"Job.Parts[1]: bookahead: Request.Units 0 is less than 1":                one(Part{On: p, Duration: 1}),
		"Job.Parts[1]: bookahead: Request.Duration 0 is less than 1":             one(Part{On: p, Units: 1}),
		"Job.Parts[1]: bookahead: Request.Duration 9223372036854775807 aft":      one(Part{On: p, Offset: 1, Duration: 1<<63 - 1, Units: 1}),
		"Job.Parts[1].Servers [0] are named, but a pool has units only":          one(Part{On: p, Duration: 1, Units: 1, Servers: []int{0}}),
		"Job.Ready 9223372036854775807 plus the 1 ticks of the parts overfl":     {Ready: bookahead.MaxTime, Parts: one(Part{On: p, Duration: 1, Units: 1}).Parts},
		"Job.Deadline 4 is before Ready + the 5 ticks of the parts":              {Deadline: 4, Parts: one(Part{On: p, Offset: 2, Duration: 3, Units: 1}).Parts},
		"Job.Parts[1].Servers 1073741824 is not below the 3 servers of the memb": {Parts: []Part{{On: tree, Duration: 5, Units: 1}, {On: tree, Duration: 5, Units: 1, Servers: []int{1 << 30}}}},
		"Job.Parts[1].Servers [2] are named, but a pool has units only":          {Parts: []Part{{On: p, Duration: 5, Units: 1}, {On: p, Duration: 5, Units: 1, Servers: []int{2}}}},
		"Job.Parts[1] on *grid.Broker overlaps Parts[0], and a Broker may":       {Parts: []Part{{On: broker, Duration: 5, Units: 1}, {On: broker, Duration: 5, Units: 1}}},
		"Job.Parts[1] on *idletree.Tree overlaps Parts[0], but not all that":     {Parts: []Part{{On: tree, Duration: 5, Units: 1}, {On: tree, Offset: 4, Duration: 5, Units: 1}, {On: tree, Offset: 8, Duration: 5, Units: 1}}},
	} {
		_, err := CoAllocate(j)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
		require.EqualValues(t, 2, freeIn(t, small, 0, bookahead.MaxTime))
	}
	for _, j := range []Job{
		one(Part{On: p, Duration: 1, Units: 5}),
		{Parts: []Part{{On: p, Duration: 5, Units: 4}, {On: p, Offset: 3, Duration: 5, Units: 1}}},
		{Parts: []Part{{On: tree, Duration: 5, Units: 1}, {On: tree, Duration: 5, Units: 3}}},
		{Parts: []Part{{On: p, Duration: 5, Units: 4}, {On: p, Duration: 5, Units: 1<<63 - 1}}},
		{Parts: []Part{{On: tree, Duration: 5, Units: 3}, {On: tree, Duration: 5, Units: 1<<63 - 1}}},
		{Ready: -2, Deadline: -1, Parts: []Part{{On: small, Duration: 1, Units: 2}, {On: small, Duration: 1, Units: 1}}},
		{Ready: -10, Deadline: -5, Parts: []Part{{On: p, Duration: 1, Units: 1}}},
		{Ready: -10, Deadline: 5, Parts: []Part{{On: p, Duration: 1, Units: 1}, {On: small, Offset: 7, Duration: 1, Units: 1}}},
		{Ready: 1, Deadline: 4, Parts: []Part{{On: fullPool(t), Duration: 2, Units: 1}}},
	} {
		_, err := CoSearch(j)
		require.Equal(t, bookahead.ErrUnavailable, err)
	}
	plan, err := CoSearch(Job{Ready: -1 << 63, Deadline: 10, Parts: []Part{{On: p, Offset: 4, Duration: 1, Units: 1}, {On: small, Offset: 5, Duration: 1, Units: 1}}})
	require.NoError(t, err)
	require.EqualValues(t, -4, plan.Start) // its first part starts now
}

// fullPool is a pool that has nothing to give before 100.
func fullPool(t require.TestingT) bookahead.Schedule {
	s := newPool(t, 1)
	_, err := s.Reserve(bookahead.Request{Duration: 100, Units: 1})
	require.NoError(t, err)
	return s
}

// A server that both parts could have goes to the part that has no other.
func TestServersAreMatched(t *testing.T) {
	tree := newServers(t, 3)
	take := func(server int, start, end bookahead.Time) {
		_, err := tree.Reserve(bookahead.Request{Ready: start, Deadline: end, Duration: bookahead.Duration(end - start), Units: 1, Servers: []int{server}})
		require.NoError(t, err)
	}
	take(0, 10, 50) // for the short part it is free until then
	take(1, 0, 5)
	take(2, 0, 100)
	// At 5 both could have server 1, the short part server 0 as well.
	job := Job{Parts: []Part{{On: tree, Duration: 5, Units: 1}, {On: tree, Duration: 20, Units: 1}}}
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		j := Job{Parts: []Part{job.Parts[order[0]], job.Parts[order[1]]}}
		a, err := CoAllocate(j)
		require.NoError(t, err)
		require.EqualValues(t, 5, a.Start)
		require.Equal(t, "[5, 10) [0]", a.Parts[order[0]].Offer.String())
		require.Equal(t, "[5, 25) [1]", a.Parts[order[1]].Offer.String())
		require.NoError(t, a.Release())
	}
	// From 6 on server 0 is gone for the short part too: one part must wait for it.
	job.Ready = 6
	plan, err := CoSearch(job)
	require.NoError(t, err)
	require.EqualValues(t, 50, plan.Start)
}

// A part on a Broker is not looked for beside one on its own provider: which of them
// gets the units is for the Broker to say, and only once it is booked.
func TestABrokerIsNotAskedBesideItsProvider(t *testing.T) {
	x := newPool(t, 4)
	b, err := NewBroker(Config{}, x)
	require.NoError(t, err)
	_, err = x.Reserve(bookahead.Request{Duration: 10, Units: 1})
	require.NoError(t, err)
	for _, on := range [][2]Member{{b, x}, {x, b}, {bookahead.Locked(x), b}} {
		job := Job{Parts: []Part{{On: on[0], Duration: 5, Units: 3}, {On: on[1], Duration: 5, Units: 1}}}
		_, err = CoAllocate(job)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "Job.Parts[1] ")
		require.ErrorContains(t, err, "shares a schedule with Parts[0], which is on ")
	}
	// One after the other they are in nobody's way, whichever comes first, and so are two
	// parts on one member.
	jobs := [][]Part{{{On: x, Duration: 5, Units: 1}, {On: x, Duration: 5, Units: 1}}}
	for _, on := range [][2]Member{{b, x}, {bookahead.Locked(x), b}, {b, b}} {
		jobs = append(jobs,
			[]Part{{On: on[0], Duration: 5, Units: 3}, {On: on[1], Offset: 5, Duration: 5, Units: 1}},
			[]Part{{On: on[0], Offset: 5, Duration: 5, Units: 3}, {On: on[1], Duration: 5, Units: 1}})
	}
	for _, parts := range jobs {
		a, err := CoAllocate(Job{Parts: parts})
		require.NoError(t, err)
		require.Zero(t, a.Start)
		require.NoError(t, a.Release())
	}
}

// Parts that overlap may take every unit that a pool can have.
func TestPartsTakeTheLargestPool(t *testing.T) {
	p := newPool(t, math.MaxInt64)
	for _, units := range []int64{1, 4, math.MaxInt64 / 2} {
		a, err := CoAllocate(Job{Parts: []Part{{On: p, Duration: 5, Units: units}, {On: p, Offset: 2, Duration: 5, Units: math.MaxInt64 - units}}})
		require.NoError(t, err)
		require.Zero(t, freeIn(t, p, 2, 5))
		require.NoError(t, a.Release())
	}
}

// Parts that overlap on servers, some of which are closed now, are matched to servers that are
// open then, also through a lock.
func TestPartsOnServersThatAreClosedNow(t *testing.T) {
	tree := newServers(t, 3)
	_, err := tree.Close(bookahead.Closure{Interval: span(0, 10), Servers: []int{0, 2}})
	require.NoError(t, err)
	for _, on := range []Member{tree, bookahead.Locked(tree)} {
		plan, err := CoSearch(Job{Parts: []Part{{On: on, Duration: 4, Units: 1}, {On: on, Duration: 6, Units: 1, Servers: []int{0, 1}}}})
		require.NoError(t, err, "%T", on)
		require.EqualValues(t, 10, plan.Start)
		plan, err = CoSearch(Job{Parts: []Part{{On: on, Duration: 4, Units: 1}, {On: on, Offset: 4, Duration: 6, Units: 1}}})
		require.NoError(t, err)
		require.Zero(t, plan.Start)
	}
	_, err = CoSearch(Job{Parts: []Part{{On: brokerOf(t, Config{}, tree), Duration: 4, Units: 1}, {On: tree, Duration: 6, Units: 1}}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// An allocation that was made from its fields, and not by CoAllocate, has nobody to ask.
func TestAnAllocationOfNobodyIsRefused(t *testing.T) {
	a, err := CoAllocate(Job{Parts: []Part{{On: newPool(t, 2), Duration: 5, Units: 1}}})
	require.NoError(t, err)
	copied := Allocation{Start: a.Start, Parts: a.Parts}
	err = copied.Release()
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.EqualError(t, err, "bookahead: Allocation.Parts 1 is not the number of parts that CoAllocate has booked, 0")
	require.NoError(t, a.Release())
	a.Parts = append(a.Parts, a.Parts[0])
	require.ErrorIs(t, a.Release(), bookahead.ErrInvalid)
}
