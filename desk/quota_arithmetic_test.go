package desk

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// longUse is a desk on which eve has long bookings that a quota counts, and her next request.
type longUse struct {
	name    string
	quota   Quota
	booked  func(d bookahead.Duration) []Request
	request func(d bookahead.Duration) Request
}

func eve(units int64, ready bookahead.Time, d bookahead.Duration) Request {
	return Request{Owner: "eve", Ready: ready, Shapes: []Shape{{{On: "pool", Units: units, Duration: d}}}}
}

var longUses = []longUse{
	{"a window beside the same booking", Quota{Each: true, Ticks: 60, Window: 20},
		func(d bookahead.Duration) []Request { return []Request{eve(1, 0, d)} },
		func(d bookahead.Duration) Request { return eve(1, 0, d) }},
	{"a window with no room until the booking ends", Quota{Each: true, Ticks: 39, Window: 20},
		func(d bookahead.Duration) []Request { return []Request{eve(1, 0, d)} },
		func(d bookahead.Duration) Request { return eve(1, 0, d) }},
	{"periods that begin late", Quota{Each: true, Ticks: 1, Every: 5, From: 1<<16 - 1},
		func(d bookahead.Duration) []Request { return []Request{eve(1, 0, 1<<12), eve(2, 1<<12, d)} },
		func(d bookahead.Duration) Request { return eve(1, 1<<12, d) }},
	{"periods with no room until the booking ends", Quota{Each: true, Ticks: 19, Every: 10, From: 3},
		func(d bookahead.Duration) []Request { return []Request{eve(1, 1, d), eve(1, bookahead.Time(d/2), d/2)} },
		func(d bookahead.Duration) Request { return eve(1, 4, d/4) }},
}

// desk returns the desk: eve booked before the quota was set.
func (c *longUse) desk(t *testing.T, length bookahead.Duration) *Desk {
	d := deskWith(t, "pool", Pool{Units: 4})
	for _, r := range c.booked(length) {
		must(t, d, Book{Request: r})
	}
	must(t, d, SetQuota{"q", c.quota})
	return d
}

// A request beside a long booking takes as many steps, whatever the length is: to book it, to say why not, and to find
// other places. Such a booking used to be walked through period by period, or window by window.
func TestStepsUnderAQuotaDoNotDependOnTicks(t *testing.T) {
	for _, c := range longUses {
		t.Run(c.name, func(t *testing.T) {
			var steps []string
			var took int64
			for _, power := range []int{20, 40, 60} {
				length := bookahead.Duration(1)<<power - bookahead.Duration(1)<<power%80 + 8 // the same rest by each period
				d := c.desk(t, length)
				r := c.request(length)
				book, err := stepsOf(d, Book{Request: r})
				enough := bookahead.Effort{Steps: 5_000}
				_, found := d.Search(r, enough)
				require.Equal(t, err, found)
				_, why := d.Why(r, enough)
				require.NoError(t, why)
				other := 0
				for _, err := range d.Alternatives(r, Vary{Durations: []bookahead.Duration{r.Shapes[0][0].Duration / 2, 7}}, enough) {
					require.NoError(t, err)
					other++
				}
				over := d.OverQuota()
				steps = append(steps, fmt.Sprintf("%d steps, error %v, %d alternatives, %d excesses", book, err, other, len(over)))
				took = max(took, book)
				again, err := stepsOf(d, Book{Request: r})
				require.Equal(t, book, again, err)
			}
			t.Log(steps)
			require.Equal(t, steps[0], steps[1])
			require.Equal(t, steps[0], steps[2])
			require.Less(t, took, int64(1_000))
		})
	}
}

// Bookings of 2^34 to 2^61 ticks under a short window, and under short periods that begin late. The first never returned.
func TestBookingsOfManyPeriodsAndWindows(t *testing.T) {
	d := deskWith(t, "pool", Pool{Units: 3})
	must(t, d, SetQuota{"q", Quota{Each: true, Ticks: 60, Window: 20}})
	must(t, d, Book{Request: eve(1, 0, 1<<34)})
	late := deskWith(t, "pool", Pool{Units: 3})
	must(t, late, SetQuota{"q", Quota{Each: true, Ticks: 1, Every: 5, From: 1<<52 - 1}})
	must(t, late, Book{Request: eve(1, 0, 1<<40)})
	for _, x := range []struct {
		d *Desk
		r Request
	}{{d, eve(1, 0, 1<<34)}, {late, eve(2, 1<<40, 1<<61)}} {
		steps, err := stepsOf(x.d, Book{Request: x.r})
		require.Less(t, steps, int64(1_000))
		_, found := x.d.Search(x.r, bookahead.Effort{Steps: 1_000})
		require.Equal(t, err, found)
		_, err = x.d.Why(x.r, bookahead.Effort{Steps: 5_000})
		require.NoError(t, err)
	}
}

