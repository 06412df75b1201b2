package idletree

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// write writes the policy, and since when each server has been idle. A Tree takes the servers
// first that have been idle for the shortest time, and the reservations before are no longer
// there to tell this time.
func (f *fleet) write(w *snapshot.Writer) {
	w.Uint(f.prefer.policy)
	for k := range f.idle {
		w.Uint(f.idleFor(k))
	}
}

// idleFor returns for how many ticks a server has been idle, now included; 0 if the server is
// taken. If a reservation of the server begins now, the idle time before counts, because a
// Release now would make the server idle all along:
//
//	now 10    idle since 5                  6
//	          idle since 5, taken from 10   6
//	          taken since 8                 0
func (f *fleet) idleFor(server int) uint64 {
	p, ok := f.idle[server].begun(f.now)
	if !ok || p.End < f.now {
		return 0
	}
	return uint64(f.now-p.Start) + 1
}

// decode reads a snapshot that has no further numbers at its beginning. It may have closures if
// closable is set.
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
		r.Fail("servers", s.Capacity, fmt.Sprintf("is more than the %d bytes left", r.Left()))
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
			r.Check(limits.Invalid("snapshot: idle time", n, fmt.Sprintf("of server %d does not agree with the reservations and closures", k)))
		}
	}
	return s, f
}

// readPolicy reads the policy. An order of the caller's own cannot be written, so that the
// receiver must supply it.
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

// MarshalBinary implements encoding.BinaryMarshaler. O(N + n) for N servers, and n servers of all
// reservations together.
func (x *schedule) MarshalBinary() ([]byte, error) {
	kind, head := x.roster().kind()
	if x.s.EverClosed() {
		kind += withClosures
	}
	w := snapshot.Begin(kind)
	for _, n := range head {
		w.Uint(n)
	}
	x.s.Write(w)
	x.roster().calendars().write(w)
	return w.End()
}
