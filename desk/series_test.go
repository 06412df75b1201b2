package desk

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// weekly returns windows of a length, each a week of 7 ticks behind the one before.
func weekly(from bookahead.Time, weeks int, length bookahead.Duration) (at Occurrences) {
	for range weeks {
		at = append(at, bookahead.Interval{Start: from, End: from + bookahead.Time(length)})
		from += 7
	}
	return at
}

// theRoom asks for a unit for the whole window.
func theRoom(owner string) Request {
	return Request{Owner: owner, Shapes: []Shape{{{On: "room", Units: 1}}}}
}

// short returns the events of an outcome in short: the kind, the series, the booking and the tick.
func short(events []Event) (list []string) {
	for _, e := range events {
		list = append(list, fmt.Sprintf("%v %d/%d %d %s", e.What, e.Series, e.Booking, e.At, e.Owner))
	}
	return list
}

// TestAnOpenSeriesGoesOn follows a series to its end: Advance says when it needs occurrences, and Continue adds them.
// Nothing is booked any more at tick 15, and the series is kept all the same, until it is told that it has all.
func TestAnOpenSeriesGoesOn(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	do(t, d, AddSchedule{"room", Pool{Units: 1}})
	out := do(t, d, BookSeries{Key: "yoga", Request: theRoom("eve"), At: weekly(1, 2, 2), Needs: 12})
	require.Equal(t, Outcome{Series: 1, Occurrences: []BookingID{1, 2}, Events: out.Events}, out)
	require.Equal(t, []string{"booked 1/1 0 eve", "booked 1/2 0 eve"}, short(out.Events))
	first := do(t, d, Book{Request: at(16, "room", 1, 2)})
	require.Zero(t, first.Events[0].Series)

	out = do(t, d, Advance{15})
	require.Equal(t, []string{"started 1/1 1 eve", "ended 1/1 3 eve", "started 1/2 8 eve", "ended 1/2 10 eve", "needs more 1/0 12 eve", "advanced 0/0 15 "}, short(out.Events))
	require.Empty(t, collected(d.Bookings(Filter{Series: 1}, bookahead.Effort{})))
	require.Len(t, do(t, d, Advance{15}).Events, 1, "it is told once")
	s, err := d.Series(1)
	require.NoError(t, err)
	require.Equal(t, Series{ID: 1, Key: "yoga", Request: s.Request, Needs: 12}, s)
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	require.Equal(t, []Series{s}, read.AllSeries())

	// Windows 0 and 1 are taken, and the series still goes on.
	out = do(t, d, Continue{ID: 1, Needed: 12, At: weekly(15, 2, 3), Partly: true, Needs: 21})
	require.Equal(t, []BookingID{0, 4}, out.Occurrences)
	require.Equal(t, []bookahead.Interval{ticks(15, 18)}, out.Refused)
	require.Equal(t, []string{"refused 1/0 15 eve", "booked 1/4 15 eve"}, short(out.Events))
	require.Equal(t, ticks(15, 18), out.Events[0].From)
	out = do(t, d, Continue{ID: 1, Needed: 21, At: weekly(16, 1, 1), Partly: true, Needs: 30})
	require.Equal(t, []BookingID{0}, out.Occurrences)
	require.NoError(t, d.Verify())
	require.Len(t, collected(d.Bookings(Filter{Series: 1}, bookahead.Effort{})), 1)

	// It needs no more: it goes with its last booking.
	do(t, d, Continue{ID: 1, Needed: 30, At: weekly(40, 1, 1)})
	out = do(t, d, Advance{40})
	require.NotContains(t, happened(out.Events), NeedsMore)
	require.Len(t, d.AllSeries(), 1)
	do(t, d, Advance{41})
	_, err = d.Series(1)
	require.Equal(t, bookahead.ErrNotFound, err)
	_, err = d.SeriesByKey("yoga")
	require.Equal(t, bookahead.ErrNotFound, err)
	_, err = d.Do(Continue{ID: 1, Needed: 30, At: weekly(50, 1, 1)})
	require.Equal(t, bookahead.ErrNotFound, err)
	require.NoError(t, d.Verify())
	require.Equal(t, []BookingID{6}, do(t, d, BookSeries{Key: "yoga", Request: theRoom("eve"), At: weekly(50, 1, 2)}).Occurrences)
}

