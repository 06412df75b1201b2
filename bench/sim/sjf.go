package sim

// SJF takes the shortest task first, by its estimate: policies do not know how
// long it will run.
type SJF struct{ settled }

func (SJF) key(t *Task, _ usage) int64 { return int64(t.Estimate) }
