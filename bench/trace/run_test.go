package trace

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/structures"
)

// cells is the oracle: the free units of each tick.
type cells struct {
	free    []int64
	now     bookahead.Time
	horizon bookahead.Duration
	live    []bookahead.Reservation
}

func newCells(h Header) (Planner, error) {
	c := &cells{free: make([]int64, 1000), now: h.Origin, horizon: h.Horizon}
	for i := range c.free {
		c.free[i] = h.Capacity
	}
	return c, nil
}

func (c *cells) Search(r bookahead.Request) (bookahead.Offer, error) {
	end := bookahead.Time(len(c.free))
	if c.horizon > 0 {
		end = min(end, c.now+bookahead.Time(c.horizon))
	}
	if r.Deadline != 0 {
		end = min(end, r.Deadline)
	}
next:
	for t := max(r.Ready, c.now); t+bookahead.Time(r.Duration) <= end; t++ {
		for _, free := range c.free[t : t+bookahead.Time(r.Duration)] {
			if free < r.Units {
				continue next
			}
		}
		return offer(t, t+bookahead.Time(r.Duration), r.Units), nil
	}
	return bookahead.Offer{}, bookahead.ErrUnavailable
}

func (c *cells) add(o bookahead.Offer, units int64) {
	for t := o.Start; t < o.End; t++ {
		c.free[t] += units
	}
}

func (c *cells) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := c.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	c.add(o, -o.Units)
	c.live = append(c.live, bookahead.Reservation{ID: bookahead.ID(1000 + len(c.live)), Offer: o})
	return c.live[len(c.live)-1], nil
}

func (c *cells) Release(id bookahead.ID) error {
	o := c.live[id-1000].Offer
	c.add(o, o.Units)
	return nil
}

func (c *cells) Advance(now bookahead.Time) error {
	c.now = now
	return nil
}

// drawn is a random trace of few ticks.
func drawn(t *rapid.T) *Trace {
	h := Header{Name: "drawn", Capacity: rapid.Int64Range(1, 6).Draw(t, "capacity")}
	h.Origin = bookahead.Time(rapid.IntRange(0, 20).Draw(t, "origin"))
	h.Horizon = bookahead.Duration(rapid.SampledFrom([]int{0, 30, 200}).Draw(t, "horizon"))
	tr, s := &Trace{Header: h}, newOrder(h)
	place := func(k Kind) Operation {
		o := Operation{Kind: k, Number: s.numbered + 1, At: s.now + bookahead.Time(rapid.IntRange(0, 25).Draw(t, "ready")),
			Duration: bookahead.Duration(rapid.IntRange(1, 12).Draw(t, "duration")), Units: rapid.Int64Range(1, 7).Draw(t, "units")}
		if k == Search {
			o.Number = 0
		}
		slack := rapid.IntRange(-1, 20).Draw(t, "slack")
		if slack >= 0 && k != Booked {
			o.Deadline = o.At + bookahead.Time(o.Duration) + bookahead.Time(slack)
		}
		return o
	}
	for range rapid.IntRange(0, 40).Draw(t, "operations") {
		o := Operation{}
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0, 1:
			o = place(Reserve)
		case 2:
			o = place(Search)
		case 3:
			o = Operation{Kind: Advance, At: s.now + bookahead.Time(rapid.IntRange(0, 6).Draw(t, "by"))}
		default:
			if s.numbered == 0 {
				continue
			}
			o = Operation{Kind: Release, Number: rapid.Int64Range(1, s.numbered).Draw(t, "number")}
		}
		require.NoError(t, s.check(o))
		tr.Operations = append(tr.Operations, o)
	}
	return tr
}

// byName opens a structure of the library.
func byName(t require.TestingT, name string) Opener {
	for _, st := range structures.Simple() {
		if st.Name == name {
			return Each(func(h Header) (Planner, error) {
				return st.New(h.Capacity, structures.Config{Origin: h.Origin, Horizon: h.Horizon})
			})
		}
	}
	require.FailNow(t, "no structure "+name)
	return nil
}

