package desk

import "github.com/bookahead/bookahead"

// reservedBy says which booking has a reservation of a schedule. Reservations with neighbouring IDs are mostly asked for
// one after another, so IDs lie on pages, and the last page is at hand. The zero value is empty.
type reservedBy struct {
	n     int
	pages map[bookahead.ID]*reservedPage
	at    bookahead.ID // the number of the last page
	last  *reservedPage
}

// reservedPage has 32 consecutive IDs, few enough that an ID alone on its page costs no more than the booking that was
// read for it.
type reservedPage struct {
	has uint32
	by  [32]BookingID
}

// set notes that a booking has a reservation. If another booking has it, set returns that one instead.
func (x *reservedBy) set(id bookahead.ID, k BookingID) (other BookingID, twice bool) {
	number, bit := id/32, id%32
	if x.last == nil || x.at != number {
		x.turn(number)
	}
	p := x.last
	if p.has&(1<<bit) != 0 {
		return p.by[bit], true
	}
	p.has |= 1 << bit
	p.by[bit] = k
	x.n++
	return 0, false
}

// turn makes the page with a number the last one.
func (x *reservedBy) turn(number bookahead.ID) {
	if x.pages == nil {
		x.pages = map[bookahead.ID]*reservedPage{}
	}
	p := x.pages[number]
	if p == nil {
		p = new(reservedPage)
		x.pages[number] = p
	}
	x.at, x.last = number, p
}
