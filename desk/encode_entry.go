package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

func (e *Entry) code(x *code.Coder) {
	code.Counter(x, "number", &e.Number)
	codeCommand(x, &e.Command)
	e.Decision.code(x)
}

// code codes a decision, those of a batch, and those on the occurrences of a series within the batch. No decision is
// nested deeper.
func (d *Decision) code(x *code.Coder) { d.codeNested(x, 2) }

func (d *Decision) codeNested(x *code.Coder, depth int) {
	d.codeOne(x)
	if depth == 0 {
		return
	}
	code.List(x, "batch", &d.Batch, func(one *Decision, x *code.Coder) {
		one.codeNested(x, depth-1)
	})
}

// codeOne codes a decision without those of its batch.
func (d *Decision) codeOne(x *code.Coder) {
	code.Counter(x, "booking", &d.Booking)
	code.Counter(x, "outage", &d.Outage)
	code.Number(x, "shape", &d.Shape)
	code.List(x, "places", &d.Places, (*Place).code)
	code.List(x, "moved", &d.Moved, (*Moved).code)
	code.Counter(x, "series", &d.Series)
	code.Number(x, "shift", &d.Shift)
	code.List(x, "granted", &d.Granted, (*Moved).code)
}

func (m *Moved) code(x *code.Coder) {
	code.Counter(x, "booking", &m.Booking)
	code.Number(x, "shape", &m.Shape)
	code.List(x, "places", &m.Places, (*Place).code)
}

func (p *Place) code(x *code.Coder) {
	x.Text("on", &p.On)
	code.Span(x, &p.Interval)
	code.Number(x, "units", &p.Units)
	code.Ints(x, "servers", &p.Servers)
	code.List(x, "nodes", &p.Nodes, func(s *nodes.Share, x *code.Coder) {
		code.Number(x, "node", &s.Node)
		code.Number(x, "tasks", &s.Tasks)
	})
	code.NumberFrom(x, "head", &p.Head, -1)
	code.Number(x, "before", &p.Before)
	code.Number(x, "after", &p.After)
}

func (x *Piece) code(c *code.Coder) {
	x.Place.code(c)
	code.Ints(c, "each", &x.Each)
	code.Ints(c, "headTakes", &x.HeadTakes)
	code.NumberFrom(c, "part", &x.Part, -1)
}

// check checks that some desk could have made the entry.
func (e *Entry) check() error {
	err := limits.CheckNil("Entry.Command", e.Command)
	if err == nil {
		err = e.Command.check()
	}
	if err == nil {
		err = e.checkBooking()
	}
	if err == nil {
		err = e.checkBatch()
	}
	if err == nil {
		err = checkPlaces("Decision.Places", e.Decision.Places)
	}
	if err == nil {
		err = e.Decision.checkGranted()
	}
	for i, m := range e.Decision.Moved {
		if err == nil {
			err = checkPlaces(fmt.Sprintf("Decision.Moved[%d].Places", i), m.Places)
		}
	}
	return err
}

// checkBooking checks that the decision is about the booking of its command.
func (e *Entry) checkBooking() error {
	want := about(e.Command, e.Decision.Booking)
	if want != e.Decision.Booking {
		return limits.Invalid("Decision.Booking", e.Decision.Booking, fmt.Sprintf("is not booking %d of the command", want))
	}
	return nil
}

// about returns the booking that a command names, or otherwise if it names none.
func about(c Command, otherwise BookingID) BookingID {
	switch c := actOf(c).(type) {
	case Commit:
		return c.ID
	case Change:
		return c.ID
	case Cancel:
		return c.ID
	case End:
		return c.ID
	case Overrun:
		return c.ID
	}
	return otherwise
}

// checkBatch checks that a batch has a decision for each command, and that other commands have no such list.
func (e *Entry) checkBatch() error {
	d := &e.Decision
	c, ok := actOf(e.Command).(Batch)
	if !ok {
		return e.checkSeries()
	}
	switch {
	case len(d.Batch) != len(c.Commands):
		return limits.Invalid("Decision.Batch", len(d.Batch), fmt.Sprintf("are not as many as the commands, %d", len(c.Commands)))
	case d.own() || d.Series != 0 || d.Shift != 0:
		return limits.Invalid("Decision", d.Booking, "is one of its own, beside those of the batch")
	}
	for i, x := range c.Commands {
		err := (&Entry{Command: x, Decision: d.Batch[i]}).check()
		if err != nil {
			return fmt.Errorf("desk: Decision.Batch[%d]: %w", i, err)
		}
	}
	return nil
}