// TestCancelSeries: occurrence 1 has begun, occurrence 2 was changed to lie behind From, and occurrence 3 to lie before it.
func TestCancelSeries(t *testing.T) {
	for _, keep := range []bookahead.Duration{0, 50} {
		d, err := New(Config{Keep: keep})
		require.NoError(t, err)
		do(t, d, AddSchedule{"room", Pool{Units: 1}})
		do(t, d, BookSeries{Key: "k", Request: theRoom("eve"), At: weekly(0, 5, 3), Needs: 99})
		do(t, d, Change{ID: 2, To: at(33, "room", 1, 2)})
		do(t, d, Change{ID: 3, To: at(10, "room", 1, 2)})
		out := do(t, d, CancelSeries{1, 12})
		require.Equal(t, []string{"cancelled 1/2 0 ", "cancelled 1/4 0 eve", "cancelled 1/5 0 eve", "cancelled 1/0 0 eve"}, short(out.Events))
		require.Equal(t, SeriesID(1), out.Series)
		s, err := d.Series(1)
		require.NoError(t, err)
		require.Zero(t, s.Needs)
		live := Filter{Series: 1, States: []State{Booked, Running}}
		require.Len(t, collected(d.Bookings(live, bookahead.Effort{})), 2)
		live.Window = ticks(9, 12)
		require.Len(t, collected(d.Bookings(live, bookahead.Effort{})), 1)
		require.NoError(t, d.Verify())
		out = do(t, d, CancelSeries{ID: 1})
		require.Equal(t, []What{WasCancelled, WasCancelled}, happened(out.Events))
		do(t, d, Cancel{1})
		_, err = d.SeriesByKey("k")
		require.Equal(t, keep == 0, err == bookahead.ErrNotFound)
		_, err = d.Do(CancelSeries{ID: 2})
		require.Equal(t, bookahead.ErrNotFound, err)
		require.NoError(t, d.Verify())
	}
}

// TestTheKeyOfASeries answers with the bookings and refused windows of the first time.
func TestTheKeyOfASeries(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 1})
	do(t, d, Book{Key: "yoga", Request: at(8, "room", 1, 2)}) // keys of bookings are others
	c := BookSeries{Key: "yoga", Request: theRoom("eve"), At: weekly(1, 3, 2), Partly: true, Needs: 9}
	c.Labels = []string{"a", "b"}
	first := do(t, d, c)
	require.Equal(t, []BookingID{2, 0, 3}, first.Occurrences)
	do(t, d, Cancel{2})
	do(t, d, Advance{14})
	do(t, d, Continue{ID: 1, Needed: 9, At: weekly(22, 1, 2)})
	before := written(t, d)
	c.Labels = []string{"b", "a"}
	for _, again := range []Command{c, &c, Batch{[]Command{&c, c}}} {
		e, err := d.Decide(again)
		require.NoError(t, err)
		require.Zero(t, e.Number)
		out := do(t, d, again)
		require.Empty(t, out.Events)
		if out.Batch != nil {
			out = out.Batch[1]
		}
		require.Equal(t, first.Occurrences, out.Occurrences)
		require.Equal(t, first.Refused, out.Refused)
		require.Equal(t, before, written(t, d))
	}
	out := do(t, d, Batch{[]Command{Advance{14}, c}})
	require.Equal(t, first.Occurrences, out.Batch[1].Occurrences)
	for _, change := range []func(c *BookSeries){
		func(c *BookSeries) { c.Owner = "bob" }, func(c *BookSeries) { c.At = weekly(1, 4, 2) }, func(c *BookSeries) { c.Partly = false },
		func(c *BookSeries) { c.Needs = 0 }, func(c *BookSeries) { c.Partly, c.Shift = false, 3 },
	} {
		other := c
		change(&other)
		_, err := d.Do(other)
		require.ErrorIs(t, err, ErrKey)
		require.ErrorContains(t, err, "is that of series 1")
	}
}

