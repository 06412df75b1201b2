package desk

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/account"
	"github.com/bookahead/bookahead/internal/quota"
)

// quotaDesk returns a desk on which ann has 3 of 8 units in [0, 10), under quotas for each owner.
func quotaDesk(t *testing.T, quotas ...SetQuota) *Desk {
	d, err := New(Config{})
	require.NoError(t, err)
	must(t, d, AddSchedule{"gpus", Pool{Units: 8}})
	must(t, d, Book{Request: Request{Owner: "ann", Shapes: []Shape{{{On: "gpus", Units: 3, Duration: 10}}}}})
	for _, q := range quotas {
		must(t, d, q)
	}
	return d
}

func TestQuotasByHand(t *testing.T) {
	for _, c := range []struct {
		quota Quota
		start bookahead.Time
		use   []Excess
	}{
		{Quota{Units: 4, Each: true}, 10, nil},
		{Quota{Units: 2, Each: true}, 10, []Excess{{"q", "ann", ticks(0, 10), 0, 3, 2, false}}},
		{Quota{Ticks: 30, Every: 12, Each: true}, 12, nil},
		{Quota{Ticks: 34, Every: 12, Each: true}, 10, nil},
		{Quota{Ticks: 33, Window: 12, Each: true}, 11, nil}, // in [0, 12) ann may have one tick of 2 units
		{Quota{Ticks: 20, Window: 12, Owners: []string{"bob"}}, 0, nil},
	} {
		d := quotaDesk(t, SetQuota{"q", c.quota})
		require.Equal(t, c.use, d.OverQuota())
		k := must(t, d, Book{Request: Request{Owner: "ann", Shapes: []Shape{{{On: "gpus", Units: 2, Duration: 4}}}}})
		require.Equal(t, c.start, k.Start, "%+v", c.quota)
		require.NoError(t, d.Verify())
	}
}

func TestQuotaUseAndNames(t *testing.T) {
	d := quotaDesk(t, SetQuota{"b", Quota{Each: true, Ticks: 999, Window: 5}}, SetQuota{"a", Quota{Units: 9}})
	require.Equal(t, []SetQuota{{"a", Quota{Units: 9}}, {"b", Quota{Each: true, Ticks: 999, Window: 5}}}, d.Quotas())
	most, sum, err := d.QuotaUse("b", "ann", ticks(2, 20))
	require.NoError(t, err)
	require.Equal(t, [2]int64{3, 24}, [2]int64{most, sum})
	must(t, d, Advance{10})
	_, sum, err = d.QuotaUse("b", "ann", ticks(0, 20))
	require.NoError(t, err)
	require.Equal(t, int64(12), sum, "the window reaches back to 6, although the booking is forgotten")
	data := written(t, d)
	read, err := Read(bytes.NewReader(data), Config{})
	require.NoError(t, err)
	require.Equal(t, data, written(t, read))
	require.NoError(t, read.Verify())
	_, sum, _ = read.QuotaUse("b", "ann", ticks(0, 20))
	require.Equal(t, int64(12), sum)
	_, _, err = d.QuotaUse("c", "ann", ticks(0, 20))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	must(t, d, DropQuota{"b"})
	_, err = d.Do(DropQuota{"b"})
	require.Equal(t, bookahead.ErrNotFound, err)
	require.NoError(t, d.Verify())
}

func TestVerifyNamesAnAccount(t *testing.T) {
	use := []quota.Use{{Interval: ticks(2, 4), Amount: 1}}
	for name, spoil := range map[string]func(d *Desk, q *account.Rule){
		"use":    func(d *Desk, q *account.Rule) { d.b.accounts.Charge(q, "ann", use, -1, 0) },
		"lost":   func(d *Desk, q *account.Rule) { d.b.accounts.Drop(q) },
		"others": func(d *Desk, q *account.Rule) { d.b.accounts.Charge(q, "bob", use, 1, 0) },
		"none": func(d *Desk, q *account.Rule) {
			other := *q
			d.b.accounts.Set(&other, nil, 0)
			d.b.accounts.Charge(&other, "ann", use, 1, 0)
		},
	} {
		d := quotaDesk(t, SetQuota{"q", Quota{Each: true}})
		require.NoError(t, d.Verify())
		spoil(d, &d.b.rules[0].Rule)
		require.ErrorContains(t, d.Verify(), "desk: D12:", name)
	}
}

