package desk

import (
	"bytes"
	"fmt"
	"io"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/quota"
	"github.com/bookahead/bookahead/internal/site"
)

var _ io.WriterTo = (*Desk)(nil)

// chunk is about how many bytes of bookings lie in a frame.
const chunk = 1 << 16

// WriteTo writes the whole desk, for Read, and returns how many bytes it has written. It writes one schedule after
// another, so that only the bytes of one are in memory. The same state gives the same bytes on every machine. WriteTo
// writes a clone, so commands and queries may run meanwhile. The error is that of Write. The cost is a Clone, a snapshot of
// each schedule, and O(n) for n bookings.
//
//	head        the clock, the numbers given last, and how many schedules, bookings and series follow
//	schedules   name and kind, and behind them the snapshot of the structure
//	outages
//	quotas      and the use by forgotten bookings that they know
//	series      by ID, in frames like the bookings
//	bookings    by ID, a few hundred in a frame
//	end
//
// Each of these is a frame with a sum.
func (d *Desk) WriteTo(w io.Writer) (int64, error) {
	c := d.Clone()
	out := bookWriter{code.NewFrameWriter(w)}
	out.writeBooks(&c.b)
	return out.Written(), out.Err()
}

// The marks of the frames.
const (
	markDesk     = 'D'
	markSchedule = 'S'
	markOutages  = 'O'
	markSeries   = 'R'
	markQuotas   = 'Q'
	markBookings = 'B'
	markEnd      = 'Z'
)

// bookWriter writes the books in frames.
type bookWriter struct{ *code.FrameWriter }

func (out bookWriter) writeBooks(b *books) {
	head := headOf(b)
	body, err := code.Append([]byte(magic), head.code)
	out.Frame(markDesk, err, body)
	for _, s := range b.schedules {
		if out.Err() != nil {
			return
		}
		named := keptSchedule{AddSchedule{s.name, s.kind}, s.Given, s.since, s.terms, s.Tails}
		body, err := code.Append(nil, named.code)
		var state []byte // none for a broker
		if s.of == nil && err == nil {
			state, err = s.MarshalBinary()
		}
		out.Frame(markSchedule, err, body, state)
	}
	body, err = code.Append(nil, b.codeOutages)
	out.Frame(markOutages, err, body)
	body, err = code.Append(nil, b.codeRules)
	out.Frame(markQuotas, err, body)
	out.series(b)
	out.bookings(b)
	out.Frame(markEnd, nil)
}

// bookings writes the bookings in frames of some size.
func (out bookWriter) bookings(b *books) {
	w := several{out, markBookings, newBody()}
	before := BookingID(0)
	for _, r := range b.all.All(b.now) {
		if !w.next() {
			return
		}
		r.Booking.codeKept(w.Coder, before)
		before = r.ID
	}
	w.flush()
}

// several writes items in frames of some size, in at least one frame.
type several struct {
	bookWriter
	mark byte
	*code.Coder
}

func newBody() *code.Coder {
	x := code.NewWriter(nil)
	x.Version()
	return x
}

// next begins a frame if the last one is full. It returns false after an error: no item needs to follow then.
func (x *several) next() bool {
	if len(x.Bytes()) > chunk {
		x.flush()
		x.Cut(1)
	}
	return x.bookWriter.Err() == nil
}

func (x *several) flush() { x.Frame(x.mark, x.Coder.Err(), x.Bytes()) }

// deskHead has the numbers of the books.
type deskHead struct {
	now        bookahead.Time
	keep       bookahead.Duration
	last       BookingID
	entries    uint64
	events     uint64
	lastOutage OutageID
	schedules  uint64
	bookings   uint64
	lastSeries SeriesID
	series     uint64
}

func headOf(b *books) deskHead {
	return deskHead{b.now, b.config.Keep, b.last, b.entries, b.events, b.lastOutage, uint64(len(b.schedules)), uint64(b.all.Len()),
		b.series.last, uint64(b.series.all.Len())}
}

func (h *deskHead) code(x *code.Coder) {
	code.Number(x, "now", &h.now)
	code.Number(x, "keep", &h.keep)
	code.Counter(x, "last", &h.last)
	code.Counter(x, "entries", &h.entries)
	code.Counter(x, "events", &h.events)
	code.Counter(x, "last outage", &h.lastOutage)
	code.Counter(x, "schedules", &h.schedules)
	code.Counter(x, "bookings", &h.bookings)
	code.Counter(x, "last series", &h.lastSeries)
	code.Counter(x, "series", &h.series)
}

// keptSchedule has the fields of a schedule that come before the snapshot of its structure.
type keptSchedule struct {
	AddSchedule
	given int64
	since bookahead.Time
	terms *Terms
	tails []site.Tail
}

func (s *keptSchedule) code(x *code.Coder) {
	s.AddSchedule.code(x)
	code.Number(x, "given", &s.given)
	code.Number(x, "since", &s.since)
	code.Optional(x, "terms", &s.terms, (*Terms).code)
	code.List(x, "tails", &s.tails, codeTail)
}

