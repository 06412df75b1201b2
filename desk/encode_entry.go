package desk

import (
	"fmt"

	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
	"github.com/bookahead/bookahead/nodes"
)

// Form is the form of the bytes of a Log or a command.
type Form uint8

const (
	// Binary is compact. It is the zero value.
	Binary Form = iota
	// JSON is one line of text for each entry.
	JSON
)

// version is the first byte of each value in the binary form.
const version = 1

func (e *Entry) code(x coder) {
	counter(x, "number", &e.Number)
	x.open("command")
	codeCommand(x, &e.Command)
	x.close()
	object(x, "decision", &e.Decision)
}

// code codes a decision, those of a batch, and those on the occurrences of a series within the batch. No decision is
// nested deeper.
func (d *Decision) code(x coder) { d.codeNested(x, 2) }

func (d *Decision) codeNested(x coder, depth int) {
	d.codeOne(x)
	if depth == 0 {
		return
	}
	list(x, "batch", &d.Batch, func(one *Decision) {
		x.open("")
		one.codeNested(x, depth-1)
		x.close()
	})
}

// codeOne codes a decision without those of its batch.
func (d *Decision) codeOne(x coder) {
	counter(x, "booking", &d.Booking)
	counter(x, "outage", &d.Outage)
	number(x, "shape", &d.Shape)
	objects(x, "places", &d.Places)
	objects(x, "moved", &d.Moved)
	counter(x, "series", &d.Series)
	number(x, "shift", &d.Shift)
	objects(x, "granted", &d.Granted)
}

func (m *Moved) code(x coder) {
	counter(x, "booking", &m.Booking)
	number(x, "shape", &m.Shape)
	objects(x, "places", &m.Places)
}

func (p *Place) code(x coder) {
	x.text("on", &p.On)
	span(x, &p.Interval)
	number(x, "units", &p.Units)
	ints(x, "servers", &p.Servers)
	list(x, "nodes", &p.Nodes, func(s *nodes.Share) {
		x.open("")
		number(x, "node", &s.Node)
		number(x, "tasks", &s.Tasks)
		x.close()
	})
	numberFrom(x, "head", &p.Head, -1)
	number(x, "before", &p.Before)
	number(x, "after", &p.After)
}

func (e *Event) code(x coder) {
	counter(x, "number", &e.Number)
	number(x, "at", &e.At)
	x.word("what", (*uint8)(&e.What), whatNames[:])
	counter(x, "booking", &e.Booking)
	x.text("owner", &e.Owner)
	x.text("schedule", &e.Schedule)
	counter(x, "outage", &e.Outage)
	codeTimes(x, "from", &e.From)
	codeTimes(x, "to", &e.To)
	objects(x, "before", &e.Before)
	objects(x, "after", &e.After)
	counter(x, "series", &e.Series)
	x.text("quota", &e.Quota)
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
	switch c := plainCommand(c).(type) {
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

// appendBinary appends a value in the binary form to some bytes.
func appendBinary(b []byte, code func(coder)) ([]byte, error) {
	w := &binaryWriter{b: append(b, version)}
	code(w)
	return w.b, w.err
}

// appendJSON appends an object to some bytes.
func appendJSON(b []byte, code func(coder)) ([]byte, error) {
	w := &jsonWriter{b: b}
	w.open("")
	code(w)
	w.close()
	return w.b, w.err
}

// readBinary reads the output of appendBinary. Errors call the value by its name.
func readBinary(name string, data []byte, code func(coder)) error {
	r := binaryReader{snapshot.Body(name, data)}
	v := r.Uint("version", 255)
	if r.ok() && v != version {
		r.Fail("version", v, fmt.Sprintf("is not %d, the one that is known", version))
	}
	if r.ok() {
		code(r)
	}
	return r.Close()
}

// readJSONObject reads the output of appendJSON.
func readJSONObject(data []byte, code func(coder)) error {
	r := readJSON(data)
	r.open("")
	code(r)
	r.close()
	return r.err
}

// append appends an entry in a form. The error wraps bookahead.ErrInvalid if the command is none of this package, such as a
// type of the caller's that embeds one.
func (e *Entry) append(b []byte, f Form) ([]byte, error) {
	plain := *e
	plain.Command = plainCommand(e.Command)
	if f == JSON {
		return appendJSON(b, plain.code)
	}
	return appendBinary(b, plain.code)
}

// readEntry reads an entry in a form, and checks it.
func readEntry(data []byte, f Form) (Entry, error) {
	var e Entry
	var err error
	if f == JSON {
		err = readJSONObject(data, e.code)
	} else {
		err = readBinary("entry", data, e.code)
	}
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
func (e Entry) MarshalBinary() ([]byte, error) { return e.append(nil, Binary) }

// UnmarshalBinary reads the output of MarshalBinary, and checks that some desk could have made it. The
// error wraps bookahead.ErrInvalid, and leaves the entry as it was. It takes time and memory in
// proportion to the bytes.
func (e *Entry) UnmarshalBinary(data []byte) error { return e.unmarshal(data, Binary) }

// MarshalJSON returns the entry as an object with a number, a command and a decision. Fields that are zero
// are left out, and texts that are no UTF-8 become {"base64":"..."}. Errors are those of MarshalBinary.
func (e Entry) MarshalJSON() ([]byte, error) { return e.append(nil, JSON) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others. Errors are
// those of UnmarshalBinary.
func (e *Entry) UnmarshalJSON(data []byte) error { return e.unmarshal(data, JSON) }

func (e *Entry) unmarshal(data []byte, f Form) error {
	read, err := readEntry(data, f)
	if err == nil {
		*e = read
	}
	return err
}
