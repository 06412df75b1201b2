package sim

// FirstFit lets every task start that fits now, in order, whoever waits before it:
// what Kurowski et al. call first come, first served with backfilling (FCFS-BF,
// §4.4.3). A large task may starve.
type FirstFit struct{}

func (FirstFit) promises() bool       { return false }
func (FirstFit) open(l *local) filler { return firstFit{l} }

type firstFit struct{ l *local }

func (f firstFit) join(e *entry) bool { return f.l.start(e) }

func (f firstFit) pass() {
	f.l.startHeads()
	for f.l.sweep(true) {
		f.l.startHeads()
	}
	f.l.wakeForHead()
}
