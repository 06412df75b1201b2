package slotted

import (
	"iter"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Scan looks at one slot after the other, as published.
type Scan struct{ rounded }

// NewScan returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
// O(n) for a ring of n slots.
func NewScan(capacity int64, c Config) (*Scan, error) {
	x, err := open(capacity, c, &scanned{})
	if err != nil {
		return nil, err
	}
	return &Scan{x}, nil
}

// Clone implements bookahead.Cloner. O(n).
func (s *Scan) Clone() bookahead.Schedule { return &Scan{s.clone()} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter says. It reads
// the snapshot of either form. For a ring of more than 64 MiB the receiver must have as many
// slots, of the same width. O(n log n + slots).
func (s *Scan) UnmarshalBinary(data []byte) error { return s.read(data, &scanned{}, 8) }

// scanned is the profile of a Scan.
type scanned struct {
	ring
	first    int64   // the slot that is running
	capacity int64   // of the pool
	units    []int64 // free units, by place
}

func (s *scanned) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t := first // the candidate: n units are free from t up to here
	for slot := s.slot(first); t <= last; slot++ {
		end := s.end(slot)
		if s.free(slot) < n {
			t = end
		} else if end-t >= d {
			return t, true
		}
	}
	return 0, false
}

func (s *scanned) Change(w bookahead.Interval, delta int64) {
	from, to := s.span(w)
	for slot := from; slot < to; slot++ {
		s.units[s.place(slot)] += delta
	}
}

func (s *scanned) Least(w bookahead.Interval) int64 {
	least := int64(math.MaxInt64)
	from, to := s.span(w)
	for slot := from; slot < to; slot++ {
		least = min(least, s.free(slot))
	}
	return least
}

func (s *scanned) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return s.steps(t, s.free)
}

func (s *scanned) Forget(now bookahead.Time) {
	old := s.first
	s.first = s.slot(now)
	for slot := old; slot < min(s.first, old+s.size); slot++ {
		s.units[s.place(slot)] = s.capacity
	}
}

func (s *scanned) Round(w bookahead.Interval) bookahead.Interval { return s.round(w) }

func (s *scanned) lines() ring { return s.ring }

func (s *scanned) free(slot int64) int64 { return s.units[s.place(slot)] }

func (s *scanned) clone() slots {
	c := *s
	c.units = slices.Clone(s.units)
	return &c
}

func (s *scanned) made(p *pool.Pool, r ring) slots {
	return &scanned{r, r.slot(p.Now), p.Capacity, slices.Repeat([]int64{p.Capacity}, int(r.size))}
}

func (s *scanned) fill(used iter.Seq2[int64, int64]) {
	for slot, units := range used {
		s.units[s.place(slot)] = s.capacity - units
	}
}

func (s *scanned) verify() (int64, error) { return s.size, nil }