func codeTail(t *site.Tail, x *code.Coder) {
	code.Counter(x, "id", &t.ID)
	code.Number(x, "end", &t.End)
}

func (b *books) codeOutages(x *code.Coder) {
	code.List(x, "outages", &b.outages, (*Outage).code)
	code.List(x, "over", &b.over, (*Outage).code)
}

func (o *Outage) code(x *code.Coder) {
	code.Counter(x, "id", &o.ID)
	o.Close.code(x)
	code.Counter(x, "closure", &o.closure)
	added := x.Has("added", o.added)
	if x.Reads() {
		o.added = added
	}
}

// codeKept codes a booking that follows one with a lower ID.
func (k *Booking) codeKept(x *code.Coder, before BookingID) {
	step := k.ID - before
	code.Counter(x, "id", &step)
	if x.Reads() {
		k.ID = before + step
	}
	k.codeSeen(x)
	code.Counters(x, "reservations", &k.ids)
	if k.Key != "" {
		k.codeAsked(x)
	}
}

// codeAsked codes the first request of a booking, which is written only if the present request is another one.
func (k *Booking) codeAsked(x *code.Coder) {
	changed := x.Has("changed", !x.Reads() && k.asked != nil && !k.asked.alike(&k.Request))
	if !changed {
		return
	}
	if x.Reads() {
		k.asked = new(Request)
	}
	k.asked.code(x)
	if x.Reads() && k.asked.alike(&k.Request) {
		x.Fail("changed", k.Key, "is the key of a request that is the same")
	}
}

// alike reports whether two requests have the same bytes.
func (r *Request) alike(o *Request) bool {
	x := code.NewWriter(nil)
	r.code(x)
	n := len(x.Bytes())
	o.code(x)
	return bytes.Equal(x.Bytes()[:n], x.Bytes()[n:])
}

// series writes the series in frames of some size, without their bookings: each booking has the number of its series.
func (out bookWriter) series(b *books) {
	w := several{out, markSeries, newBody()}
	before := SeriesID(0)
	for _, r := range b.series.all.All(b.now) {
		if !w.next() {
			return
		}
		r.keptSeries.codeKept(w.Coder, before)
		before = r.ID
	}
	w.flush()
}

// keptRule is a quota in a snapshot, with the use by forgotten bookings in its accounts. All other use follows from the
// bookings.
type keptRule struct {
	SetQuota
	accounts []keptAccount // by owner, only accounts with use by forgotten bookings
}

func (q *keptRule) code(x *code.Coder) {
	q.SetQuota.code(x)
	code.List(x, "accounts", &q.accounts, (*keptAccount).code)
}

type keptAccount struct {
	owner string
	past  []quota.Piece
}

func (a *keptAccount) code(x *code.Coder) {
	x.Text("owner", &a.owner)
	code.List(x, "past", &a.past, func(p *quota.Piece, x *code.Coder) {
		code.Span(x, &p.Interval)
		code.Number(x, "units", &p.Units)
		code.Counter(x, "more", &p.More)
	})
}

// keptRules returns the quotas in the form of a snapshot.
func (b *books) keptRules() (list []keptRule) {
	for _, q := range b.rules {
		kept := keptRule{SetQuota: q.set}
		for owner, past := range b.accounts.Past(&q.Rule, b.now) {
			kept.accounts = append(kept.accounts, keptAccount{owner, past})
		}
		list = append(list, kept)
	}
	return list
}

// codeRules codes the quotas. A reader checks them against the schedules, and opens their accounts.
func (b *books) codeRules(x *code.Coder) {
	var kept []keptRule
	if !x.Reads() {
		kept = b.keptRules()
	}
	code.List(x, "quotas", &kept, (*keptRule).code)
	for i := 0; x.Reads() && x.OK() && i < len(kept); i++ {
		err := b.restoreRule(&kept[i])
		if err != nil {
			x.Fail("quota", kept[i].Name, fmt.Sprintf("makes no sense: %v", err))
		}
	}
}

// codeKept codes a series that follows one with a lower ID.
func (s *keptSeries) codeKept(x *code.Coder, before SeriesID) {
	step := s.ID - before
	code.Counter(x, "id", &step)
	if x.Reads() {
		s.ID = before + step
	}
	x.Text("key", &s.Key)
	s.Request.code(x)
	code.Number(x, "needs", &s.Needs)
	code.Number(x, "shift", &s.Shift)
	if s.Key == "" {
		return
	}
	if x.Reads() {
		s.first = new(firstCommand)
	}
	f := s.first
	f.at.code(x)
	code.Flag(x, "partly", &f.partly)
	code.Number(x, "most", &f.shift)
	code.Number(x, "first needs", &f.needs)
	code.Counter(x, "booking", &f.booking)
	code.Steps(x, "refused", &f.refused)
}
