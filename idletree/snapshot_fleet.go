package idletree

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

const (
	kindOfTree    = "idletree.Tree"
	kindOfLists   = "idletree.Lists"
	kindOfSlotted = "idletree.Slotted"

	withClosures = " with closures" // there has been one, so a reader must know them
)

func (f *fleet) kind() (string, []uint64) { return kindOfLists, nil }

func (x *tree) kind() (string, []uint64) { return kindOfTree, nil }

// Policies, as a snapshot names them.
const (
	firstFound = iota
	bestFit
	worstFit
	lowestIndex
	callersOwn
)

// write writes how servers are chosen, and since when each has been idle: those that
// have been so for long are treated differently, and the reservations that came before
// cannot tell any more.
func (f *fleet) write(w *snapshot.Writer) {
	w.Uint(f.prefer.policy)
	for k := range f.idle {
		w.Uint(f.idleFor(k))
	}
}

// idleFor returns for how many ticks a server has been idle, now included: 0 if it
// runs. If it begins to run now, the time before counts: released now, it has been
// idle all along.
func (f *fleet) idleFor(server int) uint64 {
	p, ok := f.idle[server].begun(f.now)
	if !ok || p.End < f.now {
		return 0
	}
	return uint64(f.now-p.Start) + 1
}

// decode reads a snapshot without further numbers at its beginning. closable says that it may
// have closures.
func decode(data []byte, kind string, closable bool, own Prefer) (servers.Servers, *fleet, error) {
	kinds := []string{kind}
	if closable {
		kinds = append(kinds, kind+withClosures)
	}
	r := snapshot.Open(data, kinds...)
	s := servers.Read(r)
	if r.Kind() == kind+withClosures {
		s.ReadClosures(r)
	}
	s, f := readFleet(r, s, own)
	return s, f, r.Close()
}

// readFleet reads the calendars of servers.
func readFleet(r *snapshot.Reader, s servers.Servers, own Prefer) (servers.Servers, *fleet) {
	prefer := readPolicy(r, own)
	if s.Capacity > int64(r.Left()) {
		r.Fail("servers", s.Capacity, "are more than the bytes that are left")
	}
	if r.Err() != nil {
		return s, nil
	}
	idleFor, since := make([]uint64, s.Capacity), make([]bookahead.Time, s.Capacity)
	for k := range idleFor {
		idleFor[k] = r.Uint("idle time", uint64(s.Now)+1)
		since[k] = s.Now - bookahead.Time(max(idleFor[k], 1)-1)
	}
	runs, err := s.Runs(nil, servers.InSnapshot)
	r.Check(err)
	if r.Err() != nil {
		return s, nil
	}
	f := newFleet(&s, prefer, s.Taken(runs), since)
	earliest := s.IdleSince()
	for k, n := range idleFor {
		if f.idleFor(k) != n || n > 0 && earliest != nil && since[k] < earliest[k] {
			r.Check(limits.Invalid("snapshot: idle time", n, fmt.Sprintf("of server %d does not agree with what is booked", k)))
		}
	}
	return s, f
}

// readPolicy reads how servers are chosen. The receiver supplies an order of the
// caller's own.
func readPolicy(r *snapshot.Reader, own Prefer) Prefer {
	switch r.Uint("policy", callersOwn) {
	case bestFit:
		return BestFit
	case worstFit:
		return WorstFit
	case lowestIndex:
		return LowestIndex
	case callersOwn:
		if own.policy != callersOwn {
			r.Fail("policy", "of the caller", "is unknown: read it into a schedule with the same Config.Prefer")
		}
		return own
	}
	return Prefer{}
}
