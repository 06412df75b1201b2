package desk

import (
	"fmt"
	"io"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/site"
)

// Read reads the output of WriteTo, to its end. The desk answers every command as the desk that was written: with the same
// places, IDs and events. Config.Origin is not read.
// Config.Keep is that of the desk that was written; another Keep is an error, unless it is 0.
//
// The error wraps io.ErrUnexpectedEOF if the bytes are cut off, is the error of the reader, or else wraps
// bookahead.ErrInvalid: bytes have changed, or do not make a desk. Reading takes memory in proportion to the bytes, and
// for each schedule at most 64 MiB more, as bookahead.Snapshotter says. O(n log n) for n bookings and the reservations of
// the schedules.
func Read(r io.Reader, c Config) (*Desk, error) {
	x := restorer{Frames: code.NewFrames(r, "snapshot")}
	err := x.head(c)
	// Bookings come last: each is checked against its schedules, counted by its quotas, and added to its series.
	for i := uint64(0); i < x.want.schedules && err == nil; i++ {
		err = x.schedule(i)
	}
	if err == nil {
		err = x.outages()
	}
	if err == nil {
		err = x.quotas()
	}
	if err == nil {
		err = x.several("series", markSeries, &x.series, &x.want.series, x.oneSeries)
	}
	if err == nil {
		err = x.several("bookings", markBookings, &x.count, &x.want.bookings, x.booking)
	}
	if err == nil {
		err = x.end()
	}
	if err != nil {
		return nil, err
	}
	return &Desk{b: x.b}, nil
}

// restorer reads a desk.
type restorer struct {
	*code.Frames
	b      books
	v      verifier
	want   deskHead
	before BookingID // the last booking that was read
	count  uint64    // how many bookings were read
	series uint64    // how many series were read

	beforeSeries SeriesID // the last series that was read

	gathered gathered
	memory   memory
}

// section reads the body of the next frame, which has the mark.
func (x *restorer) section(what string, want byte) (body []byte, err error) {
	err = x.Begin(what)
	if err == io.EOF {
		return nil, x.Broken(err)
	}
	if err != nil {
		return nil, err
	}
	mark, body, err := x.Frame()
	if err == nil && mark != want {
		err = x.Damaged("mark", fmt.Sprintf("%q", mark), fmt.Sprintf("is not %q", want))
	}
	return body, err
}

// wrong returns an error about the content of a frame, with its place.
func (x *restorer) wrong(err error) error { return x.Wrong(asInvalid(err)) }

func (x *restorer) head(c Config) error {
	body, err := x.section("head", markDesk)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(body), magic) {
		return x.Damaged("head", "", "is not that of a desk")
	}
	h := &x.want
	err = code.Read("head", body[len(magic):], h.code)
	switch {
	case err != nil:
		return x.wrong(err)
	case h.last > maxBookings:
		return x.Damaged("last", uint64(h.last), fmt.Sprintf("is more than %d", uint64(maxBookings)))
	case h.now < 0 || h.keep < 0:
		return x.Damaged("clock", h.now, fmt.Sprintf("or Keep %d is negative", h.keep))
	case c.Keep != 0 && c.Keep != h.keep:
		return limits.Invalid("Config.Keep", c.Keep, fmt.Sprintf("is not that of the snapshot, %d", h.keep))
	}
	c.Keep, c.Origin = h.keep, h.now
	err = c.check()
	if err != nil {
		return err
	}
	x.b = newBooks(c)
	x.b.last, x.b.entries, x.b.events, x.b.lastOutage = h.last, h.entries, h.events, h.lastOutage
	x.b.all = ledger.Resume[record](bookahead.ID(h.last))
	x.b.series.last, x.b.series.all = h.lastSeries, ledger.Resume[seriesRecord](bookahead.ID(h.lastSeries))
	return nil
}

func (x *restorer) schedule(i uint64) error {
	body, err := x.section(fmt.Sprintf("schedule %d", i), markSchedule)
	if err != nil {
		return err
	}
	r := code.NewReader("schedule", body)
	named, err := readNamed(r)
	if err != nil {
		return x.wrong(err)
	}
	_, twice := x.b.names[named.Name]
	if twice {
		return x.wrong(limits.Invalid("name", named.Name, "is the name of a schedule already"))
	}
	s, err := x.b.restore(named, body[r.At():])
	if err != nil {
		return x.wrong(err)
	}
	x.b.names[s.name] = int32(len(x.b.schedules))
	x.b.schedules = append(x.b.schedules, s)
	return nil
}

// readNamed reads the name and the kind of a schedule, in front of its state.
func readNamed(r *code.Coder) (named keptSchedule, err error) {
	r.Version()
	if r.OK() {
		named.code(r)
	}
	err = r.Err()
	if err == nil {
		err = named.check()
	}
	return named, err
}

