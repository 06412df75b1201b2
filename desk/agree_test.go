package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// deskOfBorders returns a desk with quotas of 3 ticks in each of their periods, so that 5 ticks have to lie across a border of each.
func deskOfBorders(t *testing.T, froms ...bookahead.Time) *Desk {
	d := deskWith(t, "p", Pool{Units: 8}, "b", Pool{Units: 8})
	for i, from := range froms {
		must(t, d, SetQuota{string(rune('a' + i)), Quota{Ticks: 3, From: from, Every: 10, Owners: []string{"ann"}}})
	}
	return d
}

// fiveTicks is 5 ticks for ann.
func fiveTicks() Request {
	return Request{Owner: "ann", Ready: 100, Shapes: []Shape{onePart("p", 1, 5)}}
}

// TestQuotasThatNeverAgree: two quotas that never allow the same start leave no place, in all ways to ask for one. A few
// steps show it, and without a bound on them the search would not end.
func TestQuotasThatNeverAgree(t *testing.T) {
	d := limited(deskOfBorders(t, 0, 5), 20_000)
	offset := Request{Owner: "ann", Shapes: []Shape{{{On: "p", Units: 1, Duration: 5, Offset: 1}}}}
	steps := Request{Owner: "ann", Shapes: []Shape{{{On: "b", Units: 1, Duration: 1}, {On: "p", Units: 1, Duration: 5, After: &Gap{0, 9}}}}}
	rigid := Request{Owner: "ann", Shapes: []Shape{{{On: "p", Units: 1, Duration: 2}, {On: "p", Units: 1, Duration: 3, After: &Gap{}}}}}
	for name, r := range map[string]Request{"one part": fiveTicks(), "a step": offset, "steps": steps, "rigid": rigid} {
		_, err := d.Do(Book{Request: r})
		require.Equal(t, bookahead.ErrUnavailable, err, name)
		f, err := d.Why(r, bookahead.Effort{})
		require.NoError(t, err, name)
		require.Len(t, f.Obstacles, 2, "%s: either quota alone is in the way", name)
	}
	k := must(t, d, Book{Request: at(100, "p", 1, 5)}) // of somebody else
	to := fiveTicks()
	to.Shapes[0][0].Units = 2
	_, err := d.Do(Change{ID: k.ID, To: to})
	require.Equal(t, bookahead.ErrUnavailable, err)
	must(t, d, SetQuota{"b", Quota{Ticks: 3, From: 6, Every: 10, Owners: []string{"ann"}}})
	_, err = d.Do(Book{Request: fiveTicks()})
	require.Equal(t, bookahead.ErrUnavailable, err)
	must(t, d, SetQuota{"b", Quota{Ticks: 3, From: 1, Every: 10, Owners: []string{"ann"}}})
	require.Equal(t, bookahead.Time(108), must(t, d, Book{Request: fiveTicks()}).Start, "2 and 3 ticks, 3 and 2 ticks")
}

// TestQuotasThatAgreeLate: quotas whose periods come round together only after very long are given up, and one of them is named.
// A closure does not fail for that: a booking that finds no other place is displaced.
func TestQuotasThatAgreeLate(t *testing.T) {
	d := deskOfBorders(t)
	k := must(t, d, Book{Request: fiveTicks()})
	for i, from := range []bookahead.Time{0, 5} {
		must(t, d, SetQuota{string(rune('a' + i)), Quota{Ticks: 3, From: from, Every: 10, Owners: []string{"ann"}}})
	}
	must(t, d, SetQuota{"c", Quota{Ticks: 9, Every: 1<<61 - 1, Owners: []string{"ann"}}})
	d = limited(d, 1<<16)
	_, err := d.Search(fiveTicks(), bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrStopped)
	require.ErrorContains(t, err, "and others have not allowed the same start up to")
	_, err = d.Why(fiveTicks(), bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrStopped)
	_, err = d.Do(Close{On: "p", Interval: ticks(100, 105), Units: 8, Force: Anybody})
	require.NoError(t, err)
	k, err = d.Booking(k.ID)
	require.NoError(t, err)
	require.Equal(t, Displaced, k.State)
}

// TestJointQuotaBoundsEachStep: a quota that counts two steps bounds each of them alone wherever the other lies, so their
// first place has a wide gap.
func TestJointQuotaBoundsEachStep(t *testing.T) {
	steps := func(on string, first, second bookahead.Duration, gap Gap) Request {
		return Request{Owner: "ann", Deadline: 30, Shapes: []Shape{{{On: on, Units: 1, Duration: first}, {On: "p", Units: 1, Duration: second, After: &gap}}}}
	}
	d := deskWith(t, "p", Pool{Units: 8}, "x", Pool{Units: 1})
	must(t, d, SetQuota{"q", Quota{Units: 1, Ticks: 1000, Every: 1000}})
	must(t, d, Book{Request: at(5, "p", 1, 5)})
	r := steps("p", 4, 4, Gap{0, 10})
	r.Deadline = 14
	require.Equal(t, []bookahead.Interval{ticks(0, 4), ticks(10, 14)}, times(must(t, d.Clone(), Book{Request: r})), "a unit at once")
	r.Deadline = 13
	f, err := d.Why(r, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, ticks(0, 14), f.Next)

	must(t, d, SetQuota{"q", Quota{Ticks: 3, Every: 6, Owners: []string{"ann"}}})
	must(t, d, Book{Request: at(2, "x", 1, 100)})
	ann := at(6, "p", 1, 3)
	ann.Owner = "ann"
	must(t, d, Book{Request: ann})
	k := must(t, d, Book{Request: steps("x", 2, 3, Gap{6, 20})})
	require.Equal(t, []bookahead.Interval{ticks(0, 2), ticks(12, 15)}, times(k), "3 ticks beside those of ann from 6")
}
