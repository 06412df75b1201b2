package carts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bits-and-blooms/bitset"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

var _ bookahead.Snapshotter = (*SR)(nil)

const kindOfSR = "carts.SR"

// MarshalBinary implements encoding.BinaryMarshaler. O(n) for n servers of all
// reservations together.
func (s *SR) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (s *SR) AppendBinary(b []byte) ([]byte, error) {
	w := snapshot.Begin(b, kindOfSR)
	s.servers.Write(w)
	return w.End()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says: with more than 64 MiB of sets, and a kibibyte for each byte of data, it
// wants a receiver of as many servers. O(r log r + n + vN) for r reservations of
// n servers together, v slots and N servers.
func (s *SR) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kindOfSR)
	read := servers.Read(r)
	if err := r.Err(); err != nil {
		return err
	}
	var events []event
	for _, b := range read.Booked.All(read.Now) {
		events = append(events, event{max(b.Start, read.Now), false, b.Servers}, event{b.End, true, b.Servers})
	}
	slices.SortFunc(events, event.compare)
	if s.servers.Capacity != read.Capacity {
		r.Afford("slots", countTimes(events), uint64(read.Capacity)/8+64)
	}
	if err := r.Close(); err != nil {
		return err
	}
	n := &SR{servers: read}
	if err := n.generate(events); err != nil {
		return err
	}
	*s = *n
	return nil
}

// event is a time at which servers are taken, or given back.
type event struct {
	at      bookahead.Time
	free    bool
	servers []int32
}

// compare orders events by time, those first that give back.
func (e event) compare(f event) int {
	if c := cmp.Compare(e.at, f.at); c != 0 || e.free == f.free {
		return c
	}
	if e.free {
		return -1
	}
	return 1
}

// countTimes returns how many slots there are at most.
func countTimes(events []event) uint64 {
	n := uint64(1)
	for i, e := range events {
		if i == 0 || events[i-1].at != e.at {
			n++
		}
	}
	return n
}

// generate makes the slots of what is booked (Kurowski et al., Algorithm 1, with
// sets for numbers). The error wraps bookahead.ErrInvalid if a server is booked twice.
func (s *SR) generate(events []event) error {
	set := bitset.New(uint(s.servers.Capacity)).SetAll()
	free := int(s.servers.Capacity)
	s.start, s.free, s.count = []bookahead.Time{s.servers.Now}, []*bitset.BitSet{set.Clone()}, []int{free}
	for i, e := range events {
		for _, k := range e.servers {
			if set.Test(uint(k)) == e.free {
				return limits.Invalid("reservations", k, fmt.Sprintf("is a server booked twice at %d", e.at))
			}
			set.SetTo(uint(k), e.free)
		}
		if free -= len(e.servers); e.free {
			free += 2 * len(e.servers)
		}
		if i+1 < len(events) && events[i+1].at == e.at {
			continue
		}
		last := len(s.start) - 1
		switch {
		case s.count[last] == free && s.free[last].Equal(set):
		case s.start[last] == e.at: // now
			s.free[last], s.count[last] = set.Clone(), free
		default:
			s.start, s.free, s.count = append(s.start, e.at), append(s.free, set.Clone()), append(s.count, free)
		}
	}
	return nil
}
