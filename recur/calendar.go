package recur

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bookahead/bookahead"
)

// Event is an event of a calendar, in ticks. Its texts may have any bytes: bytes that are no UTF-8 are replaced, and control
// characters are dropped, but for tabs and line feeds.
type Event struct {
	// UID names the event among all events of all calendars, such as "7@lab.example". A calendar that reads the UID again
	// changes the event that it has, so an event that moves must keep it.
	UID string
	// Interval has the ticks of the event. An empty interval is an event without an end.
	bookahead.Interval
	// Summary is the title. Location and Description are left out if empty.
	Summary, Location, Description string
	Status                         Status
}

// Status says whether an event takes place.
type Status uint8

// The states of an event. Calendars strike a Cancelled event out where it was.
const (
	Confirmed Status = iota
	Tentative
	Cancelled
)

var statusNames = [...]string{"CONFIRMED", "TENTATIVE", "CANCELLED"}

// String returns "CONFIRMED", "TENTATIVE" or "CANCELLED", as RFC 5545 has it.
func (s Status) String() string {
	if int(s) >= len(statusNames) {
		return fmt.Sprintf("status %d", uint8(s))
	}
	return statusNames[s]
}

// WriteCalendar writes events as an iCalendar (RFC 5545) to which calendars can subscribe:
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
// The stamp is the time at which the events were as they are written, a DTSTAMP. It is the caller's, so the same events
// give the same bytes. Times are in UTC, in whole seconds: the start is rounded down, and the end up. gantt.Events makes
// the events of a desk's bookings.
//
// The error is that of w, or wraps bookahead.ErrInvalid if an event has no UID or an unknown Status, or if a time cannot be
// written: it is too far from the Clock's Epoch, or outside the years 1 to 9999. A part of the calendar may be written by
// then. O(n) for n bytes of text.
func WriteCalendar(w io.Writer, events iter.Seq[Event], c bookahead.Clock, stamp time.Time) error {
	x := calendarWriter{w: bufio.NewWriter(w)}
	stamped, err := utcText("stamp", stamp)
	if err != nil {
		return err
	}
	x.line("BEGIN", "VCALENDAR")
	x.line("VERSION", "2.0")
	x.line("PRODID", "-//bookahead//recur//EN")
	for e := range events {
		err := x.event(&e, c, stamped)
		if err != nil {
			return err
		}
	}
	x.line("END", "VCALENDAR")
	return x.w.Flush()
}

// calendarWriter writes the lines of an iCalendar. A bufio.Writer keeps its first error, so that Flush has it.
type calendarWriter struct{ w *bufio.Writer }

func (x *calendarWriter) event(e *Event, c bookahead.Clock, stamp string) error {
	uid := escaped(e.UID)
	switch {
	case uid == "":
		return invalid("Event.UID", fmt.Sprintf("%q", e.UID), "is empty")
	case int(e.Status) >= len(statusNames):
		return invalid("Event.Status", e.Status, "is none of Confirmed, Tentative and Cancelled")
	}
	from, err := tickText("Event.Start", c, e.Start, 0)
	if err != nil {
		return err
	}
	to, err := tickText("Event.End", c, e.End, time.Second-1)
	if err != nil {
		return err
	}
	x.line("BEGIN", "VEVENT")
	x.line("UID", uid)
	x.line("DTSTAMP", stamp)
	x.line("DTSTART", from)
	if !e.Empty() {
		x.line("DTEND", to)
	}
	x.line("SUMMARY", escaped(e.Summary))
	if e.Location != "" {
		x.line("LOCATION", escaped(e.Location))
	}
	if e.Description != "" {
		x.line("DESCRIPTION", escaped(e.Description))
	}
	x.line("STATUS", e.Status.String())
	x.line("END", "VEVENT")
	return nil
}

// tickText returns the time of a tick, in whole seconds.
func tickText(field string, c bookahead.Clock, tick bookahead.Time, round time.Duration) (string, error) {
	at, err := c.Wall(tick)
	if err != nil {
		return "", err
	}
	return utcText(field, at.Add(round))
}

// utcText returns a time in UTC as iCalendar writes it, without its fraction of a second.
func utcText(field string, t time.Time) (string, error) {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > lastYear {
		return "", invalid(field, t, "is not in the years 1 to 9999")
	}
	return t.Format(untilTime) + "Z", nil
}

// escaped returns a text with its escapes, cleaned of bytes that a line may not have.
func escaped(text string) string {
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