// TestPlannersAgree: the pools of the library answer as the oracle does.
func TestPlannersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := drawn(t)
		want, err := Run(tr, "cells", Each(newCells), 0)
		require.NoError(t, err)
		for _, name := range []string{"carts.Indexed", "carts.Flat", "freelist.Used"} {
			got, err := Run(tr, name, byName(t, name), 0)
			require.NoError(t, err)
			require.Equal(t, want.Starts, got.Starts)
			require.Equal(t, want.Checksum, got.Checksum)
			require.Equal(t, []int{len(tr.Operations), want.Answers, want.Accepted}, []int{got.Of, got.Answers, got.Accepted})
		}
	})
}

// TestByHand follows the trace of the package comment.
func TestByHand(t *testing.T) {
	tr, err := readText(morning(t))
	require.NoError(t, err)
	r, err := Run(tr, "carts.Indexed", byName(t, "carts.Indexed"), 0)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Time{160, 190}, r.Starts, "behind the one that is booked; and behind that, as all is taken")
	sum := uint64(14695981039346656037)
	sum = (sum ^ 160) * 1099511628211
	sum = (sum ^ 190) * 1099511628211
	require.Equal(t, sum, r.Checksum)
	require.Equal(t, []int{4, 4, 2, 2}, []int{r.Operations, r.Of, r.Answers, r.Accepted})
	require.Regexp(t, `^planner=carts\.Indexed trace=morning operations=4 of=4 answers=2 accepted=2 checksum=0x[0-9a-f]{16} seconds=[0-9.]+`, r.String())
}

// TestReleasesThatArePassedOver: of a reservation that was turned away, was released before, or is over.
func TestReleasesThatArePassedOver(t *testing.T) {
	tr, err := readText(`bookahead-trace 1
capacity 2
booked 1 0 10 1
reserve 2 0 5 3 0   # never
release 2
reserve 3 0 10 2 0  # at 10
release 1
release 1
reserve 4 0 5 2 0   # at 0
advance 5
release 4
reserve 5 0 5 1 0   # at 5
`)
	require.NoError(t, err)
	r, err := Run(tr, "carts.Indexed", byName(t, "carts.Indexed"), 0)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Time{TurnedAway, 10, 0, 5}, r.Starts)
	require.Equal(t, Checksum([]bookahead.Time{-1, 10, 0, 5}), r.Checksum)
	require.Equal(t, 9, r.Operations)
	require.Equal(t, 3, r.Accepted)
}

// slow is a planner that waits, and fails at a time.
type slow struct {
	Planner
	wait time.Duration
	err  error
}

func (s slow) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	time.Sleep(s.wait)
	if s.err != nil {
		return bookahead.Reservation{}, s.err
	}
	return s.Planner.Reserve(r)
}

// TestLimit: a run that is cut short has the answers of the beginning.
func TestLimit(t *testing.T) {
	tr := &Trace{Header: Header{Name: "long", Capacity: 1}}
	for n := range int64(50) {
		tr.Operations = append(tr.Operations, Operation{Kind: Reserve, Number: n + 1, Duration: 5, Units: 1})
	}
	whole, err := Run(tr, "cells", Each(newCells), 0)
	require.NoError(t, err)
	require.Equal(t, 50, whole.Operations)
	cut, err := Run(tr, "slow", Each(func(h Header) (Planner, error) {
		p, err := newCells(h)
		return slow{p, 2 * time.Millisecond, nil}, err
	}), time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, []int{1, 50}, []int{cut.Operations, cut.Of})
	require.Equal(t, whole.Starts[:1], cut.Starts)
	require.True(t, whole.Agrees(cut.Line))
	require.True(t, whole.Agrees(whole.Line))
	require.False(t, cut.Agrees(whole.Line), "nothing is known of the rest")
	wrong := cut.Line
	wrong.Checksum++
	require.False(t, whole.Agrees(wrong))
	require.GreaterOrEqual(t, cut.Reserve.Median, 1e6)
}

