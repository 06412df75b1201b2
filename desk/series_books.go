package desk

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/ledger"
)

// seriesBooks has the series of a desk.
type seriesBooks struct {
	all   ledger.Ledger[seriesRecord]
	keys  cow.Map[string, SeriesID] // by the callers' keys
	needs agenda                    // the tick at which each series needs more, if it is after now
	last  SeriesID                  // the last ID that was given
}

// seriesRecord is a series in the ledger. A change makes a new keptSeries, since clones share the old one.
type seriesRecord struct{ *keptSeries }

// Span keeps a series in the ledger until it is taken out.
func (seriesRecord) Span() bookahead.Interval {
	return bookahead.Interval{Start: 0, End: bookahead.MaxTime}
}

// keptSeries is a series and its bookings. A booking has no more than the number of its series, so a booking without a
// series costs nothing.
type keptSeries struct {
	Series
	first    *firstCommand // the BookSeries that made the series; nil if there is no key
	bookings []BookingID   // ascending; some of them may be forgotten
	kept     int           // how many of the bookings the desk keeps
}

// firstCommand is the rest of the BookSeries that made a series, and its answer, for a retry with the key.
type firstCommand struct {
	at      Occurrences
	partly  bool
	shift   bookahead.Duration // the most that the command allowed
	needs   bookahead.Time
	booking BookingID // the first occurrence that was booked; the others have the next IDs
	refused []int     // the indices of the windows without a booking
}

func (x *seriesBooks) clone() seriesBooks {
	return seriesBooks{x.all.Clone(), x.keys.Clone(), x.needs.clone(), x.last}
}

// seriesOf returns a series by its ID. The error is bookahead.ErrNotFound.
func (b *books) seriesOf(id SeriesID) (*keptSeries, error) {
	r, ok := b.series.all.Get(bookahead.ID(id), b.now)
	if !ok {
		return nil, bookahead.ErrNotFound
	}
	return r.keptSeries, nil
}

// enterSeries enters a new series, which has the next ID.
func (b *books) enterSeries(s *keptSeries) {
	b.series.last = SeriesID(b.series.all.Add(seriesRecord{s}, b.now))
	if s.Key != "" {
		b.series.keys.Set(s.Key, s.ID)
	}
	b.dateSeries(s)
}

// dateSeries puts the tick at which a series needs more on the agenda.
func (b *books) dateSeries(s *keptSeries) {
	if s.Needs > b.now {
		b.series.needs.Add(s.due().span())
	}
}

func (s *keptSeries) due() due { return due{s.Needs, BookingID(s.ID)} }

// replaceSeries puts a series in the place of the series that has its ID, and forgets a series that has no booking
// left and needs none.
func (b *books) replaceSeries(old, s *keptSeries) {
	if old.Needs != s.Needs {
		if old.Needs > b.now {
			b.series.needs.Remove(old.due().span())
		}
		b.dateSeries(s)
	}
	if s.kept > 0 || s.Needs != 0 {
		b.series.all.Set(bookahead.ID(s.ID), seriesRecord{s})
		return
	}
	b.series.all.Remove(bookahead.ID(s.ID), b.now)
	if s.Key != "" {
		b.series.keys.Remove(s.Key)
	}
}

// removeSeries notes that a booking of a series is forgotten.
func (b *books) removeSeries(id SeriesID) {
	old, err := b.seriesOf(id)
	if err != nil {
		return
	}
	s := *old
	s.kept--
	b.replaceSeries(old, &s)
}

// tellSeries tells which series need more occurrences at a tick or before it, in order.
func (b *books) tellSeries(to bookahead.Time) {
	for {
		next, ok := b.series.needs.next()
		if !ok || next.at > to {
			return
		}
		b.series.needs.Remove(next.span())
		s, err := b.seriesOf(SeriesID(next.id))
		if err == nil {
			b.tell(Event{At: next.at, What: NeedsMore, Owner: s.Owner, Series: s.ID})
		}
	}
}

// outcome returns the bookings by window of the command that made a series, and the refused windows.
func (s *keptSeries) outcome() (list []BookingID, refused []bookahead.Interval) {
	id := s.first.booking
	for i, w := range s.first.at {
		if slices.Contains(s.first.refused, i) {
			list, refused = append(list, 0), append(refused, later(w, s.Shift))
			continue
		}
		list = append(list, id)
		id++
	}
	return list, refused
}

// later returns an interval moved on by so many ticks.
func later(w bookahead.Interval, shift bookahead.Duration) bookahead.Interval {
	return bookahead.Interval{Start: w.Start + bookahead.Time(shift), End: w.End + bookahead.Time(shift)}
}
