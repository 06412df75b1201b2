package desk

import (
	"sync"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// Desk has schedules by name, and bookings on them. A Desk is a deterministic state machine: only commands change it,
// by Do, or as entries by Apply and Replay, and the same commands give the same desk, byte for byte, on every machine. Any number of goroutines may
// call its methods; queries run beside each other.
type Desk struct {
	doing sync.Mutex   // is held from the decision to the write by whoever changes the desk; queries run beside a search
	under *pending     // the entry that Do has under way, in memory that Do uses again; nil before the first one
	mu    sync.RWMutex // only the holder of doing locks it for writing, and so reads without it
	b     books
}

// pending is an entry that is under way, with what its own desk need not make again. An entry from elsewhere comes without.
type pending struct {
	Entry
	made  *schedule    // the schedule of an AddSchedule; nil if apply makes it
	meter effort.Meter // of the decision
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

// Now returns the clock. O(1).
func (d *Desk) Now() bookahead.Time {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.b.now
}

// Clone returns a copy, for a what-if. Neither desk sees later changes of the other. Clone may run beside queries and
// other Clones. The cost is that of a Clone of each schedule, and O(n/512) for n bookings.
func (d *Desk) Clone() *Desk {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return &Desk{b: d.b.clone()}
}

// become gives the desk other books. The caller holds doing.
func (d *Desk) become(b books) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.b = b
}