// TestAnOccurrenceIsABooking: its Request is its window, so that it is changed alone.
func TestAnOccurrenceIsABooking(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 1}, "beamer", Pool{Units: 1})
	r := Request{Owner: "eve", Shapes: []Shape{{{On: "room", Units: 1}, {On: "beamer", Units: 1, Offset: 1}}, {{On: "room", Units: 1, Duration: 4}}}}
	do(t, d, BookSeries{Request: r, At: Occurrences{ticks(1, 5), ticks(8, 13)}})
	k, err := d.Booking(2)
	require.NoError(t, err)
	require.Equal(t, Request{Owner: "eve", Ready: 8, Deadline: 13, Shapes: []Shape{
		{{On: "room", Units: 1, Duration: 5}, {On: "beamer", Units: 1, Duration: 4, Offset: 1}}, {{On: "room", Units: 1, Duration: 4}},
	}}, k.Request)
	require.Equal(t, 1, k.Shape)
	to := k.Request.Clone()
	to.Owner = "bob"
	out := do(t, d, Change{ID: 2, To: to})
	require.Equal(t, SeriesID(1), out.Booking.Series)
	require.Equal(t, SeriesID(1), out.Events[0].Series)
	require.Equal(t, ticks(8, 12), out.Booking.Interval)
	s, err := d.Series(1)
	require.NoError(t, err)
	require.Equal(t, r, s.Request)
}

// TestTheLeastShift: at a shift of 3 each occurrence fits alone, but X leaves the second no room behind the first. From 4
// to 6 one of them does not fit alone.
//
//	          0    5    10   15   20
//	unit 0    BBB   X    BBB
//	windows   11                          shift 0
//	           222
//	                      33
//	             11                       shift 3: 2 would come to [5, 7)
//	              222        33
//	                 11                   shift 7: 2 comes to [9, 11)
//	                  222        33
func TestTheLeastShift(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 1})
	for _, w := range []bookahead.Interval{ticks(0, 3), ticks(6, 7), ticks(11, 14)} {
		do(t, d, Book{Request: at(w.Start, "room", 1, bookahead.Duration(w.End-w.Start))})
	}
	c := BookSeries{Request: asks(Part{On: "room", Units: 1, Duration: 2}), At: Occurrences{ticks(0, 2), ticks(1, 4), ticks(12, 14)}, Shift: 6}
	_, err := d.Do(c)
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	require.ErrorContains(t, err, "BookSeries.At[0] [5, 7) has no place")
	c.Shift = 7
	out := do(t, d, c)
	s, err := d.Series(out.Series)
	require.NoError(t, err)
	require.Equal(t, bookahead.Duration(7), s.Shift)
	k, err := d.Booking(out.Occurrences[2])
	require.NoError(t, err)
	require.Equal(t, ticks(19, 21), k.Interval)
}

// TestEqualWindowsHaveNoShift: equal windows on one unit never fit together, and no desk tries for ever.
func TestEqualWindowsHaveNoShift(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 1})
	before := written(t, d)
	for _, n := range []int{2, 1 << 10} {
		c := BookSeries{Request: theRoom(""), At: slices.Repeat(weekly(1, 1, 2), n), Shift: math.MaxInt64 - 9}
		_, err := d.Do(c)
		require.ErrorIs(t, err, bookahead.ErrUnavailable)
		require.ErrorContains(t, err, "BookSeries.At[1]")
		require.Equal(t, before, written(t, d))
	}
}

