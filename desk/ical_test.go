package desk

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

var (
	icalClock = bookahead.Clock{Epoch: time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC), Tick: time.Hour}
	icalStamp = time.Date(2026, time.March, 1, 1, 0, 0, 0, time.FixedZone("", 3600))
)

func TestWriteCalendar(t *testing.T) {
	list := []Booking{
		{ID: 7, State: Booked, Request: Request{Title: "Compilers, group 2"}, Interval: ticks(8, 10), Places: []Place{
			{On: "room 12", Units: 1}, {On: "seats", Units: 20}}},
		{ID: 8, State: Held, Request: Request{Title: "a;b\\c\r\nd\te\x00\x7f\xff\u0085"}, Interval: ticks(-1, 1), Places: []Place{
			{On: "lab", Units: 2, Servers: []int{0, 3}}, {On: "farm", Units: 3, Nodes: []nodes.Share{{Node: 1, Tasks: 2}, {Node: 4, Tasks: 1}}}}},
		{ID: 9, State: Cancelled, Interval: ticks(3, 3)},
	}
	for range 2 {
		var out bytes.Buffer
		require.NoError(t, WriteCalendar(&out, yielded(list), icalClock, "lab.example", icalStamp))
		require.Equal(t, strings.ReplaceAll(`BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//bookahead//desk//EN
BEGIN:VEVENT
UID:7@lab.example
DTSTAMP:20260301T000000Z
DTSTART:20260302T080000Z
DTEND:20260302T100000Z
SUMMARY:Compilers\, group 2
LOCATION:1 of room 12\, 20 of seats
STATUS:CONFIRMED
END:VEVENT
BEGIN:VEVENT
UID:8@lab.example
DTSTAMP:20260301T000000Z
DTSTART:20260301T230000Z
DTEND:20260302T010000Z
SUMMARY:a\;b\\c\nd`+"\te\ufffd"+`
LOCATION:2 of lab on [0 3]\, 3 of farm on nodes [1 4]
STATUS:TENTATIVE
END:VEVENT
BEGIN:VEVENT
UID:9@lab.example
DTSTAMP:20260301T000000Z
DTSTART:20260302T030000Z
SUMMARY:
STATUS:CANCELLED
END:VEVENT
END:VCALENDAR
`, "\n", "\r\n"), out.String())
	}
	for s := Held; s <= Waiting; s++ {
		want := map[State]string{Held: "TENTATIVE", Waiting: "TENTATIVE", Booked: "CONFIRMED", Running: "CONFIRMED", Ended: "CONFIRMED"}[s]
		if want == "" {
			want = "CANCELLED"
		}
		require.Equal(t, want, s.status())
	}
}

// A booking that was given up is struck from a calendar where it was, and not when it was given up.
func TestWriteCalendarOfBookingsGivenUp(t *testing.T) {
	d := deskWith(t, "lab", Servers{Count: 2}, "line", Pool{Units: 4})
	book := func(c Book) Booking { return must(t, d, c) }
	two := at(12, "lab", 1, 4)
	two.Deadline = 0
	two.Shapes[0] = append(two.Shapes[0], Part{On: "line", Units: 1, Duration: 3, After: &Gap{2, 5}})
	one := at(10, "line", 1, 2)
	book(Book{Request: two})                          // #1, from 12 to 21
	book(Book{Request: one, Hold: 3})                 // #2, expires
	book(Book{Request: at(0, "line", 1, 9)})          // #3, is cancelled at 4
	book(Book{Request: one})                          // #4, is displaced
	book(Book{Request: at(2, "line", 4, 5), Wait: 3}) // #5, waits in vain
	must(t, d, Advance{4})
	must(t, d, Cancel{1})
	must(t, d, Cancel{3})
	must(t, d, Close{On: "line", Interval: ticks(9, 40), Units: 4, Force: Anybody})
	book(Book{Request: at(4, "line", 1, 5)}) // #6, is cancelled at once
	must(t, d, Cancel{6})
	var out bytes.Buffer
	require.NoError(t, WriteCalendar(&out, d.Bookings(Filter{}, bookahead.Effort{}), icalClock, "x", icalStamp))
	var got []string
	for _, line := range strings.Split(out.String(), "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "UID":
			got = append(got, value[:1])
		case "DTSTART", "DTEND":
			got[len(got)-1] += " " + value[6:11]
		case "STATUS":
			require.Equal(t, "CANCELLED", value)
		}
	}
	require.ElementsMatch(t, []string{"1 02T12 02T21", "2 02T10 02T12", "3 02T00 02T04", "4 02T10 02T12", "5 02T02", "6 02T04 02T09"}, got)
	odd := Booking{ID: 1, State: Cancelled, Interval: ticks(3, 3), Shape: 7, Request: one, Places: []Place{{}, {}}}
	for _, shape := range []int{-1, 0, 7} {
		odd.Shape = shape
		require.Equal(t, ticks(3, 3), odd.formerly())
	}
}