// Numbers at the ends of the axis neither wrap around nor keep a search busy.
func TestQuotasOfHugeNumbers(t *testing.T) {
	const most = math.MaxInt64
	for _, q := range []Quota{
		{Units: most}, {Units: 1}, {Ticks: most, Window: most}, {Ticks: most, Every: most, From: most}, {Ticks: 1, Every: 1}, {Ticks: 5, Every: 10},
		{Ticks: most - 1, Every: 1}, {Ticks: most, Periods: []bookahead.Interval{ticks(0, most)}}, {Ticks: 1, Window: 1}, {Units: 1, Ticks: most, Window: 1},
	} {
		d, err := New(Config{})
		require.NoError(t, err)
		must(t, d, AddSchedule{"p", Pool{Units: most}})
		must(t, d, AddSchedule{"q", Pool{Units: most}})
		must(t, d, Book{Request: asks(Part{On: "p", Units: most, Duration: most - 5})})
		must(t, d, SetQuota{"huge", q})
		for _, p := range []Part{{On: "q", Units: most, Duration: most - 9}, {On: "q", Units: 1, Duration: 1}, {On: "q", Units: 1, Duration: 1 << 62}, {On: "q", Units: 1 << 62, Duration: 3}} {
			_, err := d.Search(asks(p), bookahead.Effort{})
			require.True(t, err == nil || err == bookahead.ErrUnavailable, "%v", err)
		}
		d.OverQuota()
		require.NoError(t, d.Verify())
		read, err := Read(bytes.NewReader(written(t, d)), Config{})
		require.NoError(t, err)
		require.NoError(t, read.Verify())
	}
}

// A quota that was set anew for more owners forgot their use by forgotten bookings: all of them had the whole of it
// again.
func TestQuotaOfMoreOwnersKeepsThePast(t *testing.T) {
	for _, each := range []bool{true, false} {
		d, err := New(Config{})
		require.NoError(t, err)
		must(t, d, AddSchedule{"p", Pool{Units: 4}})
		q := Quota{Owners: []string{"ann"}, Each: each, Ticks: 20, Every: 100}
		must(t, d, SetQuota{"q", q})
		wish := asks(Part{On: "p", Units: 4, Duration: 5})
		wish.Owner = "ann"
		must(t, d, Book{Request: wish})
		must(t, d, Advance{10})
		use := func() int64 {
			_, sum, err := d.QuotaUse("q", "ann", ticks(0, 100))
			require.NoError(t, err)
			require.NoError(t, d.Verify())
			return sum
		}
		require.Equal(t, int64(20), use())
		q.Owners = []string{"ann", "bob"}
		must(t, d, SetQuota{"q", q})
		require.Equal(t, int64(20), use())
		require.Equal(t, bookahead.Time(100), must(t, d, Book{Request: wish}).Start)
		must(t, d, Cancel{2})
		q.Owners = nil
		must(t, d, SetQuota{"q", q})
		require.Equal(t, int64(20), use())
		q.Owners = []string{"bob"}
		must(t, d, SetQuota{"q", q})
		require.Zero(t, use(), "of ann nothing is counted any more, and of a common past it is not known whose it is")
	}
}

// Months, as package recur makes them, are periods of a quota: each month has its own bound.
func TestQuotaOfMonths(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 8})
	do(t, d, SetQuota{"month", Quota{Each: true, Ticks: 100, Periods: []bookahead.Interval{ticks(0, 31*24), ticks(31*24, 59*24), ticks(59*24, 90*24-1)}}})
	r := Request{Owner: "ann", Shapes: []Shape{{{On: "gpus", Units: 1, Duration: 100}}}}
	require.Equal(t, ticks(0, 100), must(t, d, Book{Request: r}).Interval)
	require.Equal(t, bookahead.Time(31*24), must(t, d, Book{Request: r}).Start, "in February")
}

// A period without a bound is a mistake: a caller who computes the bound has come to 0, and means that nothing is left.
func TestQuotaOfNothing(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 8})
	for _, q := range []Quota{{Every: 10}, {Window: 7}, {Units: 3, Periods: []bookahead.Interval{ticks(0, 9)}}} {
		_, err := d.Do(SetQuota{"q", q})
		require.ErrorContains(t, err, "Quota.Ticks 0 sets no bound")
	}
}