// TestSeriesThatAreRefused checks the errors, and that nothing is changed.
func TestSeriesThatAreRefused(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 2})
	three := asks(Part{On: "room", Units: 1, Duration: 3})
	do(t, d, BookSeries{Request: three, At: weekly(90, 1, 3), Needs: 3})
	do(t, d, Advance{5})
	do(t, d, BookSeries{Key: "k", Request: three, At: weekly(6, 2, 3), Needs: 7})
	book := func(change func(c *BookSeries)) BookSeries {
		c := BookSeries{Request: asks(Part{On: "room", Units: 1, Duration: 2}), At: weekly(6, 3, 3)}
		change(&c)
		return c
	}
	before := written(t, d)
	for text, c := range map[string]Command{
		"BookSeries.At 0 are too few":                                     book(func(c *BookSeries) { c.At = nil }),
		"BookSeries.At 1025 is more than Config.Limits.Occurrences, 1024": book(func(c *BookSeries) { c.At = weekly(6, 1025, 3) }),
		"BookSeries.At[1] [9, 9) is empty":                                book(func(c *BookSeries) { c.At = Occurrences{ticks(6, 9), ticks(9, 9)} }),
		"BookSeries.At[1] [6, 8) comes behind [6, 9)":                     book(func(c *BookSeries) { c.At = Occurrences{ticks(6, 9), ticks(6, 8)} }),
		"BookSeries.At[0] [4, 6) has no place":                            book(func(c *BookSeries) { c.At[0] = ticks(4, 6) }),
		"BookSeries.At[0] [-4, 9) is empty, or begins before 0":           book(func(c *BookSeries) { c.At[0] = ticks(-4, 9) }),
		"BookSeries.At[1] [9, 10) is shorter than the 2 ticks":            book(func(c *BookSeries) { c.At = Occurrences{ticks(6, 9), ticks(9, 10)} }),
		"BookSeries.At[2] [20, 23) overflows when it is 9223372036854775": book(func(c *BookSeries) { c.Shift = math.MaxInt64 - 20 }),
		"BookSeries.Shift -1 is negative":                                 book(func(c *BookSeries) { c.Shift = -1 }),
		"BookSeries.Shift 1 is asked for with Partly":                     book(func(c *BookSeries) { c.Shift, c.Partly = 1, true }),
		"BookSeries.Needs -1 is negative":                                 book(func(c *BookSeries) { c.Needs = -1 }),
		"BookSeries.Needs 5 is not after now, 5":                          book(func(c *BookSeries) { c.Needs = 5 }),
		"BookSeries.Key 1025 bytes":                                       book(func(c *BookSeries) { c.Key = string(make([]byte, 1025)) }),
		"Request.Ready 6 is not 0":                                        book(func(c *BookSeries) { c.Ready = 6 }),
		"Request.Deadline 6 is not 0":                                     book(func(c *BookSeries) { c.Deadline = 6 }),
		"Request.Shapes 0 are not":                                        book(func(c *BookSeries) { c.Shapes = nil }),
		"Request.Shapes[0][0].Units 0":                                    book(func(c *BookSeries) { c.Shapes[0][0].Units = 0 }),
		"Request.Shapes[0][0].Duration -1":                                book(func(c *BookSeries) { c.Shapes[0][0].Duration = -1 }),
		"Request.Shapes[0][0].Offset -1":                                  book(func(c *BookSeries) { c.Shapes[0][0].Offset = -1 }),
		"Request.Shapes[0][1].After {1 2} is a gap":                       book(func(c *BookSeries) { c.Shapes[0] = append(c.Shapes[0], Part{On: "room", Units: 1, After: &Gap{1, 2}}) }),
		"Request.Shapes[0][0].On gone":                                    book(func(c *BookSeries) { c.Shapes[0][0].On = "gone" }),
		"parts of BookSeries.At 16448 is more than Config.Limits.Parts, 16384": book(func(c *BookSeries) {
			c.At, c.Shapes[0] = weekly(6, 257, 3), slices.Repeat(c.Shapes[0], 64)
		}),
		"BookSeries.At[0] [6, 9) has no place":   book(func(c *BookSeries) { c.Shapes[0][0].Units = 3 }),
		"BookSeries.At[1] [13, 16) has no place": book(func(c *BookSeries) { c.At[0], c.Shapes[0][0].Units = ticks(10, 13), 2 }),
		"BookSeries.At[0] [10, 13) has no place": book(func(c *BookSeries) { c.At, c.Partly, c.Shapes[0][0].Units = weekly(10, 3, 3), true, 3 }),
		"Continue.At 0 are too few":              Continue{ID: 2, Needed: 7},
		"Continue.At[0] [1, 4) has no place":     Continue{ID: 2, Needed: 7, At: weekly(1, 2, 3)},
		"Continue.At[0] [-1, 4) is empty, or be": Continue{ID: 2, Needed: 7, At: Occurrences{ticks(-1, 4)}},
		"Continue.At[0] [6, 8) is shorter":       Continue{ID: 2, Needed: 7, At: weekly(6, 2, 2)},
		"Continue.Needed 0 is no tick":           Continue{ID: 2, At: weekly(6, 2, 3)},
		"Continue.Needed 6 is not 7, at which":   Continue{ID: 2, Needed: 6, At: weekly(6, 2, 3)},
		"Continue.Needs -4 is negative":          Continue{ID: 2, Needed: 7, At: weekly(6, 2, 3), Needs: -4},
		"Continue.Needs 7 is not after Needed, ": Continue{ID: 2, Needed: 7, At: weekly(6, 2, 3), Needs: 7},
		"Continue.Needs 5 is not after now, 5":   Continue{ID: 1, Needed: 3, At: weekly(6, 2, 3), Needs: 5},
		"Batch.Commands[1]":                      Batch{[]Command{Advance{6}, book(func(c *BookSeries) { c.At = weekly(5, 1, 2) })}},
	} {
		data, err := MarshalCommand(c)
		if err == nil {
			c, err = UnmarshalCommand(data)
			require.NoError(t, err)
		}
		_, err = d.Do(c)
		require.ErrorContains(t, err, text)
		require.Equal(t, before, written(t, d))
	}
}

