package sim

import (
	"errors"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
)

// Placement says to which provider the grid sends a task (Kurowski et al., §4.4.2). The
// policies and partitions are those of a grid.Broker; grid.PolicyFunc makes other policies.
// The zero value is grid.MCT among all providers.
//
// A provider with fewer units than the task asks for never gets the task, nor does one
// that the Partition keeps from the task; a task that no provider may have is rejected.
// grid.Dedicated for AR tasks, with grid.Dedicated for batch tasks that names other
// providers, is a static partition (§5.3).
//
// For a batch task a provider's offer is the place where the task could be booked at
// once, though it may have to wait behind others. A provider takes a batch task without a
// search: only policies that look at offers cause any.
type Placement struct {
	Policy    grid.Policy
	Partition grid.Partition
}

// bids are the providers' for a task, as a grid.Policy sees them.
type bids struct {
	e         *engine
	task      int32
	due       bookahead.Time // when a place must end; 0 if that does not matter
	partition grid.Partition
	asked     []answer
}

// answer is that of a search.
type answer struct {
	asked bool
	bookahead.Offer
	err error
}

func (e *engine) bids(task int32, due bookahead.Time, p grid.Partition) *bids {
	return &bids{e: e, task: task, due: due, partition: p, asked: make([]answer, len(e.locals))}
}

// The methods of grid.Bids.
func (b *bids) Request() bookahead.Request        { return b.e.Tasks[b.task].request(b.e.now, b.due) }
func (b *bids) Earliest() bookahead.Time          { return max(b.e.now, b.e.Tasks[b.task].Ready) }
func (b *bids) Made() bookahead.ID                { return b.e.sent }
func (b *bids) Len() int                          { return len(b.asked) }
func (b *bids) Queue(k int) int                   { return b.e.locals[k].waiting }
func (b *bids) Provider(k int) bookahead.Schedule { return b.e.locals[k].Schedule }
func (b *bids) Capacity(k int) int64              { return b.e.locals[k].Units }

func (b *bids) Takes(k int) bool {
	if !b.e.Tasks[b.task].AR {
		return b.mayHave(k)
	}
	_, ok := b.Offer(k)
	return ok
}

func (b *bids) Offer(k int) (bookahead.Offer, bool) {
	if !b.mayHave(k) {
		return bookahead.Offer{}, false
	}
	a := &b.asked[k]
	if !a.asked {
		a.asked = true
		a.Offer, a.err = b.e.locals[k].find(b.task, b.due)
	}
	return a.Offer, a.err == nil
}

// mayHave reports whether there is a provider k that is large enough for the task, and
// that the partition lets have the task.
func (b *bids) mayHave(k int) bool {
	return 0 <= k && k < len(b.asked) && b.Capacity(k) >= b.e.Tasks[b.task].Units && b.partition.Admits(k)
}

// find returns a place for a task at a provider, and counts the attempts.
func (l *local) find(i int32, due bookahead.Time) (bookahead.Offer, error) {
	l.advance()
	if l.e.err != nil {
		return bookahead.Offer{}, l.e.err
	}
	t := &l.e.Tasks[i]
	o, tries, err := l.e.Search.find(l.search, t, l.e.now, due)
	if t.AR {
		l.e.Outcomes[i].Attempts += tries
	}
	if !errors.Is(err, bookahead.ErrUnavailable) {
		l.e.fail(err)
	}
	return o, err
}

// send gives a task to a provider, or rejects it.
func (e *engine) send(i int32) {
	t := &e.Tasks[i]
	by := e.Batch
	if t.AR {
		by = e.AR
	}
	b := e.bids(i, t.Due, by.Partition)
	k := 0
	if len(e.locals) > 1 {
		k = by.Policy.Choose(b)
	}
	e.sent++
	if t.AR {
		e.Outcomes[i].Rejected = !e.book(b, k)
		return
	}
	for to := range e.locals {
		if !b.mayHave(k) { // as with MCT beyond the horizon: the first that may have it
			k = to
		}
	}
	if !b.mayHave(k) {
		e.Outcomes[i].Rejected = true
		return
	}
	e.locals[k].enqueue(i)
}

// book books an AR task at provider k by its due date. If it has no place there, and the
// task may be late, it is booked there without the due date; if the policy has chosen no
// provider, where it can be completed first. book reports whether the task is booked.
func (e *engine) book(b *bids, k int) bool {
	o, ok := b.Offer(k)
	if !ok && b.due != 0 && !e.Strict {
		late := e.bids(b.task, 0, b.partition)
		if !b.mayHave(k) {
			k = grid.MCT.Choose(late)
		}
		o, ok = late.Offer(k)
	}
	return ok && e.locals[k].book(b.task, o)
}
