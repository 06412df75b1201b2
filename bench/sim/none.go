package sim

// None lets nobody overtake: tasks start strictly in order.
type None struct{}

func (None) promises() bool       { return false }
func (None) open(l *local) filler { return inOrder{l} }

type inOrder struct{ l *local }

func (inOrder) join(*entry) bool { return false }

func (f inOrder) pass() {
	f.l.startHeads()
	f.l.wakeForHead()
}
