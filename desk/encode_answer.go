package desk

import "github.com/bookahead/bookahead"

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

// codeTimes codes an interval with a name, which is mostly missing.
func codeTimes(x coder, name string, w *bookahead.Interval) {
	if !x.has(name, *w != bookahead.Interval{}) {
		return
	}
	x.open(name)
	span(x, w)
	x.close()
	if x.ok() && *w == (bookahead.Interval{}) {
		x.fail(name, *w, "is one that is left out")
	}
}

// MarshalBinary returns the event as bytes, which begin with a version: the same for the same event on
// every machine. The error wraps bookahead.ErrInvalid if What is unknown. O(n) for n bytes.
func (e Event) MarshalBinary() ([]byte, error) { return appendBinary(nil, e.code) }

// UnmarshalBinary reads the output of MarshalBinary. The error wraps bookahead.ErrInvalid, and leaves
// the event as it was. O(n) for n bytes.
func (e *Event) UnmarshalBinary(data []byte) error {
	var read Event
	err := readBinary("event", data, read.code)
	if err == nil {
		*e = read
	}
	return err
}

func (k *Booking) code(x coder) {
	counter(x, "id", &k.ID)
	k.codeSeen(x)
}

// codeSeen codes the fields of a booking that everybody sees, but its ID.
func (k *Booking) codeSeen(x coder) {
	x.text("key", &k.Key)
	k.Request.code(x)
	x.word("state", (*uint8)(&k.State), stateNames[:])
	number(x, "expiry", &k.Expiry)
	span(x, &k.Interval)
	number(x, "shape", &k.Shape)
	objects(x, "places", &k.Places)
	objects(x, "past", &k.Past)
	counter(x, "series", &k.Series)
}

// code codes an outcome. Those of a batch have no batches of their own.
func (o *Outcome) code(x coder) {
	o.codeOne(x)
	list(x, "batch", &o.Batch, func(one *Outcome) {
		x.open("")
		one.codeOne(x)
		x.close()
	})
}

func (o *Outcome) codeOne(x coder) {
	if x.has("booking", o.Booking.ID != 0) {
		object(x, "booking", &o.Booking)
		if x.ok() && o.Booking.ID == 0 {
			x.fail("booking.id", 0, "is that of no booking")
		}
	}
	counter(x, "outage", &o.Outage)
	objects(x, "events", &o.Events)
	counter(x, "series", &o.Series)
	list(x, "occurrences", &o.Occurrences, func(id *BookingID) { counter(x, "", id) })
	intervals(x, "refused", &o.Refused)
}

// MarshalBinary returns the outcome as bytes, which begin with a version: the same for the same outcome on
// every machine. Errors are those of Event.MarshalBinary. O(n) for n bytes.
func (o Outcome) MarshalBinary() ([]byte, error) { return appendBinary(nil, o.code) }

// UnmarshalBinary reads the output of MarshalBinary: an answer to look at. The error wraps bookahead.ErrInvalid,
// and leaves the outcome as it was. O(n) for n bytes.
func (o *Outcome) UnmarshalBinary(data []byte) error {
	var read Outcome
	err := readBinary("outcome", data, read.code)
	if err == nil {
		*o = read
	}
	return err
}
