package desk

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// cases is how many random cases there are of each rule.
func cases() int { return scheduletest.Operations() / 100 }

// The next start that terms allow is compared with all starts, tick by tick.
func TestNextByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	d := &drawer{n: rng.IntN, o: newIdeal(Config{})}
	never := 0
	for range 10 * cases() {
		d.o.now = bookahead.Time(rng.IntN(20))
		c := d.setTerms().(SetTerms)
		if c.check() != nil {
			continue
		}
		length, from := bookahead.Duration(1+rng.IntN(12)), bookahead.Time(rng.IntN(60)-20)
		want := bookahead.Time(-1)
		b := board{terms: c.Terms}
		b.terms.Owners, b.terms.Labels, b.terms.Longest = nil, nil, 0
		for start := from; start < 1000 && want < 0; start++ {
			w := bookahead.Interval{Start: start, End: start + bookahead.Time(length)}
			if start-bookahead.Time(c.Before) >= d.o.now && d.o.allows(&b, seat{part: &Part{Duration: length}, Interval: w, wish: &Request{}}) {
				want = start
			}
		}
		got, rule := c.Terms.next(from, length, d.o.now)
		if want < 0 {
			never++
			require.NotEmpty(t, rule, "%+v from %d for %d", c.Terms, from, length)
			continue
		}
		require.Empty(t, rule)
		require.Equal(t, want, got, "%+v from %d for %d at %d", c.Terms, from, length, d.o.now)
	}
	require.NotZero(t, never)
}

// Each rule alone, and all together, are compared with the oracle: bookings, changes before and while they run, ends and
// cancellations, on pools, servers, nodes and brokers.
func TestEachRuleByBruteForce(t *testing.T) {
	for _, rule := range []string{"open", "notice", "ahead", "longest", "who", "before", "after", "both"} {
		t.Run(rule, func(t *testing.T) {
			left := cases()
			tally := map[string]int{}
			for seed := uint64(0); left > 0; seed++ {
				l := newLong(t, 2*seed+1, (*Desk).Do)
				l.only = rule
				for range min(400, left) {
					l.step()
				}
				left -= 400
				for k, n := range l.tally {
					tally[k] += n
				}
			}
			t.Log(tally)
		})
	}
}

func TestTermsThatMakeNoSense(t *testing.T) {
	d := opened(t, Config{})
	many := make([]bookahead.Interval, 1<<12+1)
	for i := range many {
		many[i] = ticks(bookahead.Time(2*i), bookahead.Time(2*i+1))
	}
	for text, c := range map[string]SetTerms{
		"SetTerms.On x is no schedule":                             {On: "x"},
		"SetTerms.On pq is a broker":                               {On: "pq"},
		"SetTerms.Needs -1 is negative":                            {"p", Terms{Needs: -1}},
		"SetTerms.Longest -1 is negative":                          {"p", Terms{Longest: -1}},
		"SetTerms.Notice -1 is negative":                           {"p", Terms{Notice: -1}},
		"SetTerms.Ahead -1 is negative":                            {"p", Terms{Ahead: -1}},
		"SetTerms.Before -1 is negative":                           {"p", Terms{Before: -1}},
		"SetTerms.After -1 is negative":                            {"p", Terms{After: -1}},
		"SetTerms.Open 4097 is more than Config.Limits.Open, 4096": {"p", Terms{Open: many}},
		"SetTerms.Open[0] [3, 3) is empty":                         {"p", Terms{Open: []bookahead.Interval{ticks(3, 3)}}},
		"SetTerms.Open[1] [5, 7) is empty, or does not lie behind": {"p", Terms{Open: []bookahead.Interval{ticks(3, 5), ticks(5, 7)}}},
		"SetTerms.Owners 1025 are more":                            {"p", Terms{Owners: make([]string, MaxAllowed+1)}},
		"SetTerms.Labels[0] 1025 bytes":                            {"p", Terms{Labels: []string{strings.Repeat("x", MaxText+1)}}},
	} {
		_, err := d.Do(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, text)
	}
	must(t, d, Advance{4})
	_, err := d.Do(SetTerms{"p", Terms{Needs: 4}})
	require.ErrorContains(t, err, "SetTerms.Needs 4 is not after now, 4")
}