// restore returns a schedule as it was written. Schedules are read into zero values, which make room for
// no more than the bytes have; a forged kind might ask for any amount.
func (b *books) restore(named keptSchedule, state []byte) (*schedule, error) {
	s := &schedule{name: named.Name, kind: named.Kind, since: named.since, terms: named.terms}
	if s.since < 0 || s.since > b.now || named.given < 0 {
		return nil, limits.Invalid("since", s.since, fmt.Sprintf("is not before now, %d, or %d are given", b.now, named.given))
	}
	var err error
	switch kind := named.Kind.(type) {
	case Broker:
		s.of, err = b.makeBroker(kind)
		if err == nil && (len(state) > 0 || s.terms != nil || len(named.tails) > 0 || named.given != 0) {
			err = limits.Invalid("state", len(state), "bytes, terms, tails or a capacity are of a broker, which has none")
		}
		return s, err
	case Nodes:
		s.Site, err = site.ReadNodes(state)
	case Servers:
		s.Site, err = site.ReadServers(state)
	case Pool:
		s.Site, err = site.ReadPool(state)
	}
	s.Given, s.Tails = named.given, named.tails
	if err == nil {
		err = s.agrees(b.now)
	}
	if err == nil {
		err = s.checkTerms(b.now)
	}
	return s, err
}

func (x *restorer) outages() error {
	body, err := x.section("outages", markOutages)
	if err == nil {
		err = x.wrong(code.Read("outages", body, x.b.codeOutages))
	}
	if err == nil {
		err = x.wrong(x.b.checkOutages())
	}
	if err == nil {
		err = x.wrong(x.b.checkOver())
	}
	x.v = x.b.verifier()
	return err
}

func (x *restorer) quotas() error {
	body, err := x.section("quotas", markQuotas)
	if err != nil {
		return err
	}
	return x.wrong(code.Read("quotas", body, x.b.codeRules))
}

// several reads the items of some frames. Frames are divided as WriteTo divides them, and there is at least one, so that a
// desk has only one snapshot.
func (x *restorer) several(name string, mark byte, count, want *uint64, one func(*code.Coder) error) error {
	for first, more := true, true; more; first = false {
		body, err := x.section(fmt.Sprintf("%s after %d of them", name, *count), mark)
		if err != nil {
			return err
		}
		r := code.NewReader(name, body)
		r.Share(&x.memory)
		r.Version()
		if !first && r.Left() == 0 {
			r.Fail("length", len(body), "bytes have no item")
		}
		for r.OK() && r.Left() > 0 {
			if r.At() > chunk {
				r.Fail("length", len(body), "bytes belong into two frames")
				break
			}
			err := one(r)
			if err != nil {
				return x.wrong(err)
			}
			*count++
		}
		err = x.wrong(r.Close())
		if err != nil {
			return err
		}
		// A writer begins another frame only when one is full and an item follows.
		more = len(body) > chunk && *count < *want
		x.Recycle(body) // texts were copied
	}
	return nil
}

// booking reads a booking. The caller looks for an error of the reader in the reader.
func (x *restorer) booking(r *code.Coder) error {
	k := &x.memory.bookings.take(1)[:1][0]
	k.codeKept(r, x.before)
	if !r.OK() {
		return nil
	}
	err := x.enter(k)
	x.before = k.ID
	return err
}

// enter checks a booking, and enters it in all books.
func (x *restorer) enter(k *Booking) error {
	b := &x.b
	if k.ID <= x.before || k.ID > b.last {
		return limits.Invalid("Booking.ID", k.ID, fmt.Sprintf("does not lie behind %d, up to %d", x.before, b.last))
	}
	err := x.check(k)
	if err != nil {
		return err
	}
	if k.Series != 0 {
		err := b.joinSeries(k)
		if err != nil {
			return err
		}
	}
	k.nextDue = k.due(b.config.Keep)
	b.all.Restore(bookahead.ID(k.ID), record{k})
	x.gather(k)
	b.charge(k, 1)
	return nil
}

// end checks that everything has come, and that nothing follows.
func (x *restorer) end() error {
	if x.count != x.want.bookings {
		return x.Damaged("bookings", x.count, fmt.Sprintf("are not as many as the head says, %d", x.want.bookings))
	}
	err := x.build()
	if err == nil {
		err = x.endSeries()
	}
	if err != nil {
		return err
	}
	for k, s := range x.b.schedules {
		// D4: each reservation belongs to a booking or is a tail.
		n := s.Len()
		if n != x.v.reserved[k].n {
			return x.Damaged("reservations", n, fmt.Sprintf("are on %q, and bookings have %d of them", s.name, x.v.reserved[k].n))
		}
	}
	body, err := x.section("end", markEnd)
	if err != nil {
		return err
	}
	if len(body) > 0 {
		return x.Damaged("end", len(body), "bytes are in its frame")
	}
	err = x.Begin("end")
	if err == nil {
		return x.Damaged("end", 1, "or more bytes are left over")
	}
	if err == io.EOF {
		return nil
	}
	return err
}
