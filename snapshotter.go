package bookahead

import (
	"encoding"
	"fmt"
)

// Snapshotter is a Schedule whose whole state can be written as bytes and read back: its
// reservations, the clock, the next ID, and everything else that later answers depend on, such as
// how long a server has been idle. The functions Snapshot and Restore see through Locked.
//
// The bytes have a version and a checksum, and are the same for the same state, on every machine.
// UnmarshalBinary replaces the state of its receiver, which may be a zero value. The schedule
// that was read answers every call as the schedule that was written would: the same offers, IDs
// and servers.
//
// UnmarshalBinary returns an error that wraps ErrInvalid, and leaves the receiver unchanged, if
// the bytes are cut off, damaged, of another kind of structure, or describe a state that no calls
// lead to. Reading takes memory in proportion to the length of the bytes, and at most 64 MiB
// besides for each schedule in the bytes, because a few bytes can ask for a large ring of slots.
// A larger ring is read only into a schedule that was made with the same arguments.
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

// Restore reads a snapshot into s, under the lock if there is one. Errors are those of
// UnmarshalBinary; the error also wraps ErrInvalid if s is no Snapshotter.
func Restore(s Schedule, data []byte) (err error) {
	if !Update(s, func(s Snapshotter) { err = s.UnmarshalBinary(data) }) {
		return invalid("schedule", fmt.Sprintf("%T", s), "cannot be read")
	}
	return err
}
