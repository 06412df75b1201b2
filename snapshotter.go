package bookahead

import "encoding"

// Snapshotter is a Schedule whose whole state can be written as bytes and read
// back: what is booked, the clock, the next ID, and what the future cannot be told
// without, such as how long a server has been idle.
//
// The bytes have a version and a checksum, and are the same for the same state, on
// every machine. UnmarshalBinary takes a zero value, or any other, which it
// replaces. What is read answers every call as what was written: the same offers,
// IDs and servers.
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
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}
