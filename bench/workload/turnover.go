package workload

import (
	"math/rand/v2"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
)

// Turnover draws the operations of a Work on a full schedule: which request comes, and
// which reservation goes then. It keeps the ID and the end of each live reservation.
//
//	r := t.Request()              // to be reserved
//	t.Enter(res.ID, res.End)      // if there was room
//	for t.Over() { ... t.Leave }  // to be released, or to advance to
type Turnover struct {
	work *Work
	rng  *rand.Rand
	now  bookahead.Time
	all  []tenant              // live ones in no order, unless the Kind is Batch
	ends *btree.BTreeG[tenant] // those of Batch, the next end first
}

// tenant is a live reservation.
type tenant struct {
	end bookahead.Time
	id  bookahead.ID
}

// Turnover returns the operations on a schedule at tick 0. No reservation is live for it yet: Enter
// those that are.
func (w *Work) Turnover() *Turnover {
	less := func(a, b tenant) bool { return a.end < b.end || a.end == b.end && a.id < b.id }
	return &Turnover{work: w, rng: rand.New(rand.NewPCG(runSeed, runSeed)), ends: btree.NewG(32, less)}
}

// Request draws the request that comes.
func (t *Turnover) Request() bookahead.Request { return t.work.Request(t.rng, t.now) }

// Enter enters a live reservation with its end.
func (t *Turnover) Enter(id bookahead.ID, end bookahead.Time) {
	if t.work.Kind == Batch {
		t.ends.ReplaceOrInsert(tenant{end, id})
	} else {
		t.all = append(t.all, tenant{end, id})
	}
}

// Over reports whether more reservations are live than the Churn has.
func (t *Turnover) Over() bool { return max(len(t.all), t.ends.Len()) > t.work.Live }

// Leave takes a live reservation out. For Batch, advance is true: the reservation is the next that ends, and the clock
// must be advanced to now. Otherwise it is any reservation, and must be released.
func (t *Turnover) Leave() (id bookahead.ID, now bookahead.Time, advance bool) {
	if t.work.Kind == Batch {
		next, _ := t.ends.DeleteMin()
		t.now = next.end
		return next.id, t.now, true
	}
	i, last := t.rng.IntN(len(t.all)), len(t.all)-1
	id = t.all[i].id
	t.all[i], t.all = t.all[last], t.all[:last]
	return id, t.now, false
}
