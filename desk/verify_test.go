package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
	"github.com/bookahead/bookahead/internal/spans"
	"github.com/bookahead/bookahead/nodes"
)

// TestVerifyNamesTheInvariant spoils a desk in a way for each book, and checks that Verify names the
// invariant that is broken. Booking 1 runs on p and s, 2 is held on n, 3 is booked on q, and 4 has been
// cancelled. Booking 5 runs on s, and has gained a server at tick 2. Booking 6 has ended on q, whose buffer is 3 ticks, and 7 is
// booked there. Bookings 8 and 9 wait.
func TestVerifyNamesTheInvariant(t *testing.T) {
	build := func() *Desk {
		d := opened(t, Config{Keep: 100})
		must(t, d, Book{Key: "k", Request: asks(Part{On: "p", Units: 1, Duration: 20}, Part{On: "s", Units: 2, Duration: 9})})
		must(t, d, Book{Hold: 7, Request: asks(Part{On: "n", Units: 3, Duration: 4, Tasks: &nodes.Request{Each: nodes.Vector{3}}})})
		r := asks(Part{On: "q", Units: 1, Duration: 10})
		r.Ready = 30
		must(t, d, Book{Request: r})
		must(t, d, Book{Request: asks(Part{On: "q", Units: 1, Duration: 10})})
		must(t, d, Book{Request: asks(Part{On: "s", Units: 1, Duration: 9})})
		must(t, d, Advance{2})
		must(t, d, Change{ID: 5, To: asks(Part{On: "s", Units: 2, Duration: 9})})
		must(t, d, Advance{3})
		must(t, d, Cancel{4})
		must(t, d, Close{On: "p", Interval: bookahead.Interval{Start: 5, End: 9}, Units: 1})
		must(t, d, SetTerms{"q", Terms{After: 3}})
		must(t, d, Book{Request: asks(Part{On: "q", Units: 1, Duration: 10})})
		must(t, d, End{6})
		must(t, d, SetTerms{"q", Terms{Before: 2, After: 3}})
		must(t, d, Book{Request: asks(Part{On: "q", Units: 1, Duration: 20})})
		for range 2 {
			r := asks(Part{On: "p", Units: 4, Duration: 5})
			r.Deadline = 15
			must(t, d, Book{Request: r, Wait: 9})
		}
		return d
	}
	require.NoError(t, build().Verify())
	inRecord := func(id BookingID, change func(k *Booking)) func(d *Desk) {
		return func(d *Desk) { rewrite(d, id, change) }
	}
	place := func(id BookingID, change func(p *Place)) func(d *Desk) {
		return inRecord(id, func(k *Booking) {
			k.Places = append([]Place(nil), k.Places...)
			change(&k.Places[0])
		})
	}
	piece := func(k *Booking, change func(x *Piece)) Piece {
		x := k.Past[0]
		change(&x)
		return x
	}
	for _, c := range []struct {
		invariant, name string
		spoil           func(d *Desk)
	}{
		{"D1", "another ID", inRecord(3, func(k *Booking) { k.ID = 9 })},
		{"D1", "an ID not given", func(d *Desk) { d.b.last = 3 }},
		{"D1", "no such shape", inRecord(1, func(k *Booking) { k.Shape = 1 })},
		{"D1", "a part without a place", inRecord(1, func(k *Booking) { k.Places, k.on, k.ids = k.Places[:1], k.on[:1], k.ids[:1] })},
		{"D1", "another schedule", place(3, func(p *Place) { p.On = "p" })},
		{"D1", "other units", place(3, func(p *Place) { p.Units = 2 })},
		{"D1", "another time than its places", inRecord(3, func(k *Booking) { k.End++ })},
		{"D2", "booked, and begun", inRecord(1, func(k *Booking) { k.State = Booked })},
		{"D2", "a hold that is over", inRecord(2, func(k *Booking) { k.Expiry = 3 })},
		{"D2", "running before it begins", inRecord(3, func(k *Booking) { k.State = Running })},
		{"D2", "an expiry without a hold", inRecord(3, func(k *Booking) { k.Expiry = 9 })},
		{"D2", "no state", inRecord(3, func(k *Booking) { k.State = 0 })},
		{"D2", "ended with reservations", inRecord(1, func(k *Booking) { k.State = Ended })},
		{"D3", "a reservation lost", inRecord(1, func(k *Booking) { k.ids[1] = 0 })},
		{"D3", "too few reservations", inRecord(1, func(k *Booking) { k.ids = k.ids[:1] })},
		{"D3", "a reservation released", func(d *Desk) { require.NoError(t, d.b.schedules[1].Keeper().Release(1)) }},
		{"D3", "other nodes", place(2, func(p *Place) { p.Nodes = []nodes.Share{{Node: 0, Tasks: 1}, {Node: 1, Tasks: 2}} })},
		{"D3", "other servers", inRecord(1, func(k *Booking) {
			k.Places = append([]Place(nil), k.Places...)
			k.Places[1].Servers = []int{2, 3}
		})},
		{"D3", "another head", place(2, func(p *Place) { p.Head = 0 })},
		{"D4", "a reservation of nobody", squat},
		{"D5", "a calendar entry lost", func(d *Desk) {
			k, _ := d.b.booking(3)
			d.b.schedules[1].calendar.Remove(k.span(0, k.Places[0]))
		}},
		{"D5", "a calendar entry left", func(d *Desk) {
			d.b.schedules[1].calendar.Add(spans.Span{Interval: bookahead.Interval{Start: 1, End: 2}, ID: 5})
		}},
		{"D5", "a live booking that does not count", func(d *Desk) { d.b.schedules[1].live-- }},
		{"D6", "a key lost", func(d *Desk) { d.b.keys.Remove("k") }},
		{"D6", "a key of nobody", func(d *Desk) { d.b.keys.Set("x", 3) }},
		{"D6", "a key of another booking", func(d *Desk) { d.b.keys.Set("k", 3) }},
		{"D6", "a first request without a key", inRecord(3, func(k *Booking) { k.asked = &Request{} })},
		{"D7", "an owner lost", func(d *Desk) {
			k, _ := d.b.booking(3)
			d.b.owners.remove(k)
		}},
		{"D7", "an owner of nothing", func(d *Desk) { d.b.owners.add(&Booking{ID: 77}) }},
		{"D7", "an owner for another", func(d *Desk) {
			k, _ := d.b.booking(3)
			d.b.owners.remove(k)
			d.b.owners.add(&Booking{ID: 77})
		}},
		{"D5", "a calendar entry for another", func(d *Desk) {
			k, _ := d.b.booking(3)
			d.b.schedules[1].calendar.Remove(k.span(0, k.Places[0]))
			d.b.schedules[1].calendar.Add(k.span(1, k.Places[0]))
		}},
		{"D8", "a date for another", func(d *Desk) {
			k, _ := d.b.booking(1)
			d.b.agenda.remove(k)
			d.b.agenda.Add(due{k.nextDue, 3}.span())
		}},
		{"D8", "a date lost", func(d *Desk) {
			k, _ := d.b.booking(1)
			d.b.agenda.remove(k)
		}},
		{"D8", "a date too many", func(d *Desk) { d.b.agenda.Add(due{30, 3}.span()) }},
		{"D8", "another date", inRecord(3, func(k *Booking) { k.nextDue = 31 })},
		{"D9", "a name too many", func(d *Desk) { d.b.names["x"] = 0 }},
		{"D9", "two names mixed up", func(d *Desk) { d.b.names["p"], d.b.names["q"] = 1, 0 }},
		{"D9", "a clock that is ahead", func(d *Desk) { require.NoError(t, d.b.schedules[1].Keeper().Advance(4)) }},
		{"D9", "a broker of itself", func(d *Desk) { d.b.schedules[3].of = []int32{3} }},
		{"D10", "an outage not given", func(d *Desk) { d.b.lastOutage = 0 }},
		{"D11", "a piece that is not over", inRecord(5, func(k *Booking) { k.Past = []Piece{piece(k, func(x *Piece) { x.Part, x.End = -1, 4 })} })},
		{"D11", "a piece of nothing", inRecord(5, func(k *Booking) { k.Past = []Piece{piece(k, func(x *Piece) { x.Part, x.End = -1, x.Start })} })},
		{"D11", "a piece on another schedule", inRecord(5, func(k *Booking) { k.Past = []Piece{piece(k, func(x *Piece) { x.On = "q" })} })},
		{"D11", "a piece of no part", inRecord(5, func(k *Booking) { k.Past = []Piece{piece(k, func(x *Piece) { x.Part = 1 })} })},
		{"D11", "a gap behind a piece", inRecord(5, func(k *Booking) { k.Past = []Piece{piece(k, func(x *Piece) { x.End = 1 })} })},
		{"D11", "a piece without a schedule", inRecord(5, func(k *Booking) { k.pastOn = nil })},
		{"D1", "a start that the past does not have", inRecord(5, func(k *Booking) { k.Past, k.pastOn = nil, nil })},
		{"D5", "a past piece that is on no calendar", func(d *Desk) {
			k, _ := d.b.booking(5)
			d.b.schedules[2].calendar.Remove(k.span(MaxParts, k.Past[0].Place))
		}},
		{"D2", "one that waits with a place", inRecord(3, func(k *Booking) { k.State, k.Expiry = Waiting, 90 })},
		{"D2", "one that should wait no longer", inRecord(8, func(k *Booking) { k.Expiry = 3 })},
		{"D2", "one that waits where it is not wanted", inRecord(8, func(k *Booking) { k.Start, k.End = 3, 3 })},
		{"D8", "a wait that does not lapse", func(d *Desk) {
			k, _ := d.b.booking(8)
			d.b.agenda.remove(k)
		}},
		{"D14", "one that waits and is not listed", func(d *Desk) { d.b.waiting = d.b.waiting[:1] }},
		{"D14", "one that is listed and does not wait", func(d *Desk) { d.b.waiting = append(d.b.waiting, turn{priority: -9, id: 3}) }},
		{"D14", "one that is listed with steps that it does not have", func(d *Desk) {
			first := d.b.waiting[0]
			first.steps = true
			d.b.waiting = append(waiting{first}, d.b.waiting[1:]...)
		}},
		{"D14", "one that is listed twice", func(d *Desk) { d.b.waiting = append(d.b.waiting, d.b.waiting[1]) }},
		{"D14", "one that waits for its turn in another place", func(d *Desk) { d.b.waiting = waiting{d.b.waiting[1], d.b.waiting[0]} }},
		{"D3", "another buffer behind", place(7, func(p *Place) { p.After++ })},
		{"D3", "no buffer behind", place(7, func(p *Place) { p.After = 0 })},
		{"D4", "a tail lost", func(d *Desk) { d.b.schedules[1].Tails = nil }},
		{"D15", "a tail that is over", func(d *Desk) { d.b.schedules[1].Tails = []site.Tail{{ID: d.b.schedules[1].Tails[0].ID, End: 3}} }},
		{"D15", "a tail with another end", func(d *Desk) { d.b.schedules[1].Tails = []site.Tail{{ID: d.b.schedules[1].Tails[0].ID, End: 9}} }},
		{"D15", "a tail twice", func(d *Desk) { d.b.schedules[1].Tails = append(d.b.schedules[1].Tails, d.b.schedules[1].Tails[0]) }},
		{"D15", "a tail without a reservation", func(d *Desk) {
			require.NoError(t, d.b.schedules[1].Release(d.b.schedules[1].Tails[0].ID))
		}},
		{"D3", "a tail that is a booking's", func(d *Desk) {
			k, _ := d.b.booking(7)
			end := k.Places[0].reserved().End
			d.b.schedules[1].Tails = append(d.b.schedules[1].Tails, site.Tail{ID: k.ids[0], End: end})
		}},
		{"D10", "an outage twice", func(d *Desk) { d.b.outages = append(d.b.outages, d.b.outages[0]) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := build()
			c.spoil(d)
			require.ErrorContains(t, d.Verify(), "desk: "+c.invariant+":")
		})
	}
}
