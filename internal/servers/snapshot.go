package servers

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Write writes the limits and the reservations, and after them the closures if there ever were
// any. A snapshot with closures has another kind.
func (s *Servers) Write(w *snapshot.Writer) {
	s.Limits.Write(w)
	s.Booked.Write(w, s.Now, func(b Booking) {
		w.Uint(uint64(len(b.Servers)))
		WriteSet(w, b.Servers)
	})
	if s.closed != nil {
		s.writeClosures(w)
	}
}

// Read reads the output of Write, up to the closures. Runs checks that no server is booked twice.
func Read(r *snapshot.Reader) Servers {
	s := Servers{Limits: limits.Read(r)}
	if s.Capacity > Max {
		r.Fail("capacity", s.Capacity, "is more servers than fit")
	}
	if r.Err() != nil {
		return s
	}
	s.Limits.Servers = int(s.Capacity)
	s.Booked = ledger.Read(r, s.Frame().Window(), func(w bookahead.Interval) Booking {
		n := r.Uint("servers", uint64(min(s.Capacity, int64(r.Left()))))
		if n == 0 {
			r.Fail("servers", n, "are none")
		}
		return Booking{w, ReadSet(r, int(n), s.Capacity)}
	})
	return s
}

// WriteSet writes servers in ascending order: for each server the number of servers between it
// and the one before.
func WriteSet[S int | int32](w *snapshot.Writer, set []S) {
	next := S(0)
	for _, k := range set {
		w.Uint(uint64(k - next))
		next = k + 1
	}
}

// ReadSet reads n servers below the capacity. n is no more than the bytes left.
func ReadSet(r *snapshot.Reader, n int, capacity int64) []int32 {
	set := make([]int32, n)
	next := int64(0)
	for i := range set {
		if next == capacity {
			r.Fail("server", next, "is not below the capacity")
		}
		if r.Err() != nil {
			return nil
		}
		next += int64(r.Uint("server", uint64(capacity-next-1)))
		set[i] = int32(next)
		next++
	}
	return set
}
