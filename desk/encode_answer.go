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
	return e.set(&read, readBinary("event", data, read.code))
}

// MarshalJSON returns the event as an object, as {"number":7,"at":3,"what":"booked","booking":2}. Fields
// that are zero are left out, and an owner that is no UTF-8 becomes {"base64":"..."}. Errors are those of
// MarshalBinary.
func (e Event) MarshalJSON() ([]byte, error) { return appendJSON(nil, e.code) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others. Errors are
// those of UnmarshalBinary.
func (e *Event) UnmarshalJSON(data []byte) error {
	var read Event
	return e.set(&read, readJSONObject(data, read.code))
}

func (e *Event) set(read *Event, err error) error {
	if err == nil {
		*e = *read
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
	if k.ID != 0 || x.has("state", k.State != 0) { // a place that was only searched for has neither
		x.word("state", (*uint8)(&k.State), stateNames[:])
	}
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

// MarshalJSON returns the booking as an object, as {"id":7,"owner":"ann",...,"state":"booked","start":2,
// "end":5,...}, with the fields of its Request as in a Book. Fields that are zero are left out, and so is an
// end that is the start; texts that are no UTF-8 become {"base64":"..."}. A place of Search or Alternatives has no
// "id" and no "state". The error wraps bookahead.ErrInvalid if State is unknown. O(n) for n bytes.
func (k Booking) MarshalJSON() ([]byte, error) { return appendJSON(nil, k.code) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others. The booking is an answer to
// look at, and belongs to no desk. The error wraps bookahead.ErrInvalid, and leaves the booking as it was.
// O(n) for n bytes.
func (k *Booking) UnmarshalJSON(data []byte) error {
	var read Booking
	err := readJSONObject(data, read.code)
	if err == nil {
		*k = read
	}
	return err
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

// MarshalJSON returns the outcome as an object, as {"booking":{...},"events":[...]}, with the number of an "outage"; each
// field only if there is one. Bookings and events are written as by their own MarshalJSON, with the same errors. O(n) for
// n bytes.
func (o Outcome) MarshalJSON() ([]byte, error) { return appendJSON(nil, o.code) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others. The error
// wraps bookahead.ErrInvalid, and leaves the outcome as it was. O(n) for n bytes.
func (o *Outcome) UnmarshalJSON(data []byte) error {
	var read Outcome
	err := readJSONObject(data, read.code)
	if err == nil {
		*o = read
	}
	return err
}

// readAnswer reads a value as an object, or leaves it as it was.
func readAnswer[T any](to *T, data []byte, code func(v *T, x coder)) error {
	var read T
	err := readJSONObject(data, func(x coder) { code(&read, x) })
	if err == nil {
		*to = read
	}
	return err
}

// codeSeen codes the fields of an outage that everybody sees.
func (o *Outage) codeSeen(x coder) {
	counter(x, "id", &o.ID)
	o.Close.code(x)
	flag(x, "added", &o.added)
}

// MarshalJSON returns the outage as an object, as {"id":3,"on":"gpus","start":2,"end":5,"units":1}, with the fields of
// a Close, and "added":1 if it is an extension. Fields that are zero are left out. O(n) for n bytes.
func (o Outage) MarshalJSON() ([]byte, error) { return appendJSON(nil, o.codeSeen) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others: an answer to look at.
// The error wraps bookahead.ErrInvalid, and leaves the outage as it was. O(n) for n bytes.
func (o *Outage) UnmarshalJSON(data []byte) error { return readAnswer(o, data, (*Outage).codeSeen) }

// MarshalJSON returns the quota as an object, as {"name":"gold","owners":["ann"],"units":8}, with the fields of a
// SetQuota command. Fields that are zero are left out. O(n) for n bytes.
func (c SetQuota) MarshalJSON() ([]byte, error) { return appendJSON(nil, c.code) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others. It does not check
// the quota, as Do does. The error wraps bookahead.ErrInvalid, and leaves the quota as it was. O(n) for n bytes.
func (c *SetQuota) UnmarshalJSON(data []byte) error { return readAnswer(c, data, (*SetQuota).code) }

func (e *Excess) code(x coder) {
	x.text("quota", &e.Quota)
	x.text("owner", &e.Owner)
	span(x, &e.Interval)
	number(x, "length", &e.Length)
	number(x, "use", &e.Use)
	number(x, "bound", &e.Bound)
	flag(x, "waiting", &e.Waiting)
}

// MarshalJSON returns the excess as an object, as {"quota":"gold","start":2,"end":5,"use":9,"bound":8}. Fields that
// are zero are left out. O(n) for n bytes.
func (e Excess) MarshalJSON() ([]byte, error) { return appendJSON(nil, e.code) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others. The error wraps
// bookahead.ErrInvalid, and leaves the excess as it was. O(n) for n bytes.
func (e *Excess) UnmarshalJSON(data []byte) error { return readAnswer(e, data, (*Excess).code) }

func (s *Series) code(x coder) {
	counter(x, "id", &s.ID)
	x.text("key", &s.Key)
	s.Request.code(x)
	number(x, "needs", &s.Needs)
	number(x, "shift", &s.Shift)
}

// MarshalJSON returns the series as an object, as {"id":2,"key":"k","owner":"ann","shapes":[...],"needs":50}, with the
// fields of its Request as in a BookSeries. Fields that are zero are left out. O(n) for n bytes.
func (s Series) MarshalJSON() ([]byte, error) { return appendJSON(nil, s.code) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others: an answer to look at.
// The error wraps bookahead.ErrInvalid, and leaves the series as it was. O(n) for n bytes.
func (s *Series) UnmarshalJSON(data []byte) error { return readAnswer(s, data, (*Series).code) }

// codeUpTo codes an interval with a name, whose end is mostly bookahead.MaxTime.
func codeUpTo(x coder, name string, w *bookahead.Interval) {
	x.open(name)
	number(x, "start", &w.Start)
	numberFrom(x, "end", &w.End, bookahead.MaxTime)
	x.close()
}

func (f *Refusal) code(x coder) {
	codeUpTo(x, "window", &f.Window)
	objects(x, "obstacles", &f.Obstacles)
	flag(x, "together", &f.Together)
	codeTimes(x, "next", &f.Next)
	objects(x, "waiting", &f.Waiting)
}

// MarshalJSON returns the refusal as an object, as {"window":{"start":2,"end":9},"obstacles":[...],"together":1,
// "next":{"start":5,"end":12},"waiting":[...]}. Fields that are zero are left out, and so is the end of a window that is
// bookahead.MaxTime. O(n) for n bytes.
func (f Refusal) MarshalJSON() ([]byte, error) { return appendJSON(nil, f.code) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others. The error wraps
// bookahead.ErrInvalid, and leaves the refusal as it was. O(n) for n bytes.
func (f *Refusal) UnmarshalJSON(data []byte) error { return readAnswer(f, data, (*Refusal).code) }

func (o *Obstacle) code(x coder) {
	number(x, "shape", &o.Shape)
	number(x, "part", &o.Part)
	x.text("on", &o.On)
	x.text("rule", &o.Rule)
	x.text("quota", &o.Quota)
	number(x, "units", &o.Units)
	x.text("kind", &o.kind)
	ints(x, "servers", &o.servers)
	x.text("owner", &o.owner)
	number(x, "bound", &o.Bound)
	number(x, "use", &o.Use)
	number(x, "length", &o.Length)
	codeUpTo(x, "window", &o.Window)
	list(x, "bookings", &o.Bookings, func(id *BookingID) { counter(x, "", id) })
	list(x, "outages", &o.Outages, func(id *OutageID) { counter(x, "", id) })
	flag(x, "more", &o.More)
	numberFrom(x, "until", &o.Until, bookahead.MaxTime)
}

// MarshalJSON returns the obstacle as an object, as {"on":"gpus","units":8,"kind":"unit","window":{"start":2,"end":9},
// "bookings":[3,7],"until":14}: with the kind of the units, the servers that the part names, or the owner who may not
// book. Fields that are zero are left out, and so is an until or an end of the window that is bookahead.MaxTime. O(n) for n
// bytes.
func (o Obstacle) MarshalJSON() ([]byte, error) { return appendJSON(nil, o.code) }

// UnmarshalJSON reads the output of MarshalJSON, with the fields in any order, and no others. The error wraps
// bookahead.ErrInvalid, and leaves the obstacle as it was. O(n) for n bytes.
func (o *Obstacle) UnmarshalJSON(data []byte) error { return readAnswer(o, data, (*Obstacle).code) }
