package replay

import (
	"runtime"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// Weighings is how often a schedule is weighed at most. It is odd, so that there
// is a median.
const Weighings = 3

// weigh replays the bookings on a fresh schedule and returns the bytes of heap
// that it holds then: the median of a few tries, as the runtime may allocate a
// little of its own meanwhile. It is 0 if more ends the first of them.
func weigh(fresh func() (bookahead.Schedule, error), bookings []workload.Booking, more func(Step) bool) (float64, error) {
	var bytes []float64
	for pass := 1; pass <= Weighings; pass++ {
		b, err := weighOnce(fresh, bookings, func(done int) bool { return more(Step{pass, done, len(bookings)}) })
		if err == errStopped {
			break
		}
		if err != nil {
			return 0, err
		}
		bytes = append(bytes, b)
	}
	if len(bytes) == 0 {
		return 0, nil
	}
	slices.Sort(bytes)
	return bytes[len(bytes)/2], nil
}

// weighOnce compares the heap before the schedule is made and after the last
// booking. What else it needs is made before, or dropped in time.
func weighOnce(fresh func() (bookahead.Schedule, error), bookings []workload.Booking, more func(done int) bool) (float64, error) {
	if !more(0) {
		return 0, errStopped // before the schedule is made, which may take long
	}
	room := make([]Outcome, 0, len(bookings))
	before := heap()
	s, err := fresh()
	if err != nil {
		return 0, err
	}
	if err := book(s, room, bookings, more); err != nil {
		return 0, err
	}
	after := heap()
	runtime.KeepAlive(s)
	runtime.KeepAlive(room)
	runtime.KeepAlive(bookings)
	return max(0, float64(after)-float64(before)), nil
}

// book makes the bookings, and leaves nothing behind but what s keeps.
func book(s bookahead.Schedule, room []Outcome, bookings []workload.Booking, more func(done int) bool) error {
	d := newDriver(s, nil, room, more)
	for _, b := range bookings {
		if err := d.submit(b); err != nil {
			return err
		}
	}
	return nil
}

// heap returns the bytes of all objects that are reachable.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // a sync.Pool lets go at the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