// own reports whether a decision says something itself, beside its list of decisions.
func (d *Decision) own() bool {
	return d.Booking != 0 || d.Outage != 0 || d.Shape != 0 || len(d.Places) > 0 || len(d.Moved) > 0
}

// checkSeries checks that a decision on a series is about the series of its command, and has a decision for each
// occurrence, and that a decision on another command has neither.
func (e *Entry) checkSeries() error {
	d := &e.Decision
	id, at, partly, most := SeriesID(0), Occurrences(nil), false, bookahead.Duration(0)
	about := true
	switch c := actOf(e.Command).(type) {
	case BookSeries:
		id, at, partly, most = max(1, d.Series), c.At, c.Partly, c.Shift
		if len(d.Batch) == 0 && c.Key != "" {
			at = nil // the answer to a key that is known
		}
	case Continue:
		id, at, partly = c.ID, c.At, c.Partly
	case CancelSeries:
		id = c.ID
	default:
		about = false
	}
	switch {
	case d.Series != id:
		return limits.Invalid("Decision.Series", d.Series, fmt.Sprintf("is not series %d of the command", id))
	case d.Shift < 0 || d.Shift > most:
		return limits.Invalid("Decision.Shift", d.Shift, fmt.Sprintf("is not from 0 to %d", most))
	case len(d.Batch) != len(at):
		return limits.Invalid("Decision.Batch", len(d.Batch), fmt.Sprintf("are not as many as the commands, %d", len(at)))
	case about && d.own():
		return limits.Invalid("Decision", d.Booking, "is one of its own, beside those of the occurrences")
	}
	for i := range d.Batch {
		err := d.Batch[i].checkOccurrence(partly)
		if err != nil {
			return fmt.Errorf("desk: Decision.Batch[%d]: %w", i, err)
		}
	}
	return nil
}

// checkOccurrence checks the decision on one occurrence.
func (d *Decision) checkOccurrence(partly bool) error {
	switch {
	case d.Outage != 0 || d.Series != 0 || d.Shift != 0 || len(d.Moved) > 0 || len(d.Granted) > 0 || len(d.Batch) > 0:
		return limits.Invalid("Decision", d.Booking, "is more than the place of an occurrence")
	case d.Booking == 0 && !partly:
		return limits.Invalid("Decision.Booking", d.Booking, "is that of an occurrence that is refused, but all are booked")
	case d.Booking == 0 && (d.Shape != 0 || len(d.Places) > 0):
		return limits.Invalid("Decision.Places", len(d.Places), "are those of an occurrence that is refused")
	}
	return checkPlaces("Decision.Places", d.Places)
}

// checkGranted checks that only a whole command grants places, and how many. grant checks that each booking waits.
func (d *Decision) checkGranted() error {
	if len(d.Granted) > MaxWaiting {
		return limits.Invalid("Decision.Granted", len(d.Granted), fmt.Sprintf("are more than %d", MaxWaiting))
	}
	for i := range d.Granted {
		err := checkPlaces(fmt.Sprintf("Decision.Granted[%d].Places", i), d.Granted[i].Places)
		if err != nil {
			return err
		}
	}
	for i := range d.Batch {
		if len(d.Batch[i].Granted) > 0 {
			return limits.Invalid(fmt.Sprintf("Decision.Batch[%d].Granted", i), len(d.Batch[i].Granted), "are granted before the end of the batch")
		}
	}
	return nil
}

