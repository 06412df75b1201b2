package desk

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