// An event covers the ticks also if they are no whole seconds.
func TestWriteCalendarRounds(t *testing.T) {
	c := icalClock
	c.Tick = 700 * time.Millisecond
	var out bytes.Buffer
	require.NoError(t, WriteCalendar(&out, yielded([]Booking{{Interval: ticks(1, 3)}}), c, "d", icalStamp))
	require.Contains(t, out.String(), "DTSTART:20260302T000000Z\r\nDTEND:20260302T000003Z\r\n")
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestWriteCalendarRefuses(t *testing.T) {
	one := yielded([]Booking{{Interval: ticks(1, 3)}})
	require.EqualError(t, WriteCalendar(full{}, one, icalClock, "d", icalStamp), "the disk is full")
	for name, x := range map[string]struct {
		bookings iter.Seq2[Booking, error]
		clock    bookahead.Clock
		stamp    time.Time
	}{
		"end":    {yielded([]Booking{{Interval: ticks(1, math.MaxInt64)}}), icalClock, icalStamp},
		"start":  {yielded([]Booking{{Interval: ticks(math.MaxInt64-1, math.MaxInt64)}}), icalClock, icalStamp},
		"tick":   {one, bookahead.Clock{Tick: -1}, icalStamp},
		"year 0": {yielded([]Booking{{Interval: ticks(-1, 3)}}), bookahead.Clock{}, icalStamp},
		"10000":  {one, bookahead.Clock{Epoch: time.Date(9999, 12, 31, 23, 59, 58, 0, time.UTC)}, icalStamp},
		"stamp":  {one, icalClock, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		var out bytes.Buffer
		err := WriteCalendar(&out, x.bookings, x.clock, "d", x.stamp)
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
	}
}

// unfold reads lines of iCalendar back, by the words of RFC 5545: a line that begins with a space goes on.
func unfold(t require.TestingT, out string) (lines []string) {
	require.True(t, strings.HasSuffix(out, "\r\n"))
	for _, line := range strings.Split(strings.TrimSuffix(out, "\r\n"), "\r\n") {
		require.True(t, len(line) <= 75 && utf8.ValidString(line), "%q", line)
		require.False(t, strings.ContainsAny(line, "\r\n"), "%q", line)
		more, ok := strings.CutPrefix(line, " ")
		if ok {
			lines[len(lines)-1] += more
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// FuzzWriteCalendar: lines are short and UTF-8, and unfolded and unescaped they give the texts back.
func FuzzWriteCalendar(f *testing.F) {
	for _, text := range []string{"", "plain", "a,b;c\\d\ne", "\\n\r\n\r", strings.Repeat("é", 99), strings.Repeat("x", 66) + "漢字🙂", "\xff\xf0\x9f\x99", "\tEND:VEVENT\n", "\u2028\u0085\x1b"} {
		f.Add(text, "room", "lab.example", int64(3), int64(9), uint64(7))
		f.Add("title", text, text, int64(-3), int64(1)<<40, uint64(math.MaxUint64))
	}
	f.Fuzz(func(t *testing.T, title, on, domain string, start, length int64, id uint64) {
		b := Booking{ID: BookingID(id), State: Booked, Request: Request{Title: title}, Places: []Place{{On: on, Units: 1}}}
		b.Start = bookahead.Time(start)
		b.End = b.Start + bookahead.Time(length)
		var out bytes.Buffer
		err := WriteCalendar(&out, yielded([]Booking{b, b}), icalClock, domain, icalStamp)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		clean := func(text string) string {
			return strings.Map(func(c rune) rune {
				if unicode.IsControl(c) && c != '\t' && c != '\n' {
					return -1
				}
				return c
			}, strings.ToValidUTF8(text, ""))
		}
		texts := map[string]int{}
		for _, line := range unfold(t, out.String()) {
			name, value, ok := strings.Cut(line, ":")
			require.True(t, ok, "%q", line)
			texts[name]++
			value = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n").Replace(value)
			value = strings.ReplaceAll(value, "\ufffd", "")
			switch name {
			case "SUMMARY":
				require.Equal(t, strings.ReplaceAll(clean(title), "\ufffd", ""), value)
			case "LOCATION":
				require.Equal(t, "1 of "+strings.ReplaceAll(clean(on), "\ufffd", ""), value)
			case "UID":
				require.True(t, strings.HasSuffix(value, "@"+strings.ReplaceAll(clean(domain), "\ufffd", "")))
			}
		}
		for _, name := range []string{"UID", "DTSTAMP", "DTSTART", "SUMMARY", "LOCATION", "STATUS"} {
			require.Equal(t, 2, texts[name], name)
		}
		require.Equal(t, 3, texts["BEGIN"])
		require.Equal(t, 3, texts["END"])
		require.Equal(t, length > 0, texts["DTEND"] == 2)
	})
}
