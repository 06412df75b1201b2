package desk

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Use returns how much of the Capacity of a schedule in w each owner uses, by owner. It counts the places of live
// bookings, holds included; the places of bookings that are over and kept, also of holds that were never committed;
// and the past pieces of both. Buffers do not count. Owners without any use are left out.
//
// The error wraps bookahead.ErrInvalid if there is no such schedule, or if the schedule is a broker, whose schedules
// may count different things, or bookahead.ErrStopped if Effort, of a step for each part in w, does not suffice. O(log n
// + k + o log o) for k parts in w of o owners, and on nodes O(s r) more
// for a part on s nodes with r resources.
func (d *Desk) Use(w bookahead.Interval, on string, e bookahead.Effort) ([]Use, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, err := d.b.counted(on)
	if err != nil {
		return nil, err
	}
	m, err := d.b.meter(e)
	if err != nil {
		return nil, err
	}
	sums := map[string][]area{}
	for span := range s.calendar.Overlapping(w) {
		if !m.Go(1) {
			return nil, givenUp("use", &m, m.Err())
		}
		id, index := inCalendar(span.ID)
		k, _ := d.b.booking(id)
		sum := sums[k.Owner]
		if sum == nil {
			sum = make([]area, s.resources())
			sums[k.Owner] = sum
		}
		x := k.at(index)
		x.count(sum, w)
	}
	var list []Use
	for _, owner := range slices.Sorted(maps.Keys(sums)) {
		u := Use{Owner: owner}
		for _, a := range sums[owner] {
			u.Ticks = append(u.Ticks, a.big())
		}
		list = append(list, u)
	}
	return list, nil
}

// resources returns how many numbers a Use of the schedule has.
func (s *schedule) resources() int {
	nodes, ok := s.kind.(Nodes)
	if ok {
		return len(nodes.Resources)
	}
	return 1
}

// count adds the use of a piece in w to a sum: for each resource, or in units.
func (x *Piece) count(sum []area, w bookahead.Interval) {
	in := x.Intersect(w)
	if x.Each == nil {
		sum[0].add(x.Units, in.Len())
		return
	}
	for r := range sum {
		for _, share := range x.Nodes {
			sum[r].add(share.Tasks*x.Each[r], in.Len()) // no overflow: the node has as much
		}
		if x.Head >= 0 && x.HeadTakes != nil {
			sum[r].add(x.HeadTakes[r], in.Len())
		}
	}
}

// area is unit-ticks, in two words.
type area struct{ hi, lo uint64 }

// add adds units times ticks, which are not negative.
func (a *area) add(units int64, ticks bookahead.Duration) {
	hi, lo := bits.Mul64(uint64(units), uint64(ticks))
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, lo, 0)
	a.hi, _ = bits.Add64(a.hi, hi, carry)
}

func (a area) big() *big.Int {
	var words [16]byte
	binary.BigEndian.PutUint64(words[:8], a.hi)
	binary.BigEndian.PutUint64(words[8:], a.lo)
	return new(big.Int).SetBytes(words[:])
}

// counted returns a schedule whose units can be counted: any but a broker.
func (b *books) counted(on string) (*schedule, error) {
	k, ok := b.names[on]
	if !ok {
		return nil, limits.Invalid("on", on, "is no schedule")
	}
	s := b.schedules[k]
	if s.of != nil {
		return nil, limits.Invalid("on", on, fmt.Sprintf("is a broker: ask for %q", s.kind.(Broker).Of))
	}
	return s, nil
}