// TestForgedSeries: an entry is refused, or the books agree afterwards, whatever it says.
func TestForgedSeries(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 2}, "hall", Pool{Units: 2})
	do(t, d, BookSeries{Key: "k", Request: theRoom("eve"), At: weekly(1, 2, 3)})
	c := BookSeries{Request: theRoom("eve"), At: weekly(1, 2, 3), Shift: 3}
	good, err := d.Decide(c)
	require.NoError(t, err)
	data, err := good.MarshalBinary()
	require.NoError(t, err)
	before := written(t, d)
	for text, forge := range map[string]func(e *Entry){
		"Decision.Series 3 does not follow 1":           func(e *Entry) { e.Decision.Series = 3 },
		"Decision.Series 0 is not series 1":             func(e *Entry) { e.Decision.Series = 0 },
		"Decision.Shift 4 is not from 0 to 3":           func(e *Entry) { e.Decision.Shift = 4 },
		"Decision.Batch 1 are not as many":              func(e *Entry) { e.Decision.Batch = e.Decision.Batch[:1] },
		"Decision.Batch 0 are not as many":              func(e *Entry) { e.Decision.Batch, c.Key = nil, "new"; e.Command = c },
		"is that of a series already":                   func(e *Entry) { c.Key = "k"; e.Command = c },
		"is one of its own, beside those of the occurr": func(e *Entry) { e.Decision.Booking = 3 },
		"is more than the place of an occurrence":       func(e *Entry) { e.Decision.Batch[0].Series = 2 },
		"Decision.Booking 4 does not follow 2":          func(e *Entry) { e.Decision.Batch[0].Booking = 4 },
		"is that of an occurrence that is refused":      func(e *Entry) { e.Decision.Batch[1] = Decision{} },
		"are those of an occurrence that is refused":    func(e *Entry) { c.Partly, c.Shift = true, 0; e.Command = c; e.Decision.Batch[1].Booking = 0 },
		"books nothing":                        func(e *Entry) { c.Partly, c.Shift = true, 0; e.Command, e.Decision.Batch = c, make([]Decision, 2) },
		"is no schedule of \"room\"":           func(e *Entry) { e.Decision.Batch[1].Places[0].On = "hall" },
		"with 0 places is none of the request": func(e *Entry) { e.Decision.Batch[1].Places = nil },
		"no such reservation":                  func(e *Entry) { e.Command, e.Decision.Shift = Continue{ID: 2, Needed: 1, At: c.At}, 0 },
		"is not series 0 of the command":       func(e *Entry) { e.Command, e.Decision.Batch = Advance{3}, nil },
	} {
		c = BookSeries{Request: theRoom("eve"), At: weekly(1, 2, 3), Shift: 3}
		var e Entry
		require.NoError(t, e.UnmarshalBinary(data))
		forge(&e)
		_, err := d.Apply(e)
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, text)
		require.Equal(t, before, written(t, d))
	}
	_, err = d.Apply(good)
	require.NoError(t, err)
	good.Number = 0
	good.Decision.Series = 77
	_, err = d.Apply(good)
	require.NoError(t, err, "an entry that changes nothing")
}

