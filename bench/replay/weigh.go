package replay

import (
	"runtime"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// Weighings is the largest number of times that a schedule is weighed. It is odd, so
// that one weighing is the median.
const Weighings = 3

// weigh replays the bookings on a fresh schedule and returns the bytes of heap that
// the schedule holds then. The runtime may allocate a little of its own meanwhile, so
// the median of several weighings counts. The result is 0 if more ends the first one.
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

// weighOnce returns by how much the heap grows from before the schedule is made to
// after the last booking. Everything else on the heap must be the same at both times:
// so the room for outcomes is made before, and the driver is garbage by then.
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

// book makes the bookings. When it returns, its driver is garbage, and only s has grown.
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
	runtime.GC() // a sync.Pool frees its objects at the second collection only
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