func checkPlaces(field string, places []Place) error {
	if len(places) > MaxParts {
		return limits.Invalid(field, len(places), fmt.Sprintf("are more than %d", MaxParts))
	}
	for i := range places {
		err := places[i].checkItem(field, i)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkItem is check for an item of a list. The name of the item is made only for an error.
func (p *Place) checkItem(list string, i int) error {
	err := p.check("")
	if err == nil {
		return nil
	}
	return p.check(fmt.Sprintf("%s[%d]", list, i))
}

// check checks that a place could lie on some schedule: it has as many servers, or tasks on nodes, as units.
func (p *Place) check(field string) error {
	switch {
	case p.Start < 0 || p.Empty():
		return limits.Invalid(field, p.Interval, "is empty, or starts before 0")
	case p.Units < 1:
		return limits.Invalid(field+".Units", p.Units, "is less than 1")
	case p.Before != 0 || p.After != 0:
		err := p.checkBuffers(field)
		if err != nil {
			return err
		}
	}
	switch {
	case p.Servers != nil && int64(len(p.Servers)) != p.Units:
		return limits.Invalid(field+".Servers", len(p.Servers), fmt.Sprintf("are not as many as the units, %d", p.Units))
	case p.Servers != nil && p.Nodes != nil:
		return limits.Invalid(field+".Nodes", p.Nodes, "are there, and servers too")
	case p.Head < -1 || p.Head >= 0 && p.Nodes == nil:
		return limits.Invalid(field+".Head", p.Head, "is no node")
	}
	for i, k := range p.Servers {
		if k < 0 || i > 0 && k <= p.Servers[i-1] {
			return limits.Invalid(field+".Servers", k, "is negative, or does not come behind the last")
		}
	}
	left := p.Units
	for i, s := range p.Nodes {
		if s.Node < 0 || i > 0 && s.Node <= p.Nodes[i-1].Node {
			return limits.Invalid(field+".Nodes", s.Node, "is negative, or does not come behind the last")
		}
		if s.Tasks < 1 || s.Tasks > left {
			return limits.Invalid(field+".Nodes", s.Tasks, fmt.Sprintf("tasks are none, or more than the units, %d", p.Units))
		}
		left -= s.Tasks
	}
	if p.Nodes != nil && left > 0 {
		return limits.Invalid(field+".Nodes", left, "tasks too few")
	}
	return nil
}

// checkBuffers checks that the buffers lie on the axis.
func (p *Place) checkBuffers(field string) error {
	switch {
	case p.Before < 0 || bookahead.Time(p.Before) > p.Start:
		return limits.Invalid(field+".Before", p.Before, "is negative, or begins before 0")
	case p.After < 0 || bookahead.Time(p.After) > bookahead.MaxTime-p.End:
		return limits.Invalid(field+".After", p.After, "is negative, or overflows")
	}
	return nil
}

// append appends an entry. The error wraps bookahead.ErrInvalid if the command is none of this package, such as a
// type of the caller's that embeds one.
func (e *Entry) append(b []byte) ([]byte, error) {
	plain := *e
	plain.Command = plainCommand(e.Command)
	return code.Append(b, plain.code)
}

// readEntry reads an entry, and checks it.
func readEntry(data []byte) (Entry, error) {
	var e Entry
	err := code.Read("entry", data, e.code)
	if err == nil {
		err = e.check()
	}
	if err != nil {
		return Entry{}, err
	}
	return e, nil
}

// MarshalBinary returns the entry as bytes, which begin with a version: the same for the same entry on
// every machine. The error wraps bookahead.ErrInvalid if the command is none of this package. O(n) for
// n bytes.
func (e Entry) MarshalBinary() ([]byte, error) { return e.append(nil) }

// UnmarshalBinary reads the output of MarshalBinary, and checks that some desk could have made it. The
// error wraps bookahead.ErrInvalid, and leaves the entry as it was. It takes time and memory in
// proportion to the bytes.
func (e *Entry) UnmarshalBinary(data []byte) error {
	read, err := readEntry(data)
	if err == nil {
		*e = read
	}
	return err
}

// whole reports whether an entry that fails has changed nothing yet, whatever the entry says: it writes to one
// schedule once, after all checks.
func (e *Entry) whole() bool {
	if len(e.Decision.Granted) > 0 {
		return false
	}
	switch actOf(e.Command).(type) {
	case Book:
		return len(e.Decision.Places) <= 1 && len(e.Decision.Moved) == 0
	case Commit, AddSchedule, SetTerms, SetQuota, DropQuota:
		return true
	}
	return false
}
