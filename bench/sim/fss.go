package sim

// FSS is fair-share scheduling (Kurowski et al., §2.1): the user is next who has
// used the provider least so far, in units times ticks, whatever the number of
// tasks. A task counts with its estimate while it runs, and with its run from then
// on; AR tasks count as well, from when they are booked. What a user uses in all must
// fit into an int64.
type FSS struct{}

func (FSS) key(t *Task, used usage) int64 { return used[t.User] }
func (FSS) moves() bool                   { return true }
func (FSS) preempts() bool                { return false }
