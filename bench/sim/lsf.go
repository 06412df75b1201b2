package sim

// LSF takes the largest task first, by units (Kurowski et al., §2.1 and §4.4.3).
// With a Local.Period of δ ticks it is the paper's LSF-δ.
type LSF struct{ settled }

func (LSF) key(t *Task, _ usage) int64 { return -t.Units }