func TestRunErrors(t *testing.T) {
	tr := &Trace{Header: Header{Capacity: 1}, Booked: []bookahead.Offer{offer(0, 5, 1), offer(4, 6, 1)}}
	_, err := Run(tr, "cells", Each(newCells), 0)
	require.EqualError(t, err, "cells: booked 2, [4, 6) 1: bookahead: no capacity for the request")
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	broken := errors.New("broken")
	_, err = Run(tr, "none", Each(func(Header) (Planner, error) { return nil, broken }), 0)
	require.EqualError(t, err, "none: broken")
	_, err = Run(tr, "forgets", func(Header, []bookahead.Offer) (Planner, []bookahead.ID, error) { return nil, nil, nil }, 0)
	require.EqualError(t, err, "forgets: 0 IDs for 2 reservations that are booked from the start")
	tr.Booked = nil
	tr.Operations = []Operation{{Kind: Advance, At: 3}, {Kind: Reserve, Number: 1, At: 5, Duration: 5, Units: 1}}
	_, err = Run(tr, "fails", Each(func(Header) (Planner, error) { return slow{&cells{}, 0, broken}, nil }), 0)
	require.EqualError(t, err, "fails: operation 2: reserve 1 5 5 1 0: broken")
}

// TestRunRefusesWrongTraces: a trace that was made by hand is checked as one that is read. The error
// names the field and the value, and no planner is opened.
func TestRunRefusesWrongTraces(t *testing.T) {
	reserve := Operation{Kind: Reserve, Number: 1, At: 5, Duration: 5, Units: 1}
	head := Header{Capacity: 1, Origin: 3, Horizon: 50}
	for want, tr := range map[string]*Trace{
		"header: capacity 0 is less than 1":                                     {},
		"operation 1: booked 1 2 3 1: start 2 is before the origin 3":           {Header: head, Booked: []bookahead.Offer{offer(2, 5, 1)}},
		"operation 2: booked 2 9 -1 1: duration -1 is less than 1":              {Header: head, Booked: []bookahead.Offer{offer(3, 5, 1), offer(9, 8, 1)}},
		"operation 1: release 1: number 1 is none of the 0 reservations so far": {Header: head, Operations: []Operation{{Kind: Release, Number: 1}}},
		"operation 2: release 0: number 0 is none of the 1 reservations so far": {Header: head, Operations: []Operation{reserve, {Kind: Release}}},
		"operation 2: release 2: number 2 is none of the 1 reservations so far": {Header: head, Operations: []Operation{reserve, {Kind: Release, Number: 2}}},
		"operation 2: reserve 1 5 5 1 0: number 1 is not 2, which is the next":  {Header: head, Operations: []Operation{reserve, reserve}},
		"operation 1: advance 2: now 2 moves the clock back from 3":             {Header: head, Operations: []Operation{{Kind: Advance, At: 2}}},
		"operation 1: search 5 0 1 0: duration 0 is less than 1":                {Header: head, Operations: []Operation{{Kind: Search, At: 5, Units: 1}}},
		"operation 1: Kind(5): Kind(5) is no kind of operation":                 {Header: head, Operations: []Operation{{Kind: kinds}}},
		"operation 1: Kind(255): Kind(255) is no kind of operation":             {Header: head, Operations: []Operation{{Kind: 255, Duration: 5, Units: 1}}},
		"operation 1: booked 1 5 5 1: it is no operation":                       {Header: head, Operations: []Operation{{Kind: Booked, Number: 1, At: 5, Duration: 5, Units: 1}, {Kind: Release, Number: 1}}},
	} {
		_, err := Run(tr, "none", func(Header, []bookahead.Offer) (Planner, []bookahead.ID, error) {
			t.Fatal("opened")
			return nil, nil, nil
		}, 0)
		require.EqualError(t, err, "none: trace: "+want)
	}
}

