package bookahead

// Framer is a Schedule that can tell its limits.
type Framer interface {
	Schedule

	// Frame returns the time from now to the horizon, and the capacity: the block
	// that would be free if nothing were booked. Its Servers are nil.
	Frame() Block
}