// The terms are the desk's own, and clones and snapshots have them.
func TestTermsAreListed(t *testing.T) {
	d := opened(t, Config{})
	terms := Terms{Open: []bookahead.Interval{ticks(5, 9)}, Owners: []string{"ann"}, Labels: []string{}}
	out, err := d.Do(SetTerms{"p", terms})
	require.NoError(t, err)
	require.Equal(t, []Event{{Number: 7, What: WasSet, Schedule: "p"}}, out.Events)
	terms.Open[0], terms.Owners[0] = ticks(1, 2), "bob"
	want := Terms{Open: []bookahead.Interval{ticks(5, 9)}, Owners: []string{"ann"}}
	clone := d.Clone()
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	for _, x := range []*Desk{d, clone, read} {
		require.Equal(t, want, x.Schedules()[0].Terms)
	}
	must(t, d, SetTerms{On: "p"})
	require.Zero(t, d.Schedules()[0].Terms)
	require.Nil(t, d.b.schedules[0].terms)
	require.Equal(t, want, clone.Schedules()[0].Terms)
}

// A schedule tells once that it needs more hours, in the order of time, also after a snapshot.
func TestNeedsMoreHours(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, SetTerms{"q", Terms{Needs: 6}})
	must(t, d, SetTerms{"p", Terms{Needs: 6}})
	must(t, d, Book{Request: asks(Part{On: "s", Units: 1, Duration: 5})})
	d, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	out, err := d.Do(Advance{6})
	require.NoError(t, err)
	var told []string
	for _, e := range out.Events {
		told = append(told, fmt.Sprint(e.At, " ", e.What, " ", e.Schedule))
	}
	require.Equal(t, []string{"5 ended ", "6 needs more p", "6 needs more q", "6 advanced "}, told)
	d, err = Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	out, err = d.Do(Advance{9})
	require.NoError(t, err)
	require.Len(t, out.Events, 1)
}

// A part on a broker lies on a schedule that takes its owner, and has that schedule's buffers.
func TestBrokerOfSchedulesWithTerms(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, SetTerms{"p", Terms{Owners: []string{"ann"}, Before: 2}})
	must(t, d, SetTerms{"q", Terms{Notice: 5, After: 1}})
	r := asks(Part{On: "pq", Units: 1, Duration: 4})
	r.Owner = "ann"
	k := must(t, d, Book{Request: r})
	require.Equal(t, Place{On: "p", Interval: ticks(2, 6), Units: 1, Head: -1, Before: 2}, k.Places[0])
	r.Owner = "bob"
	k = must(t, d, Book{Request: r})
	require.Equal(t, Place{On: "q", Interval: ticks(5, 9), Units: 1, Head: -1, After: 1}, k.Places[0])
}

// A booking that is given up before it begins gives back everything, even if its buffer has begun; a change then counts the
// buffer as free as well.
func TestBufferThatHasBegun(t *testing.T) {
	for _, on := range []string{"p", "s"} {
		d := opened(t, Config{})
		must(t, d, SetTerms{on, Terms{Before: 4}})
		k := must(t, d, Book{Request: asks(Part{On: on, Units: 4, Duration: 5})})
		require.Equal(t, ticks(4, 9), k.Interval)
		must(t, d, Advance{2})
		k = must(t, d, Change{ID: 1, To: asks(Part{On: on, Units: 4, Duration: 6})})
		require.Equal(t, ticks(6, 12), k.Interval)
		must(t, d, Advance{5})
		must(t, d, Cancel{1})
		k = must(t, d, Book{Request: asks(Part{On: on, Units: 4, Duration: 5})})
		require.Equal(t, ticks(9, 14), k.Interval)
	}
}