// TestRecord: a recorded trace begins with as many live as there are, keeps its order, and has
// the same answers on another structure, as in the run that was recorded.
func TestRecord(t *testing.T) {
	for _, c := range []workload.Churn{
		{Kind: workload.AR, Capacity: 128, Live: 300, Load: 0.7, Powers: true},
		{Kind: workload.Batch, Capacity: 64, Live: 300},
	} {
		var spy *answers
		tr, err := record(c, 500, func(capacity int64, booked []bookahead.Offer) (bookahead.Schedule, error) {
			s, err := carts.NewIndexed(capacity, carts.Config{Booked: booked})
			spy = &answers{Schedule: s}
			return spy, err
		})
		require.NoError(t, err)
		require.Equal(t, NameOf(c), tr.Name)
		require.Equal(t, c.Kind == workload.Batch, tr.Origin > 0)
		require.InDelta(t, c.Live, len(tr.Booked), 2)
		require.Len(t, spy.starts, 2*c.Live+500)
		for _, name := range []string{"carts.Indexed", "carts.Flat"} {
			r, err := Run(tr, name, byName(t, name), 0)
			require.NoError(t, err)
			require.Equal(t, spy.starts[2*c.Live:], r.Starts, name)
			require.Equal(t, 500, r.Answers)
			require.Equal(t, c.Kind == workload.Batch, r.Release == (Timing{}))
			require.Equal(t, c.Kind != workload.Batch, r.Advance == (Timing{}))
		}
	}
	_, err := Record(workload.Churn{Kind: "LUNCH"}, 1)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// answers notes the answers of a schedule.
type answers struct {
	bookahead.Schedule
	starts []bookahead.Time
}

func (a *answers) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := a.Schedule.Reserve(r)
	if err != nil {
		a.starts = append(a.starts, TurnedAway)
	} else {
		a.starts = append(a.starts, res.Start)
	}
	return res, err
}

// TestStandard: the traces have names of their own.
func TestStandard(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Standard() {
		_, err := c.Work()
		require.NoError(t, err)
		names[NameOf(c)] = true
	}
	require.Len(t, names, len(Standard()))
	require.True(t, names["AR-128-1000"])
}

func TestLine(t *testing.T) {
	l := Line{Planner: "flux", Trace: "AR-128-1000", Operations: 7, Of: 9, Answers: 5, Accepted: 4, Checksum: 0x1f, Seconds: 0.5,
		Reserve: Timing{1234.5, 7, 1e6}, Release: Timing{1, 2, 3}}
	const text = "planner=flux trace=AR-128-1000 operations=7 of=9 answers=5 accepted=4 checksum=0x000000000000001f seconds=0.5 reserve-ns=1234.5/7/1000000 release-ns=1/2/3"
	require.Equal(t, text, l.String())
	got, err := ParseLine("  more=1 " + text + "\n")
	require.NoError(t, err)
	require.Equal(t, l, got)
	for change, want := range map[[2]string]string{
		{"planner=flux", ""}:                      `planner: "" is no word`,
		{"trace=AR", "trace=\x00"}:                `trace: "\x00-128-1000" is no word`,
		{"of=9", "of=x"}:                          `of: "x" is not a number from 0 on`,
		{"of=9", "of=-9"}:                         `of: "-9" is not a number from 0 on`,
		{"of=9", "of=6"}:                          `operations: "7" does not lie between answers and of, or accepted is more than answers`,
		{"accepted=4", "accepted=6"}:              `operations: "7" does not lie between answers and of, or accepted is more than answers`,
		{"checksum=", "checksum=z"}:               `checksum: "z0x000000000000001f" is not a number of 64 bits`,
		{"seconds=0.5", "seconds=NaN"}:            `seconds: "NaN" is not a number from 0 on`,
		{"release-ns=1/2/3", "release-ns=1/2"}:    `release-ns: "1/2" is not mean/median/p99`,
		{"release-ns=1/2/3", "release-ns=1/2/-3"}: `release-ns: "1/2/-3" is not mean/median/p99`,
		{"release-ns=1/2/3", "reserve-ns=1/2/3"}:  `"reserve-ns=1/2/3" is not one key=value`,
		{"release-ns=1/2/3", "release-ns"}:        `"release-ns" is not one key=value`,
	} {
		_, err := ParseLine(strings.Replace(text, change[0], change[1], 1))
		require.EqualError(t, err, "trace: line of results: "+want)
	}
}

