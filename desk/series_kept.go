package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

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

// oneSeries reads a series. The caller looks for an error of the reader in the reader.
func (x *restorer) oneSeries(r coder) error {
	s := new(keptSeries)
	s.codeKept(r, x.beforeSeries)
	if !r.ok() {
		return nil
	}
	b := &x.b
	if s.ID <= x.beforeSeries || s.ID > b.series.last {
		return limits.Invalid("Series.ID", s.ID, fmt.Sprintf("does not lie behind %d, up to %d", x.beforeSeries, b.series.last))
	}
	x.beforeSeries = s.ID
	err := s.check(b)
	if err != nil {
		return err
	}
	if s.Key != "" {
		_, twice := b.series.keys.get(s.Key)
		if twice {
			return limits.Invalid("Series.Key", s.Key, "is that of another series")
		}
		b.series.keys.set(s.Key, s.ID)
	}
	b.series.all.Restore(bookahead.ID(s.ID), seriesRecord{s})
	b.dateSeries(s)
	return nil
}

// check checks that a series could have been booked.
func (s *keptSeries) check(b *books) error {
	err := b.knows(&s.Request)
	switch {
	case err != nil:
		return err
	case s.Needs < 0 || s.Shift < 0:
		return limits.Invalid("Series.Needs", s.Needs, fmt.Sprintf("or Shift %d is negative", s.Shift))
	case s.first == nil:
		return s.Request.checkSeries()
	}
	f := s.first
	err = BookSeries{Key: s.Key, Request: s.Request, At: f.at, Partly: f.partly, Shift: f.shift, Needs: f.needs}.check()
	if err != nil {
		return err
	}
	if s.Shift > f.shift {
		return limits.Invalid("Series.Shift", s.Shift, fmt.Sprintf("is more than the %d that were allowed", f.shift))
	}
	for i, k := range f.refused {
		if !f.partly || k < 0 || k >= len(f.at) || i > 0 && k <= f.refused[i-1] {
			return limits.Invalid("Series.Refused", k, "is no window that was refused")
		}
	}
	booked := BookingID(len(f.at) - len(f.refused))
	if booked == 0 || f.booking < 1 || f.booking > b.last || b.last-f.booking < booked-1 {
		return limits.Invalid("Series.Booking", f.booking, fmt.Sprintf("begins no %d bookings, up to %d", booked, b.last))
	}
	return nil
}

// joinSeries adds a booking that was read to its series.
func (b *books) joinSeries(k *Booking) error {
	s, err := b.seriesOf(k.Series)
	if err != nil {
		return limits.Invalid("Booking.Series", k.Series, "is not kept")
	}
	s.bookings, s.kept = append(s.bookings, k.ID), s.kept+1
	return nil
}

// endSeries checks that all series have come, and that each has a reason to be kept.
func (x *restorer) endSeries() error {
	if x.series != x.want.series {
		return x.damaged("series", x.series, fmt.Sprintf("are not as many as the head says, %d", x.want.series))
	}
	for _, r := range x.b.series.all.All(x.b.now) {
		err := r.verify(&x.b)
		if err != nil {
			return x.damaged("Series.ID", r.ID, err.Error())
		}
	}
	return nil
}

// verify checks that a series has a reason to be kept, and that the bookings of its first command belong to it.
func (s *keptSeries) verify(b *books) error {
	if s.kept == 0 && s.Needs == 0 {
		return broken("D13", "series %d has no booking, and needs none", s.ID)
	}
	if s.first == nil {
		return nil
	}
	booked := len(s.first.at) - len(s.first.refused)
	for id := s.first.booking; id < s.first.booking+BookingID(booked); id++ {
		k, ok := b.booking(id)
		if ok && k.Series != s.ID {
			return broken("D13", "series %d was booked with %v, which is of series %d", s.ID, k, k.Series)
		}
	}
	return nil
}

// occur notes the series of a booking.
func (v *verifier) occur(k *Booking) {
	if k.Series == 0 {
		return
	}
	if v.occurs == nil {
		v.occurs = map[SeriesID][]BookingID{}
	}
	v.occurs[k.Series] = append(v.occurs[k.Series], k.ID)
}

// verifySeries checks D13.
func (v *verifier) verifySeries() error {
	keyed, dated, kept := 0, 0, 0
	for id, r := range v.series.all.All(v.now) {
		s := r.keptSeries
		if s.ID != SeriesID(id) || s.ID > v.series.last {
			return broken("D13", "series %d is kept as %d, of %d that were given", s.ID, id, v.series.last)
		}
		err := s.verify(v.books)
		if err != nil {
			return err
		}
		list := slices.DeleteFunc(slices.Clone(s.bookings), func(id BookingID) bool {
			_, ok := v.booking(id)
			return !ok
		})
		if !slices.Equal(list, v.occurs[s.ID]) || len(list) != s.kept {
			return broken("D13", "series %d has the bookings %v, %d of them, and %v are of it", s.ID, list, s.kept, v.occurs[s.ID])
		}
		if len(list) > 0 {
			kept++
		}
		at, ok := v.series.keys.get(s.Key)
		if s.Key != "" {
			keyed++
		}
		if (s.Key != "") != (s.first != nil) || s.Key != "" && (!ok || at != s.ID) {
			return broken("D13", "the key %q of series %d leads to %d", s.Key, s.ID, at)
		}
		if s.Needs > v.now {
			dated++
		}
		if s.Needs > v.now && !inIndex(&v.series.needs.Index, s.due().span()) {
			return broken("D13", "series %d needs more at %d, and no entry is there", s.ID, s.Needs)
		}
	}
	if kept != len(v.occurs) || v.series.keys.len() != keyed || v.series.needs.Len() != dated {
		return broken("D13", "%d series of %d are kept, with %d keys of %d and %d dates of %d",
			kept, len(v.occurs), keyed, v.series.keys.len(), dated, v.series.needs.Len())
	}
	return nil
}
