package sim

// FCFS takes tasks in the order of their ready times: first come, first served.
type FCFS struct{ settled }

func (FCFS) key(*Task, usage) int64 { return 0 }
