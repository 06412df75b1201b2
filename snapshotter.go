package bookahead

import (
	"encoding"
	"fmt"
)

// Snapshotter is a Schedule whose whole state can be written as bytes and read
// back: its reservations, the clock, the next ID, and all that later answers depend
// on, such as how long a server has been idle. The functions Snapshot and Restore see
// through Locked.
//
// The bytes have a version and a checksum, and are the same for the same state, on
// every machine. UnmarshalBinary takes a zero value, or any other, which it
// replaces. The schedule that it reads answers every call as the one that was
// written: the same offers, IDs and servers.
//
// The error of UnmarshalBinary wraps ErrInvalid, and leaves the receiver as it
// was, if the bytes are cut off, damaged, of another kind of structure, or do not
// make a schedule that could have come about. Reading takes memory in proportion
// to the length of the bytes, and at most 64 MiB besides, for each schedule that the
// bytes are of: a few bytes can ask for a large ring of slots. A larger ring is read
// into a schedule that has been made with the same arguments.
type Snapshotter interface {
	Schedule
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Snapshot returns the state of s as bytes, read under the lock if there is one. The
// error wraps ErrInvalid if s is no Snapshotter.
func Snapshot(s Schedule) (data []byte, err error) {
	if !View(s, func(s Snapshotter) { data, err = s.MarshalBinary() }) {
		return nil, invalid("schedule", fmt.Sprintf("%T", s), "cannot be written")
	}
	return data, err
}

// Restore reads a snapshot into s, under the lock if there is one. Errors are those
// of Snapshotter; the error also wraps ErrInvalid if s is none.
func Restore(s Schedule, data []byte) (err error) {
	if !Update(s, func(s Snapshotter) { err = s.UnmarshalBinary(data) }) {
		return invalid("schedule", fmt.Sprintf("%T", s), "cannot be read")
	}
	return err
}