// After a dozen commands with such numbers, under quotas of all kinds at once, Why and Alternatives take as many steps
// whatever the lengths are. Each used to walk every period and window of every booking.
func TestWhyAfterADozenCommandsDoesNotDependOnTicks(t *testing.T) {
	var answers []string
	for _, power := range []int{20, 40, 60} {
		long := bookahead.Duration(1)<<power - bookahead.Duration(1)<<power%80
		d := deskWith(t, "pool", Pool{Units: 4}, "lab", Servers{Count: 3})
		for i := range 4 {
			must(t, d, Book{Request: eve(1, bookahead.Time(7*i), long/bookahead.Duration(1+i))})
		}
		r := eve(2, 5, 9)
		r.Shapes[0][0].On = "lab"
		must(t, d, Book{Request: r})
		must(t, d, SetQuota{"window", Quota{Each: true, Ticks: 60, Window: 20}})
		must(t, d, SetQuota{"periods", Quota{Each: true, Ticks: 19, Every: 10, From: 3}})
		must(t, d, SetQuota{"late", Quota{Each: true, Ticks: 1, Every: 5, From: bookahead.Time(long) - 1}})
		must(t, d, SetQuota{"wide", Quota{Ticks: 1 << 62, Window: long}})
		must(t, d, SetQuota{"all", Quota{Ticks: 200, Every: 40}})
		must(t, d, Close{On: "pool", Interval: ticks(50, bookahead.Time(long)), Units: 1})
		must(t, d, SetTerms{"lab", Terms{Open: []bookahead.Interval{ticks(0, bookahead.Time(long)), ticks(bookahead.Time(long)+80, bookahead.Time(2*long))}}})
		r = eve(1, 1, long/4)
		r.Deadline = bookahead.Time(long)
		r.Shapes = append(r.Shapes, Shape{{On: "lab", Units: 2, Duration: long / 2}})
		q := inquiry{books: &d.b, meter: unlimited(), Request: r.Clone()}
		refusal, err := q.answer(func() []Obstacle { return nil })
		require.NoError(t, err)
		require.NotEmpty(t, refusal.Obstacles)
		asked := q.meter.Steps()
		require.Less(t, asked, int64(20_000))
		one := r
		one.Shapes = r.Shapes[:1]
		other := 0
		for _, err := range d.Alternatives(one, Vary{Durations: []bookahead.Duration{long / 8, 7, 1}}, bookahead.Effort{Steps: 20_000}) {
			require.NoError(t, err)
			other++
		}
		answers = append(answers, fmt.Sprintf("%d steps, %d obstacles, %d alternatives", asked, len(refusal.Obstacles), other))
	}
	t.Log(answers)
	require.Equal(t, answers[0], answers[1])
	require.Equal(t, answers[0], answers[2])
}

// Two parts, each with more unit-ticks than a number holds, exceed a quota together.
func TestTwoHugePartsExceedAQuota(t *testing.T) {
	d := deskWith(t, "pool", Pool{Units: 1 << 40})
	must(t, d, SetQuota{"q", Quota{Ticks: 9, Window: 1 << 40}})
	part := Part{On: "pool", Units: 1 << 32, Duration: 1 << 31}
	_, err := d.Do(Book{Request: Request{Owner: "eve", Shapes: []Shape{{part, part}}}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
}

// A search under a quota that runs out of steps says how far it came, and changes nothing.
func TestASearchUnderAQuotaSaysHowFarItCame(t *testing.T) {
	d := deskWith(t, "pool", Pool{Units: 4})
	for i := range 2_000 {
		_, err := d.Do(Book{Request: eve(1, bookahead.Time(10*i), bookahead.Duration(1+i%3))}) // no two neighbouring periods are equal
		require.NoError(t, err)
	}
	must(t, d, SetQuota{"q", Quota{Each: true, Ticks: 1, Every: 10}})
	before := written(t, d)
	full, err := stepsOf(d, Book{Request: eve(1, 0, 1)})
	require.NoError(t, err)
	require.Greater(t, full, int64(4_000), "a look and more for each period")
	small := limited(d, 1_000)
	_, err = small.Do(Book{Request: eve(1, 0, 1)})
	require.ErrorIs(t, err, bookahead.ErrStopped)
	require.ErrorContains(t, err, `quota "q" has not allowed a start up to `)
	small.b.config.Effort = d.b.config.Effort
	require.Equal(t, before, written(t, small))
}