// TestSeriesInABatch: decisions are nested in a log.
func TestSeriesInABatch(t *testing.T) {
	var log bytes.Buffer
	d := mustNew(t)
	l := NewLog(d, &log)
	for _, c := range []Command{
		AddSchedule{"room", Pool{Units: 1}},
		Batch{[]Command{
			BookSeries{Key: "a", Request: theRoom("ann"), At: weekly(1, 3, 2), Needs: 20}, Advance{2},
			BookSeries{Key: "b", Request: theRoom("bob"), At: Occurrences{ticks(2, 4), ticks(4, 6)}, Partly: true}, Continue{1, 20, weekly(30, 2, 1), false, 40},
		}},
		Batch{[]Command{CancelSeries{1, 9}, BookSeries{Request: theRoom("bob"), At: weekly(14, 2, 2), Shift: 1}}},
	} {
		_, err := l.Do(c)
		require.NoError(t, err)
	}
	require.NoError(t, d.Verify())
	require.Equal(t, written(t, d), written(t, replayed(t, log.Bytes())))
}

// TestVerifySeries breaks D13 in each way.
func TestVerifySeries(t *testing.T) {
	change := func(change func(s *keptSeries)) func(d *Desk) {
		return func(d *Desk) {
			old, _ := d.b.seriesOf(1)
			s := *old
			change(&s)
			d.b.series.all.Set(1, seriesRecord{&s})
		}
	}
	for name, spoil := range map[string]func(d *Desk){
		"a booking lost":            change(func(s *keptSeries) { s.bookings = s.bookings[1:] }),
		"a booking of another":      change(func(s *keptSeries) { s.bookings = append(slices.Clone(s.bookings), 4) }),
		"a wrong count":             change(func(s *keptSeries) { s.kept++ }),
		"another ID":                change(func(s *keptSeries) { s.ID = 2 }),
		"a key lost":                func(d *Desk) { d.b.series.keys.Remove("k") },
		"a key of nobody":           func(d *Desk) { d.b.series.keys.Set("x", 1) },
		"a key without a command":   change(func(s *keptSeries) { s.first = nil }),
		"a command of another":      change(func(s *keptSeries) { f := *s.first; f.booking++; s.first = &f }),
		"a date lost":               func(d *Desk) { d.b.series.needs.Remove(due{30, 1}.span()) },
		"a date too many":           func(d *Desk) { d.b.series.needs.Add(due{31, 1}.span()) },
		"another date":              change(func(s *keptSeries) { s.Needs = 31 }),
		"a series that is not kept": func(d *Desk) { d.b.series.all.Remove(1, 0) },
		"a series of nothing": func(d *Desk) {
			d.b.series.last = SeriesID(d.b.series.all.Add(seriesRecord{&keptSeries{Series: Series{ID: 2}}}, 0))
		},
		"a booking that names another": func(d *Desk) { rewrite(d, 4, func(k *Booking) { k.Series = 1 }) },
		"a number not given":           func(d *Desk) { d.b.series.last = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			d := deskWith(t, "room", Pool{Units: 2})
			do(t, d, BookSeries{Key: "k", Request: theRoom("eve"), At: weekly(1, 3, 2), Needs: 30})
			do(t, d, Book{Request: at(3, "room", 1, 1)})
			require.NoError(t, d.Verify())
			spoil(d)
			require.ErrorContains(t, d.Verify(), "D13")
		})
	}
}
