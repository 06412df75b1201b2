package sim

// PPPD is PPP with the dispose procedure (Kurowski et al., §2.1): if a task cannot
// start, running batch tasks of lower priority are stopped until it can, the lowest
// priority first, and of equal ones the one that began last. If that would not help,
// none is. Who is stopped goes back into the queue and begins anew. Under None and
// EASY only the first in the queue stops others, under FirstFit whoever is looked at.
type PPPD struct{}

func (PPPD) key(t *Task, _ usage) int64 { return -int64(t.Priority) }
func (PPPD) moves() bool                { return false }
func (PPPD) preempts() bool             { return true }
