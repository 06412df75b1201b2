package desk

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/quota"
)

var _ io.WriterTo = (*Desk)(nil)

// chunk is about how many bytes of bookings lie in a frame.
const chunk = 1 << 16

// WriteTo writes the whole desk, for Read, and returns how many bytes it has written. It writes one schedule after
// another, so that only the bytes of one are in memory. The same state gives the same bytes on every machine. WriteTo
// writes a clone, so commands and queries may run meanwhile. The error is that of Write, or wraps bookahead.ErrInvalid if
// a schedule of the caller's own cannot be written. The cost is a Clone, a snapshot of each schedule, and O(n) for n
// bookings.
//
//	head        the clock, the numbers given last, and how many schedules, bookings and outages follow
//	schedules   name and kind, and behind them the snapshot of the structure
//	outages
//	series      by ID, in frames like the bookings
//	quotas      and the use by forgotten bookings that they know
//	bookings    by ID, a few hundred in a frame
//	end
//
// Each of these is a frame with a sum.
func (d *Desk) WriteTo(w io.Writer) (int64, error) {
	c := d.Clone()
	out := &frameWriter{w: w}
	out.writeBooks(&c.b)
	return out.n, out.err
}

// frameWriter writes frames until the first error.
type frameWriter struct {
	w   io.Writer
	n   int64
	err error
}

// frame writes a frame whose body has several parts. After an error it writes nothing.
func (out *frameWriter) frame(mark byte, err error, parts ...[]byte) {
	if out.err == nil {
		out.err = err
	}
	length, sum := 0, uint32(0)
	for _, part := range parts {
		length += len(part)
		sum = crc32.Update(sum, castagnoli, part)
	}
	if out.err == nil && length > maxFrame {
		out.err = limits.Invalid("snapshot", length, fmt.Sprintf("bytes of one schedule are more than %d", maxFrame))
	}
	out.write(appendHead(nil, mark, length))
	for _, part := range parts {
		out.write(part)
	}
	out.write(binary.LittleEndian.AppendUint32(nil, sum))
}

func (out *frameWriter) write(b []byte) {
	if out.err != nil || len(b) == 0 {
		return
	}
	n, err := out.w.Write(b)
	out.n += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	out.err = err
}

func (out *frameWriter) writeBooks(b *books) {
	head := headOf(b)
	body, err := appendBinary([]byte(magic), head.code)
	out.frame(markDesk, err, body)
	for _, s := range b.schedules {
		if out.err != nil {
			return
		}
		named := keptSchedule{AddSchedule{s.name, s.kind}, s.given, s.since, s.terms, s.tails}
		body, err := appendBinary(nil, named.code)
		state, cannot := s.marshal()
		out.frame(markSchedule, cmp.Or(err, cannot), body, state)
	}
	body, err = appendBinary(nil, b.codeOutages)
	out.frame(markOutages, err, body)
	body, err = appendBinary(nil, b.codeRules)
	out.frame(markQuotas, err, body)
	out.series(b)
	out.bookings(b)
	out.frame(markEnd, nil)
}

// bookings writes the bookings in frames of some size.
func (out *frameWriter) bookings(b *books) {
	w := out.several(markBookings)
	before := BookingID(0)
	for _, r := range b.all.All(b.now) {
		if !w.next() {
			return
		}
		r.Booking.codeKept(w, before)
		before = r.ID
	}
	w.flush()
}

// several writes items in frames of some size, in at least one frame.
type several struct {
	*binaryWriter
	out  *frameWriter
	mark byte
}

func (out *frameWriter) several(mark byte) several {
	return several{&binaryWriter{b: []byte{version}}, out, mark}
}

// next begins a frame if the last one is full. It returns false after an error: no item needs to follow then.
func (x several) next() bool {
	if len(x.b) > chunk {
		x.flush()
		x.b = x.b[:1]
	}
	return x.out.err == nil
}

func (x several) flush() { x.out.frame(x.mark, x.err, x.b) }

// marshal returns the snapshot of a schedule's structure; nil for a broker.
func (s *schedule) marshal() ([]byte, error) {
	switch {
	case s.machine != nil:
		return s.machine.MarshalBinary()
	case s.keeper != nil:
		return bookahead.Snapshot(s.keeper)
	}
	return nil, nil
}

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

