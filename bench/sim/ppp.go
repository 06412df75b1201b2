package sim

// PPP takes the task with the highest priority first (Kurowski et al., §2.1).
type PPP struct{ settled }

func (PPP) key(t *Task, _ usage) int64 { return -int64(t.Priority) }