// FuzzLine checks that no text makes ParseLine panic, and that a line that was read is the same after it
// has been written and read again, to the digits that are written.
func FuzzLine(f *testing.F) {
	f.Add("planner=flux trace=a operations=7 of=9 answers=5 accepted=4 checksum=0x1f seconds=0.5 reserve-ns=1234.5/7/1000000 release-ns=1/2/3")
	f.Add("planner=a trace=b operations=0 of=0 answers=0 accepted=0 checksum=18446744073709551615 seconds=1e299")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLine(text)
		if err != nil {
			return
		}
		again, err := ParseLine(l.String())
		require.NoError(t, err)
		require.Equal(t, l.String(), again.String())
	})
}

// TestChecksumSeesOrder: exchanged or changed answers have another sum.
func TestChecksumSeesOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	starts := make([]bookahead.Time, 100)
	for i := range starts {
		starts[i] = bookahead.Time(rng.IntN(1000) - 1)
	}
	sum := Checksum(starts)
	for i := range 99 {
		other := append([]bookahead.Time(nil), starts...)
		other[i], other[i+1] = other[i+1], other[i]
		require.Equal(t, starts[i] == starts[i+1], Checksum(other) == sum)
		other = append([]bookahead.Time(nil), starts...)
		other[i]++
		require.NotEqual(t, sum, Checksum(other))
	}
}

// TestNamed: a name is that of its Churn, and any other text is refused.
func TestNamed(t *testing.T) {
	for _, c := range Standard() {
		got, err := Named(NameOf(c))
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
	for _, name := range []string{"", "AR-1-2-3", "AR-x-5", "AR-8-x", "LUNCH-8-5", "AR-7-5"} {
		_, err := Named(name)
		require.Error(t, err, name)
	}
}

// stuck is a schedule that releases nothing.
type stuck struct{ bookahead.Schedule }

var errStuck = errors.New("stuck")

func (stuck) Release(bookahead.ID) error { return errStuck }

// TestRecordFails with the schedule.
func TestRecordFails(t *testing.T) {
	c := workload.Churn{Kind: workload.AR, Capacity: 128, Live: 20, Load: 0.7}
	_, err := record(c, 10, func(capacity int64, booked []bookahead.Offer) (bookahead.Schedule, error) {
		s, err := carts.NewFlat(capacity, carts.Config{Booked: booked})
		return stuck{s}, err
	})
	require.Equal(t, errStuck, err)
	_, err = record(c, 10, func(int64, []bookahead.Offer) (bookahead.Schedule, error) { return nil, errStuck })
	require.Equal(t, errStuck, err)
}

// TestWriteFails at the first operation that no reader would take.
func TestWriteFails(t *testing.T) {
	for says, tr := range map[string]*Trace{
		"trace: operation 1: booked 1 0 1 0: units 0 is less than 1":         {Header: Header{Capacity: 1}, Booked: []bookahead.Offer{offer(0, 1, 0)}},
		"trace: operation 1: advance -1: now -1 moves the clock back from 0": {Header: Header{Capacity: 1}, Operations: []Operation{{Kind: Advance, At: -1}}},
		"trace: header: capacity 0 is less than 1":                           {},
	} {
		require.EqualError(t, tr.Write(new(strings.Builder), ""), says)
	}
}
