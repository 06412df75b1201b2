package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// openEnded is at without a deadline.
func openEnded(start bookahead.Time, on string, units int64, ticks bookahead.Duration) Request {
	r := at(start, on, units, ticks)
	r.Deadline = 0
	return r
}

// A Change to a part of the place that a booking has needs no notice, and one to another place does.
func TestAPartOfItsPlaceNeedsNoNotice(t *testing.T) {
	for name, terms := range map[string]Terms{"notice": {Notice: 5}, "ahead": {Ahead: 1}} {
		d := deskWith(t, "lab", Servers{Count: 3, Prefer: "lowest"}, "line", Pool{Units: 4}, "any", Broker{Of: []string{"line"}})
		r := at(4, "lab", 2, 6)
		r.Shapes[0][0].Servers = []int{1, 2}
		k := must(t, d, Book{Request: r})
		two := openEnded(4, "line", 2, 6)
		two.Shapes[0] = append(two.Shapes[0], Part{On: "any", Units: 1, Duration: 4, After: &Gap{0, 3}})
		q := must(t, d, Book{Request: two})
		for _, on := range []string{"lab", "line"} {
			must(t, d, SetTerms{on, terms})
		}
		must(t, d, Advance{1})
		to := func(r Request, change func(r *Request)) Request {
			r = r.Clone()
			change(&r)
			return r
		}
		for _, c := range []struct {
			id    BookingID
			to    Request
			where bookahead.Interval // as it is then; empty if there is no such place, or a later one
		}{
			{k.ID, to(r, func(r *Request) { r.Shapes[0][0].Duration = 3 }), ticks(4, 7)},
			{k.ID, to(r, func(r *Request) { r.Ready, r.Shapes[0][0].Duration = 5, 5 }), ticks(5, 10)},
			{k.ID, to(r, func(r *Request) { r.Ready, r.Shapes[0][0].Units = 3, 1 }), ticks(4, 10)},
			{k.ID, to(r, func(r *Request) { r.Shapes[0][0] = Part{On: "lab", Units: 2, Duration: 5} }), ticks(4, 9)},
			{k.ID, to(r, func(r *Request) { r.Shapes[0][0].Servers = []int{0, 1} }), ticks(0, 0)},
			{k.ID, to(r, func(r *Request) { r.Shapes[0][0].Duration = 7 }), ticks(0, 0)},
			{k.ID, to(r, func(r *Request) { r.Ready = 5 }), ticks(0, 0)},
			{q.ID, to(two, func(r *Request) { r.Shapes[0][0].Units, r.Shapes[0][1].Duration = 1, 2 }), ticks(4, 12)},
			{q.ID, to(two, func(r *Request) { r.Shapes[0][1].Units = 2 }), ticks(0, 0)},
		} {
			x := d.Clone()
			before, err := x.Booking(c.id)
			require.NoError(t, err)
			c.to.Deadline = 14
			out, err := x.Do(Change{ID: c.id, To: c.to})
			if c.where.Empty() {
				require.True(t, err == bookahead.ErrUnavailable || out.Booking.Start >= 6, "%s: %v", name, c.to)
				continue
			}
			require.NoError(t, err, "%s: %v", name, c.to)
			require.Equal(t, c.where, out.Booking.Interval, name)
			for i, p := range out.Booking.Places {
				require.Subset(t, before.Places[i].Servers, p.Servers)
			}
			require.NoError(t, x.Verify())
		}
	}
}

// The desk moves bookings without notice, and far ahead, since their owners did not ask for it.
func TestWhoGivesWayNeedsNoNotice(t *testing.T) {
	for name, terms := range map[string]Terms{"notice": {Notice: 30}, "ahead": {Ahead: 1}, "both": {Notice: 2, Ahead: 3}} {
		for verb, c := range map[string]Command{
			"force":    Book{Request: at(4, "p", 4, 6), Force: Anybody},
			"closure":  Close{On: "p", Interval: ticks(4, 10), Units: 4, Force: Anybody},
			"overrun":  Overrun{ID: 2, Until: 10, Force: Anybody},
			"a change": Change{ID: 2, To: openEnded(0, "p", 4, 8), Force: Anybody},
		} {
			d := opened(t, Config{})
			r := openEnded(4, "p", 3, 6)
			r.Owner = "ann"
			k := must(t, d, Book{Request: r})
			must(t, d, Book{Request: at(0, "p", 4, 4)})
			if verb == "force" {
				must(t, d, Cancel{2})
			} else {
				must(t, d, SetTerms{"p", terms})
			}
			if verb == "force" { // the one who asks keeps the terms
				must(t, d, SetTerms{"p", Terms{Notice: 4}})
			}
			must(t, d, c)
			got, err := d.Booking(k.ID)
			require.NoError(t, err, "%s, %s", name, verb)
			require.Equal(t, Booked, got.State, "%s, %s", name, verb)
			require.GreaterOrEqual(t, got.Start, bookahead.Time(8), "%s, %s", name, verb)
		}
	}
}

// Opening hours, Longest, Owners and Labels bind a booking that gives way.
func TestWhoGivesWayKeepsToTheHours(t *testing.T) {
	for _, terms := range []Terms{{Open: []bookahead.Interval{ticks(0, 12)}}, {Longest: 5}, {Owners: []string{"bob"}}} {
		d := opened(t, Config{Keep: 9})
		k := must(t, d, Book{Request: openEnded(4, "p", 3, 6)})
		must(t, d, SetTerms{"p", terms})
		must(t, d, Close{On: "p", Interval: ticks(4, 10), Units: 4, Force: Anybody})
		got, err := d.Booking(k.ID)
		require.NoError(t, err)
		require.Equal(t, Displaced, got.State)
	}
}

// A booking that is older than a quota may change to a part of its place.
func TestAPartOfItsPlaceBeyondAQuota(t *testing.T) {
	for name, q := range map[string]Quota{
		"none": {None: true}, "units": {Units: 1}, "period": {Ticks: 5, Every: 100}, "window": {Ticks: 5, Window: 20},
	} {
		d := opened(t, Config{})
		r := at(4, "p", 3, 6)
		k := must(t, d, Book{Request: r})
		must(t, d, SetQuota{"q", q})
		less := at(4, "p", 2, 5)
		require.Equal(t, ticks(4, 9), must(t, d, Change{ID: k.ID, To: less}).Interval, name)
		for _, to := range []Request{r, at(4, "p", 2, 6), at(5, "p", 2, 5), at(4, "q", 2, 5)} {
			to.Deadline = 11
			_, err := d.Do(Change{ID: k.ID, To: to})
			require.Equal(t, bookahead.ErrUnavailable, err, "%s: %v", name, to)
		}
		require.NotEmpty(t, d.OverQuota())
		q.Each = true
		must(t, d, SetQuota{"q", q})
		smaller := at(4, "p", 2, 4)
		must(t, d.Clone(), Change{ID: k.ID, To: smaller})
		_, err := d.Do(Change{ID: k.ID, To: smaller.of("bob")})
		require.Equal(t, bookahead.ErrUnavailable, err, "it would be bob's first")
	}
}
