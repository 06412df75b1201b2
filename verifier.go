package bookahead

// Verifier is a Schedule that can look for faults of its own.
type Verifier interface {
	Schedule

	// Verify returns an error if the structure is not as it must be, or does not
	// agree with the reservations: if that happens, there is a bug in the library,
	// or something was written at the same time. It is a query that looks at
	// everything, for tests and after a crash; not for every day.
	Verify() error
}
