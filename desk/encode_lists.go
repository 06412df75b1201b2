package desk

import "github.com/bookahead/bookahead"

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