// The buffer behind a booking stays when it ends early, and when it ends as it was booked.
func TestBufferBehindABooking(t *testing.T) {
	for name, end := range map[string]Command{"end": End{1}, "cancel": Cancel{1}, "by itself": Advance{10}} {
		d := opened(t, Config{Keep: 5})
		must(t, d, SetTerms{"s", Terms{After: 3}})
		must(t, d, Book{Request: asks(Part{On: "s", Units: 4, Duration: 10})})
		must(t, d, Advance{4})
		must(t, d, end)
		over := max(4, d.Now())
		d, err := Read(bytes.NewReader(written(t, d)), Config{})
		require.NoError(t, err)
		k := must(t, d, Book{Request: asks(Part{On: "s", Units: 1, Duration: 1})})
		require.Equal(t, over+3, k.Start, name)
		must(t, d, Advance{over + 3})
		require.Empty(t, d.b.schedules[2].Tails)
	}
	d := opened(t, Config{})
	must(t, d, SetTerms{"s", Terms{After: 3}})
	must(t, d, Book{Hold: 5, Request: asks(Part{On: "s", Units: 4, Duration: 10})})
	must(t, d, Advance{4})
	must(t, d, Cancel{1}) // a hold was not used
	k := must(t, d, Book{Request: asks(Part{On: "s", Units: 4, Duration: 1})})
	require.Equal(t, bookahead.Time(4), k.Start)
}

// TestPictureOfTermsSearch has the start of the comment of Terms.search: the first interval has room, but not for long.
func TestPictureOfTermsSearch(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, Book{Request: asks(Part{On: "s", Units: 4, Duration: 9})})
	must(t, d, SetTerms{"s", Terms{Open: []bookahead.Interval{ticks(0, 12), ticks(16, 26)}}})
	k := must(t, d, Book{Request: asks(Part{On: "s", Units: 1, Duration: 4})})
	require.Equal(t, bookahead.Time(16), k.Start)
	k = must(t, d, Book{Request: asks(Part{On: "s", Units: 1, Duration: 3})})
	require.Equal(t, bookahead.Time(9), k.Start)
}

// Parts of one booking keep the buffers between them: within a step, and between steps whose gap leaves room for them.
func TestBuffersBetweenParts(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, SetTerms{"p", Terms{Before: 1, After: 2}})
	two := func(second string, gap *Gap, offset bookahead.Duration) Request {
		return asks(Part{On: "p", Units: 4, Duration: 5}, Part{On: second, Units: 4, Duration: 5, After: gap, Offset: offset})
	}
	k := must(t, d, Book{Request: two("p", &Gap{0, 9}, 0)})
	require.Equal(t, []bookahead.Interval{ticks(1, 6), ticks(9, 14)}, []bookahead.Interval{k.Places[0].Interval, k.Places[1].Interval})
	for _, r := range []Request{two("p", &Gap{0, 2}, 0), two("pq", &Gap{0, 2}, 0), two("p", nil, 7), two("pq", nil, 7)} {
		_, err := d.Do(Book{Request: r})
		require.Equal(t, bookahead.ErrUnavailable, err)
	}
	k = must(t, d, Book{Request: two("p", nil, 8)})
	require.Equal(t, ticks(17, 30), k.Interval)
	three := asks(Part{On: "p", Units: 1, Duration: 1}, Part{On: "q", Units: 1, Duration: 1, After: &Gap{0, 0}}, Part{On: "p", Units: 1, Duration: 1, After: &Gap{0, 1}})
	_, err := d.Do(Book{Request: three})
	require.Equal(t, bookahead.ErrUnavailable, err)
	three.Shapes[0][2].After.Most = 2
	k = must(t, d, Book{Request: three})
	require.Equal(t, bookahead.Interval{Start: k.Start, End: k.Start + 5}, k.Interval)
}

