package desk

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
)

func (e *Event) code(x *code.Coder) {
	code.Counter(x, "number", &e.Number)
	code.Number(x, "at", &e.At)
	x.Word("what", (*uint8)(&e.What), len(whatNames)-1)
	code.Counter(x, "booking", &e.Booking)
	x.Text("owner", &e.Owner)
	x.Text("schedule", &e.Schedule)
	code.Counter(x, "outage", &e.Outage)
	codeTimes(x, "from", &e.From)
	codeTimes(x, "to", &e.To)
	code.List(x, "before", &e.Before, (*Place).code)
	code.List(x, "after", &e.After, (*Place).code)
	code.Counter(x, "series", &e.Series)
	x.Text("quota", &e.Quota)
}

// codeTimes codes an interval with a name, which is mostly missing.
func codeTimes(x *code.Coder, name string, w *bookahead.Interval) {
	if !x.Has(name, *w != bookahead.Interval{}) {
		return
	}
	code.Span(x, w)
	if x.OK() && *w == (bookahead.Interval{}) {
		x.Fail(name, *w, "is one that is left out")
	}
}

// MarshalBinary returns the event as bytes, which begin with a version: the same for the same event on
// every machine. The error wraps bookahead.ErrInvalid if What is unknown. O(n) for n bytes.
func (e Event) MarshalBinary() ([]byte, error) { return code.Append(nil, e.code) }

// UnmarshalBinary reads the output of MarshalBinary. The error wraps bookahead.ErrInvalid, and leaves
// the event as it was. O(n) for n bytes.
func (e *Event) UnmarshalBinary(data []byte) error {
	var read Event
	err := code.Read("event", data, read.code)
	if err == nil {
		*e = read
	}
	return err
}

func (k *Booking) code(x *code.Coder) {
	code.Counter(x, "id", &k.ID)
	k.codeSeen(x)
}

// codeSeen codes the fields of a booking that everybody sees, but its ID.
func (k *Booking) codeSeen(x *code.Coder) {
	x.Text("key", &k.Key)
	k.Request.code(x)
	x.Word("state", (*uint8)(&k.State), len(stateNames)-1)
	code.Number(x, "expiry", &k.Expiry)
	code.Span(x, &k.Interval)
	code.Number(x, "shape", &k.Shape)
	code.List(x, "places", &k.Places, (*Place).code)
	code.List(x, "past", &k.Past, (*Piece).code)
	code.Counter(x, "series", &k.Series)
}

// code codes an outcome. Those of a batch have no batches of their own.
func (o *Outcome) code(x *code.Coder) {
	o.codeOne(x)
	code.List(x, "batch", &o.Batch, (*Outcome).codeOne)
}

func (o *Outcome) codeOne(x *code.Coder) {
	if x.Has("booking", o.Booking.ID != 0) {
		o.Booking.code(x)
		if x.OK() && o.Booking.ID == 0 {
			x.Fail("booking.id", 0, "is that of no booking")
		}
	}
	code.Counter(x, "outage", &o.Outage)
	code.List(x, "events", &o.Events, (*Event).code)
	code.Counter(x, "series", &o.Series)
	code.Counters(x, "occurrences", &o.Occurrences)
	code.Intervals(x, "refused", &o.Refused)
}

// MarshalBinary returns the outcome as bytes, which begin with a version: the same for the same outcome on
// every machine. Errors are those of Event.MarshalBinary. O(n) for n bytes.
func (o Outcome) MarshalBinary() ([]byte, error) { return code.Append(nil, o.code) }

// UnmarshalBinary reads the output of MarshalBinary: an answer to look at. The error wraps bookahead.ErrInvalid,
// and leaves the outcome as it was. O(n) for n bytes.
func (o *Outcome) UnmarshalBinary(data []byte) error {
	var read Outcome
	err := code.Read("outcome", data, read.code)
	if err == nil {
		*o = read
	}
	return err
}
