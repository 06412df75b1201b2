package sim

import "github.com/bookahead/bookahead"

// Backfill says which batch tasks may overtake one that cannot start yet. A Backfill
// may come from another package.
type Backfill interface {
	// Promises reports whether waiting tasks are told a start that is kept.
	Promises() bool
	// Open returns the policy for one local queue.
	Open(q *Queue) Filler
}

// Filler decides for one queue.
type Filler interface {
	// Join is told of a task that comes in, and not to the queue's head, while
	// nothing has been freed since the last decision. It reports whether the task
	// has started; otherwise the task is put into the queue.
	Join(w *Waiting) bool
	// Pass looks at the whole queue, which is in order.
	Pass()
}

// None lets nobody overtake: tasks start strictly in order.
type None struct{}

// Promises implements Backfill.
func (None) Promises() bool { return false }

// Open implements Backfill.
func (None) Open(q *Queue) Filler { return inOrder{q} }

type inOrder struct{ q *Queue }

func (inOrder) Join(*Waiting) bool { return false }

func (f inOrder) Pass() {
	f.q.StartHeads()
	f.q.WakeForHead()
}

// FirstFit lets every task start that fits now, in order, whoever waits before it.
// Kurowski et al. call this first come, first served with backfilling (FCFS-BF, §4.4.3).
// A large task may starve.
type FirstFit struct{}

// Promises implements Backfill.
func (FirstFit) Promises() bool { return false }

// Open implements Backfill.
func (FirstFit) Open(q *Queue) Filler { return firstFit{q} }

type firstFit struct{ q *Queue }

func (f firstFit) Join(w *Waiting) bool { return f.q.Start(w) }

func (f firstFit) Pass() {
	f.q.StartHeads()
	for f.q.Overtake(true, nil) {
		f.q.StartHeads()
	}
	f.q.WakeForHead()
}

// EASY lets a task overtake if it fits now and does not delay the first in the
// queue, for which the earliest place is booked:
//
//	units  4 ████░░░░▒▒▒▒    █ runs until 4
//	       3 ████░░░░▒▒▒▒    ▒ the place of the first, of 4 units and 4 ticks
//	       2 ████████▒▒▒▒    █ runs until 8
//	       1 ████████▒▒▒▒
//	at 4: a task of 2 units and 4 ticks overtakes; one of 5 ticks would be in the way
//
// The place never becomes later while its task is the first: AR tasks go around the place,
// and when tasks end early, the place becomes earlier if it can. In orders other than
// FCFS, a task that comes in later may become the first instead.
type EASY struct{}

// Promises implements Backfill.
func (EASY) Promises() bool { return true }

// Open implements Backfill.
func (EASY) Open(q *Queue) Filler { return &easy{q: q} }

type easy struct {
	q    *Queue
	head bookahead.ID // of the place that is booked for the first in the queue; 0 if there is none
}

func (f *easy) Join(w *Waiting) bool { return f.q.Start(w) }

// Pass withdraws the place of the head first, since the head could not start in units that
// its own place holds.
func (f *easy) Pass() {
	for again := true; again; {
		f.withdraw()
		f.q.StartHeads()
		f.promise()
		again = f.q.Overtake(false, nil)
	}
}

func (f *easy) withdraw() {
	if f.head != 0 {
		f.q.Withdraw(f.head)
		f.head = 0
	}
}

// promise books the earliest place for the first in the queue.
func (f *easy) promise() {
	f.q.Wake(bookahead.MaxTime)
	head := f.q.Head()
	if head == nil {
		return
	}
	res, ok := f.q.Promise(head)
	if !ok {
		return // it is beyond the horizon: nothing to protect yet
	}
	f.head = res.ID
	f.q.Wake(res.Start)
}