// A closure that meets only a buffer makes its booking give way, and a closed unit is not cleaned.
func TestClosureOfABuffer(t *testing.T) {
	for _, on := range []string{"p", "s"} {
		d := opened(t, Config{})
		must(t, d, SetTerms{on, Terms{Before: 2, After: 3}})
		r := asks(Part{On: on, Units: 1, Duration: 4})
		r.Ready = 6
		must(t, d, Book{Request: r}) // [4, 13) with its buffers
		c := Close{On: on, Interval: ticks(11, 12), Units: 4, Force: Anybody}
		if on == "s" {
			c.Units, c.Servers = 0, []int{0, 1, 2, 3}
		}
		who, err := d.InTheWay(on, c.Interval, nil)
		require.NoError(t, err)
		require.Len(t, who, 1)
		must(t, d, c)
		k, _ := d.b.booking(1)
		require.Equal(t, ticks(14, 18), k.Interval)
		must(t, d, Advance{15})
		c.Interval = ticks(15, 100)
		must(t, d, c)
		k, _ = d.b.booking(1)
		require.Equal(t, ticks(102, 105), k.Places[0].Interval)
		require.Empty(t, d.b.schedules[d.b.names[on]].Tails)
	}
}

// Others' buffers alone may be in the way of a demand; and a running booking that moves leaves its own.
func TestForceWithBuffers(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, SetTerms{"p", Terms{After: 5}})
	must(t, d, Book{Request: asks(Part{On: "p", Units: 4, Duration: 4})})
	r := asks(Part{On: "p", Units: 1, Duration: 2})
	r.Ready, r.Deadline = 5, 7
	_, err := d.Clone().Do(Book{Request: r})
	require.Equal(t, bookahead.ErrUnavailable, err)
	must(t, d, Advance{1})
	r.Ready, r.Deadline = 6, 8
	must(t, d, Book{Request: r, Force: Anybody})
	k, _ := d.b.booking(1)
	require.Equal(t, []Place{{On: "p", Interval: ticks(13, 16), Units: 4, Head: -1, After: 5}}, k.Places)
	require.Equal(t, bookahead.Time(6), d.b.schedules[0].Tails[0].End)
}

// Opening hours that a running booking has left behind do not bind it, and a shorter booking needs none at all.
func TestRunningBookingUnderNewTerms(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, Book{Request: asks(Part{On: "p", Units: 2, Duration: 10})})
	must(t, d, Advance{5})
	must(t, d, SetTerms{"p", Terms{Open: []bookahead.Interval{ticks(4, 14)}, Longest: 12, Notice: 3, Before: 1, After: 1}})
	_, err := d.Do(Overrun{ID: 1, Until: 13})
	require.Equal(t, bookahead.ErrUnavailable, err)
	k := must(t, d, Overrun{ID: 1, Until: 12})
	require.Zero(t, k.Places[0].After) // the buffers are those that it was booked with
	must(t, d, SetTerms{"p", Terms{Open: []bookahead.Interval{ticks(20, 30)}}})
	k = must(t, d, Change{ID: 1, To: asks(Part{On: "p", Units: 3, Duration: 11})})
	require.Equal(t, ticks(0, 11), k.Interval)
}

