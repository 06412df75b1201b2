package desk

import (
	"fmt"
	"reflect"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

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

// MarshalCommand returns a command as bytes. The JSON form is an object such as {"do":"cancel","id":7},
// in which texts that are no UTF-8 become {"base64":"..."}; the binary form begins with a version. The
// error wraps bookahead.ErrInvalid if no desk could make sense of the command. O(n) for n bytes.
func MarshalCommand(c Command, f Form) ([]byte, error) {
	err := limits.CheckNil("command", c)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, err
	}
	c = plainCommand(c)
	code := func(x coder) { codeCommand(x, &c) }
	switch f {
	case Binary:
		return appendBinary(nil, code)
	case JSON:
		return appendJSON(nil, code)
	}
	return nil, limits.Invalid("form", f, "is neither Binary nor JSON")
}

// UnmarshalCommand reads the output of MarshalCommand in either form. The error wraps
// bookahead.ErrInvalid if no desk could make sense of the bytes. It takes time and memory in
// proportion to them.
func UnmarshalCommand(data []byte) (Command, error) {
	var c Command
	var err error
	code := func(x coder) { codeCommand(x, &c) }
	if len(data) > 0 && data[0] == version {
		err = readBinary("command", data, code)
	} else {
		err = readJSONObject(data, code)
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// plainCommand returns the value to which a pointer to a command points.
func plainCommand(c Command) Command {
	v := reflect.ValueOf(c)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		plain, ok := v.Elem().Interface().(Command)
		if ok {
			return plain
		}
	}
	return c
}

// String returns "binary" or "JSON".
func (f Form) String() string {
	switch f {
	case Binary:
		return "binary"
	case JSON:
		return "JSON"
	}
	return fmt.Sprintf("form %d", uint8(f))
}
