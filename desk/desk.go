package desk

import (
	"sync"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Desk has schedules by name, and bookings on them. A Desk is a deterministic state machine: Do is the only way to
// change it, and the same commands give the same desk, byte for byte, on every machine. Any number of goroutines may
// call its methods; queries run beside each other.
type Desk struct {
	doing sync.Mutex   // is held from the decision to the write by whoever changes the desk; queries run beside a search
	under *Entry       // the entry that Do has under way, in memory that Do uses again; nil before the first one
	mu    sync.RWMutex // only the holder of doing locks it for writing, and so reads without it
	b     books
}

// New returns a desk without schedules. The error wraps bookahead.ErrInvalid.
func New(c Config) (*Desk, error) {
	if c.Origin < 0 {
		return nil, limits.Invalid("Config.Origin", c.Origin, "is negative")
	}
	err := c.check()
	if err != nil {
		return nil, err
	}
	return &Desk{b: newBooks(c)}, nil
}

// Do carries out a command: it is Decide and Apply in one. Queries run beside the search, and wait for the write
// only. A command that fails changes nothing. Its error is bookahead.ErrUnavailable if there is no place,
// bookahead.ErrNotFound if there is no such booking, series, quota or outage, or else wraps bookahead.ErrInvalid or
// bookahead.ErrStopped (Config.Effort). A write to an Own schedule that fails is invalid too.
func (d *Desk) Do(c Command) (Outcome, error) {
	d.doing.Lock()
	defer d.doing.Unlock()
	if d.under == nil {
		d.under = new(Entry)
	}
	e := d.under
	defer func() { *e = Entry{} }()
	var err error
	*e, err = d.b.decide(c)
	if err != nil {
		return Outcome{}, err
	}
	if d.b.mayFail(e) && !e.whole() {
		return d.adopt(e)
	}
	return d.write(e)
}

// write applies an entry. The caller holds doing.
func (d *Desk) write(e *Entry) (Outcome, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.b.apply(e)
}

// adopt applies an entry to a clone, and adopts the clone unless a write fails. The caller holds doing.
func (d *Desk) adopt(e *Entry) (Outcome, error) {
	c := d.b.clone()
	out, err := c.apply(e)
	if err != nil {
		return Outcome{}, err
	}
	d.become(c)
	return out, nil
}

// become gives the desk other books. The caller holds doing.
func (d *Desk) become(b books) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.b = b
}

// Decide returns the entry that Do would apply, and changes nothing. A log writes the entry before Apply. Its Number
// is 0 if the command changes nothing, since its key is known. Errors are those of Do.
func (d *Desk) Decide(c Command) (Entry, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	e, err := d.b.decide(c)
	e.Decision.handOut()
	return e, err
}

// handOut takes off the fields that only this desk may use: the caller may change the others, and apply the entry to
// several desks.
func (d *Decision) handOut() {
	d.on, d.made = nil, nil
	for i := range d.Batch {
		d.Batch[i].handOut()
	}
}

// Apply carries out an entry as it was decided, even by an earlier version of this package. The error wraps
// bookahead.ErrInvalid if the entry is not the next entry of this desk; nothing changes then. The cost is that of Do
// without the search, and a Clone unless the entry has one place at most.
func (d *Desk) Apply(e Entry) (Outcome, error) {
	err := e.check()
	if err != nil {
		return Outcome{}, err
	}
	d.doing.Lock()
	defer d.doing.Unlock()
	apply := d.adopt
	if e.whole() {
		apply = d.write
	}
	out, err := apply(&e)
	return out, misfit(err)
}

// applyAll applies entries, and passes over the first ones if the desk has them already. It returns how many of the list
// the desk has afterwards, and the outcomes of those that were applied. After an error the desk has the entries before it.
func (d *Desk) applyAll(list []Entry) (n int, out []Outcome, err error) {
	d.doing.Lock()
	defer d.doing.Unlock()
	had := 0
	for had < len(list) && list[had].Number <= d.b.entries {
		had++
	}
	if had == len(list) {
		return had, nil, nil
	}
	c := d.b.clone()
	out, err = c.applyAll(list[had:])
	if err != nil {
		n = len(out)
		c = d.b.clone()
		again, failed := c.applyAll(list[had : had+n])
		if failed != nil {
			return had, nil, misfit(failed) // the same writes went well a moment ago: a schedule of the caller's own has failed
		}
		out = again
	}
	d.become(c)
	return had + len(out), out, misfit(err)
}

// applyAll applies entries up to the first that fails, and returns the outcomes. After an error the caller throws the
// books away.
func (b *books) applyAll(list []Entry) (out []Outcome, err error) {
	for i := range list {
		o, err := b.apply(&list[i])
		if err != nil {
			return out, err
		}
		out = append(out, o)
	}
	return out, nil
}

// Clone returns a copy, for a what-if. Neither desk sees later changes of the other. Clone may run beside queries and
// other Clones. The cost is that of a Clone of each schedule, and O(n/512) for n bookings.
func (d *Desk) Clone() *Desk {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return &Desk{b: d.b.clone()}
}

// Now returns the clock. O(1).
func (d *Desk) Now() bookahead.Time {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.b.now
}
