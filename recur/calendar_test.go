package recur

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

var (
	icalClock = bookahead.Clock{Epoch: time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC), Tick: time.Hour}
	icalStamp = time.Date(2026, time.March, 1, 1, 0, 0, 0, time.FixedZone("", 3600))
)

func TestWriteCalendar(t *testing.T) {
	list := slices.Values([]Event{
		{UID: "7@lab.example", Interval: ticks(8, 10), Summary: "Compilers, group 2", Location: "1 of room 12, 20 of seats"},
		{UID: "8@lab.example", Interval: ticks(-1, 1), Summary: "a;b\\c\r\nd\te\x00\x7f\xff\u0085", Description: "tea, at 4", Status: Tentative},
		{UID: "a;9@lab.example", Interval: ticks(3, 3), Status: Cancelled},
	})
	for range 2 {
		var out bytes.Buffer
		require.NoError(t, WriteCalendar(&out, list, icalClock, icalStamp))
		require.Equal(t, strings.ReplaceAll(`BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//bookahead//recur//EN
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
DESCRIPTION:tea\, at 4
STATUS:TENTATIVE
END:VEVENT
BEGIN:VEVENT
UID:a\;9@lab.example
DTSTAMP:20260301T000000Z
DTSTART:20260302T030000Z
SUMMARY:
STATUS:CANCELLED
END:VEVENT
END:VCALENDAR
`, "\n", "\r\n"), out.String())
	}
	require.Equal(t, "status 3", Status(3).String())
}

// An event covers its ticks also if they are no whole seconds.
func TestWriteCalendarRounds(t *testing.T) {
	c := icalClock
	c.Tick = 700 * time.Millisecond
	var out bytes.Buffer
	require.NoError(t, WriteCalendar(&out, slices.Values([]Event{{UID: "1", Interval: ticks(1, 3)}}), c, icalStamp))
	require.Contains(t, out.String(), "DTSTART:20260302T000000Z\r\nDTEND:20260302T000003Z\r\n")
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestWriteCalendarRefuses(t *testing.T) {
	one := Event{UID: "1", Interval: ticks(1, 3)}
	require.EqualError(t, WriteCalendar(full{}, slices.Values([]Event{one}), icalClock, icalStamp), "the disk is full")
	for name, x := range map[string]struct {
		event Event
		clock bookahead.Clock
		stamp time.Time
	}{
		"end":    {Event{UID: "1", Interval: ticks(1, math.MaxInt64)}, icalClock, icalStamp},
		"start":  {Event{UID: "1", Interval: ticks(math.MaxInt64-1, math.MaxInt64)}, icalClock, icalStamp},
		"tick":   {one, bookahead.Clock{Tick: -1}, icalStamp},
		"year 0": {Event{UID: "1", Interval: ticks(-1, 3)}, bookahead.Clock{}, icalStamp},
		"10000":  {one, bookahead.Clock{Epoch: time.Date(9999, 12, 31, 23, 59, 58, 0, time.UTC)}, icalStamp},
		"stamp":  {one, icalClock, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"UID":    {Event{UID: "\r\x00", Interval: ticks(1, 3)}, icalClock, icalStamp},
		"Status": {Event{UID: "1", Interval: ticks(1, 3), Status: 3}, icalClock, icalStamp},
	} {
		var out bytes.Buffer
		err := WriteCalendar(&out, slices.Values([]Event{x.event}), x.clock, x.stamp)
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

// readable returns a text as a calendar shows it.
func readable(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\t' && c != '\n' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, ""))
	return strings.ReplaceAll(text, "\ufffd", "")
}

// FuzzWriteCalendar: lines are short and UTF-8, and unfolded and unescaped they give the texts back.
func FuzzWriteCalendar(f *testing.F) {
	for _, text := range []string{"", "plain", "a,b;c\\d\ne", "\\n\r\n\r", strings.Repeat("é", 99), strings.Repeat("x", 66) + "漢字🙂", "\xff\xf0\x9f\x99", "\tEND:VEVENT\n", "\u2028\u0085\x1b"} {
		f.Add(text, "room", "7@lab.example", int64(3), int64(9), uint8(0))
		f.Add("title", text, text, int64(-3), int64(1)<<40, uint8(3))
	}
	f.Fuzz(func(t *testing.T, title, place, uid string, start, length int64, status uint8) {
		e := Event{UID: uid, Summary: title, Location: place, Description: title + place, Status: Status(status)}
		e.Start = bookahead.Time(start)
		e.End = e.Start + bookahead.Time(length)
		var out bytes.Buffer
		err := WriteCalendar(&out, slices.Values([]Event{e, e}), icalClock, icalStamp)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		texts := map[string]int{}
		want := map[string]string{"UID": uid, "SUMMARY": title, "LOCATION": place, "DESCRIPTION": title + place, "STATUS": e.Status.String()}
		for _, line := range unfold(t, out.String()) {
			name, value, ok := strings.Cut(line, ":")
			require.True(t, ok, "%q", line)
			texts[name]++
			value = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n").Replace(value)
			text, ok := want[name]
			if ok {
				require.Equal(t, readable(text), strings.ReplaceAll(value, "\ufffd", ""), name)
			}
		}
		for _, name := range []string{"UID", "DTSTAMP", "DTSTART", "SUMMARY", "STATUS"} {
			require.Equal(t, 2, texts[name], name)
		}
		require.Equal(t, place != "", texts["LOCATION"] == 2)
		require.Equal(t, title+place != "", texts["DESCRIPTION"] == 2)
		require.Equal(t, 3, texts["BEGIN"])
		require.Equal(t, 3, texts["END"])
		require.Equal(t, length > 0, texts["DTEND"] == 2)
	})
}
