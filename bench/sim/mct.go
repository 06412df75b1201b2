package sim

// MCT sends a task to the provider that can complete it first: that has the
// earliest start, as all are alike. A batch task counts as if it were booked at
// once, though it may have to wait behind others.
type MCT struct{}

func (MCT) validate(int) error { return nil }

func (MCT) open(uint64) chooser { return earliest }
