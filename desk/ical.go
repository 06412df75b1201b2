package desk

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// icalTime is a time in UTC as iCalendar writes it.
const icalTime = "20060102T150405Z"

// WriteCalendar writes bookings as an iCalendar (RFC 5545) to which calendars can subscribe, with an event for each:
//
//	BEGIN:VEVENT
//	UID:7@lab.example
//	DTSTAMP:20260301T000000Z
//	DTSTART:20260302T080000Z
//	DTEND:20260302T100000Z
//	SUMMARY:Compilers\, group 2
//	LOCATION:1 of room 12\, 20 of seats
//	STATUS:CONFIRMED
//	END:VEVENT
//
// The UID is the booking's ID and the caller's domain, so a booking that moves stays the same event. The DTSTAMP is the
// caller's too, so the same desk gives the same bytes. A Held or Waiting booking is TENTATIVE; a Booked, Running or
// Ended booking is CONFIRMED; all others are CANCELLED. Calendars strike a cancelled event out at its former time. So a
// booking that was given up before it began is written with the time that it had, and a booking that waited in vain
// with its Ready. A booking without ticks, such as one that waits, has no DTEND. Times are in UTC, in whole seconds:
// the start is rounded down, and the end up.
//
// Texts may have any bytes: bytes that are no UTF-8 are replaced, and control characters are dropped, but for tabs and
// line feeds. These few lines are all of iCalendar that a desk needs, so no other library is used.
//
// The error is that of w or of the bookings, or wraps bookahead.ErrInvalid if the time of a booking cannot be written: it is too far from
// the Clock's Epoch, or outside the years 1 to 9999. A part of the calendar may be written by then. O(1) for each
// booking, and the length of its texts.
func WriteCalendar(w io.Writer, bookings iter.Seq2[Booking, error], c bookahead.Clock, domain string, stamp time.Time) error {
	x := calendarWriter{w: bufio.NewWriter(w)}
	stamped, err := utcText("stamp", stamp)
	if err != nil {
		return err
	}
	x.line("BEGIN", "VCALENDAR")
	x.line("VERSION", "2.0")
	x.line("PRODID", "-//bookahead//desk//EN")
	for b, err := range bookings {
		if err != nil {
			return err
		}
		err = x.event(&b, c, domain, stamped)
		if err != nil {
			return err
		}
	}
	x.line("END", "VCALENDAR")
	return x.w.Flush()
}

// calendarWriter writes the lines of an iCalendar. A bufio.Writer keeps its first error, so that Flush has it.
type calendarWriter struct{ w *bufio.Writer }

// event writes a booking.
func (x *calendarWriter) event(b *Booking, c bookahead.Clock, domain, stamp string) error {
	when := b.formerly()
	start, err := c.Wall(when.Start)
	if err != nil {
		return err
	}
	end, err := c.Wall(when.End)
	if err != nil {
		return err
	}
	from, err := utcText("Booking.Start", start)
	if err != nil {
		return err
	}
	to, err := utcText("Booking.End", end.Add(time.Second-1))
	if err != nil {
		return err
	}
	x.line("BEGIN", "VEVENT")
	x.line("UID", fmt.Sprintf("%d@%s", b.ID, icalText(domain)))
	x.line("DTSTAMP", stamp)
	x.line("DTSTART", from)
	if !when.Empty() {
		x.line("DTEND", to)
	}
	x.line("SUMMARY", icalText(b.Title))
	if len(b.Places) > 0 {
		x.line("LOCATION", icalText(b.location()))
	}
	x.line("STATUS", b.State.status())
	x.line("END", "VEVENT")
	return nil
}

// formerly returns the Interval of a booking; for a booking that was given up before it began, the Interval that it
// had: its places still have their starts, and its shape the durations. A booking made by the caller may have neither.
func (b *Booking) formerly() bookahead.Interval {
	given := b.Empty() && b.State.status() == cancelled && b.Shape >= 0 && b.Shape < len(b.Shapes)
	switch {
	case given && len(b.Places) == 0:
		return b.wished()
	case !given || len(b.Shapes[b.Shape]) != len(b.Places):
		return b.Interval
	}
	places := slices.Clone(b.Places)
	for i := range places {
		places[i].End = addTicks(places[i].Start, b.Shapes[b.Shape][i].Duration)
	}
	return spanOf(places)
}

// location returns the places without their times: "2 of lab on [0 3], 1 of line".
func (b *Booking) location() string {
	var list []string
	for _, p := range b.Places {
		text := fmt.Sprintf("%d of %s", p.Units, p.On)
		switch {
		case p.Servers != nil:
			text += fmt.Sprintf(" on %v", p.Servers)
		case len(p.Nodes) > 0:
			var at []int
			for _, n := range p.Nodes {
				at = append(at, n.Node)
			}
			text += fmt.Sprintf(" on nodes %v", at)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

const cancelled = "CANCELLED"

// status returns the STATUS of an event.
func (s State) status() string {
	switch s {
	case Held, Waiting:
		return "TENTATIVE"
	case Booked, Running, Ended:
		return "CONFIRMED"
	}
	return cancelled
}

// utcText returns a time in UTC, without its fraction of a second.
func utcText(field string, t time.Time) (string, error) {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > lastYear {
		return "", limits.Invalid(field, t, "is not in the years 1 to 9999")
	}
	return t.Format(icalTime), nil
}

// icalText escapes a text, and cleans it of bytes that a line may not have.
func icalText(text string) string {
	var out strings.Builder
	for _, c := range text { // a byte that is no UTF-8 comes as U+FFFD
		switch {
		case c == '\n':
			out.WriteString(`\n`)
		case c == '\\' || c == ';' || c == ',':
			out.WriteByte('\\')
			out.WriteRune(c)
		case c == '\t' || !unicode.IsControl(c):
			out.WriteRune(c)
		}
	}
	return out.String()
}

// maxLine is how many bytes a line of iCalendar may have, without its end.
const maxLine = 75

// line writes a name and a value in UTF-8. A line that is too long goes on in the next, behind a space, which counts too:
//
//	SUMMARY:Introduction to the design of compilers, with exercises in a lan     75 bytes
//	 guage of your choice
func (x *calendarWriter) line(name, value string) {
	text := name + ":" + value
	for room := maxLine; len(text) > room; room = maxLine - 1 {
		cut := room
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		x.w.WriteString(text[:cut] + "\r\n ")
		text = text[cut:]
	}
	x.w.WriteString(text + "\r\n")
}