func (h *deskHead) code(x coder) {
	number(x, "now", &h.now)
	number(x, "keep", &h.keep)
	counter(x, "last", &h.last)
	counter(x, "entries", &h.entries)
	counter(x, "events", &h.events)
	counter(x, "last outage", &h.lastOutage)
	counter(x, "schedules", &h.schedules)
	counter(x, "bookings", &h.bookings)
	counter(x, "last series", &h.lastSeries)
	counter(x, "series", &h.series)
}

// keptSchedule has the fields of a schedule that come before the snapshot of its structure.
type keptSchedule struct {
	AddSchedule
	given int64
	since bookahead.Time
	terms *Terms
	tails []tail
}

func (s *keptSchedule) code(x coder) {
	s.AddSchedule.code(x)
	number(x, "given", &s.given)
	number(x, "since", &s.since)
	optional(x, "terms", &s.terms)
	objects(x, "tails", &s.tails)
}

func (t *tail) code(x coder) {
	counter(x, "id", &t.id)
	number(x, "end", &t.end)
}

func (b *books) codeOutages(x coder) {
	objects(x, "outages", &b.outages)
	objects(x, "over", &b.over)
}

func (o *Outage) code(x coder) {
	counter(x, "id", &o.ID)
	o.Close.code(x)
	counter(x, "closure", &o.closure)
	added := x.has("added", o.added)
	if x.reads() {
		o.added = added
	}
}

// codeKept codes a booking that follows one with a lower ID.
func (k *Booking) codeKept(x coder, before BookingID) {
	step := k.ID - before
	counter(x, "id", &step)
	if x.reads() {
		k.ID = before + step
	}
	k.codeSeen(x)
	list(x, "reservations", &k.ids, func(id *bookahead.ID) { counter(x, "", id) })
	if k.Key != "" {
		k.codeAsked(x)
	}
}

// codeAsked codes the first request of a booking, which is written only if the present request is another one.
func (k *Booking) codeAsked(x coder) {
	changed := x.has("changed", !x.reads() && !k.first().alike(&k.Request))
	if !changed {
		return
	}
	if x.reads() {
		k.asked = new(Request)
	}
	k.asked.code(x)
	if x.reads() && k.asked.alike(&k.Request) {
		x.fail("changed", k.Key, "is the key of a request that is the same")
	}
}

// alike reports whether two requests have the same bytes.
func (r *Request) alike(o *Request) bool {
	a, b := binaryWriter{}, binaryWriter{}
	r.code(&a)
	o.code(&b)
	return string(a.b) == string(b.b)
}

// series writes the series in frames of some size, without their bookings: each booking has the number of its series.
func (out *frameWriter) series(b *books) {
	w := out.several(markSeries)
	before := SeriesID(0)
	for _, r := range b.series.all.All(b.now) {
		if !w.next() {
			return
		}
		r.keptSeries.codeKept(w, before)
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

func (q *keptRule) code(x coder) {
	q.SetQuota.code(x)
	objects(x, "accounts", &q.accounts)
}

type keptAccount struct {
	owner string
	past  []quota.Piece
}

func (a *keptAccount) code(x coder) {
	x.text("owner", &a.owner)
	list(x, "past", &a.past, func(p *quota.Piece) {
		x.open("")
		span(x, &p.Interval)
		number(x, "units", &p.Units)
		counter(x, "more", &p.More)
		x.close()
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
func (b *books) codeRules(x coder) {
	var kept []keptRule
	if !x.reads() {
		kept = b.keptRules()
	}
	objects(x, "quotas", &kept)
	for i := 0; x.reads() && x.ok() && i < len(kept); i++ {
		err := b.restoreRule(&kept[i])
		if err != nil {
			x.fail("quota", kept[i].Name, fmt.Sprintf("makes no sense: %v", err))
		}
	}
}

// codeKept codes a series that follows one with a lower ID.
func (s *keptSeries) codeKept(x coder, before SeriesID) {
	step := s.ID - before
	counter(x, "id", &step)
	if x.reads() {
		s.ID = before + step
	}
	x.text("key", &s.Key)
	s.Request.code(x)
	number(x, "needs", &s.Needs)
	number(x, "shift", &s.Shift)
	if s.Key == "" {
		return
	}
	if x.reads() {
		s.first = new(firstCommand)
	}
	f := s.first
	f.at.code(x)
	flag(x, "partly", &f.partly)
	number(x, "most", &f.shift)
	number(x, "first needs", &f.needs)
	counter(x, "booking", &f.booking)
	last := 0
	list(x, "refused", &f.refused, func(i *int) {
		numberFrom(x, "", i, last)
		last = *i
	})
}