// The largest numbers make no place that overflows.
func TestHostileTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 3))
	most := int64(bookahead.MaxTime)
	n := func() int64 {
		return []int64{0, 0, 1, 7, most / 3, most / 2, most - 9, most - 1, most}[rng.IntN(9)]
	}
	booked := 0
	for range max(30, cases()/20) {
		d := opened(t, Config{Origin: bookahead.Time(n() / 2)})
		for range 30 {
			on := []string{"p", "q", "s", "n"}[rng.IntN(4)]
			c := SetTerms{on, Terms{Longest: bookahead.Duration(n()), Notice: bookahead.Duration(n()), Ahead: bookahead.Duration(n()),
				Before: bookahead.Duration(n()), After: bookahead.Duration(n()), Open: []bookahead.Interval{ticks(bookahead.Time(n()), bookahead.MaxTime)}}}
			if rng.IntN(2) == 0 {
				c.Terms = Terms{Before: c.Before % 100, After: c.After}
			}
			_, _ = d.Do(c)
			p := Part{On: []string{"p", "s", "pq", "ps"}[rng.IntN(4)], Units: 1, Duration: bookahead.Duration(max(1, n())), Offset: bookahead.Duration(n())}
			q := p
			q.Offset, q.Duration, q.After = 0, 1, &Gap{bookahead.Duration(n()), bookahead.Duration(most)}
			r := asks(p, q)
			if rng.IntN(2) == 0 {
				r = asks(p)
			}
			early := n()
			r.Ready, r.Deadline = bookahead.Time(n()-early), bookahead.Time(n())
			_, err := d.Do(Book{Request: r, Force: Force([]string{"", "anybody"}[rng.IntN(2)])})
			if err == nil {
				booked++
			} else if err != bookahead.ErrUnavailable {
				require.ErrorIs(t, err, bookahead.ErrInvalid, "%+v %+v at %d: %+v, %+v", r, q.After, d.Now(), d.b.schedules[0].terms, d.b.schedules[2].terms)
			}
			_, _ = d.Do(Advance{d.Now() + bookahead.Time(rng.IntN(3))})
			_, _ = d.Do(Overrun{ID: d.b.last, Until: bookahead.Time(n())})
			require.NoError(t, d.Verify())
		}
		_, err := Read(bytes.NewReader(written(t, d)), Config{})
		require.NoError(t, err)
	}
	require.NotZero(t, booked)
}

// The distance between two parts overflowed when the first step began before the axis by as much as its part came after:
// the second part was booked within the buffer of the first.
func TestBuffersBetweenStepsBeyondTheAxis(t *testing.T) {
	const far = bookahead.Duration(bookahead.MaxTime)
	d := opened(t, Config{Origin: bookahead.MaxTime / 4})
	must(t, d, SetTerms{"p", Terms{Before: 2, After: far - 9}})
	must(t, d, SetTerms{"s", Terms{Before: 1, After: far / 2}})
	r := asks(Part{On: "ps", Units: 1, Duration: 1, Offset: far - 1}, Part{On: "ps", Units: 1, Duration: 1, After: &Gap{1, far}})
	r.Ready, r.Deadline = 8-bookahead.MaxTime, bookahead.MaxTime/2
	_, err := d.Do(Book{Request: r})
	require.Equal(t, bookahead.ErrUnavailable, err)
}

// A Change once gave a booking to an owner who may not book there, before its start or while it ran.
func TestChangeGivesABookingToNobodyWhoMayNotBook(t *testing.T) {
	d := opened(t, Config{})
	wish := func(owner string, length bookahead.Duration) Request {
		r := asks(Part{On: "p", Units: 1, Duration: length})
		r.Owner, r.Ready = owner, 4
		return r
	}
	stranger := must(t, d, Book{Request: wish("eve", 6)}).ID
	must(t, d, SetTerms{"p", Terms{Owners: []string{"ann", "bob"}}})
	id := must(t, d, Book{Request: wish("ann", 6)}).ID
	for _, now := range []bookahead.Time{0, 5} {
		must(t, d, Advance{now})
		for _, to := range []Request{wish("eve", 6), wish("eve", 5)} {
			before := written(t, d)
			_, err := d.Do(Change{ID: id, To: to, Force: Anybody})
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			require.Equal(t, before, written(t, d))
		}
		must(t, d, Change{ID: id, To: wish("bob", 6)})
		must(t, d, Change{ID: id, To: wish("ann", 6)})
		renamed := wish("eve", 6)
		renamed.Title = "hers since before the terms"
		must(t, d, Change{ID: stranger, To: renamed})
	}
}
