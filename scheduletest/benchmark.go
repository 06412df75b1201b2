package scheduletest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
)

// Benchmark measures the target's operations on schedules of growing size.
// Sub-benchmarks have the same names for every structure, such as
//
//	impl=carts.Flat/op=search/live=1000/load=0.70
//
// so that benchstat -col /impl compares them. The operations are search,
// reserve, release and rangequery at random places of a horizon over which
// live reservations are spread, so that they fill the given share (load) of the
// capacity; write and read of a snapshot; and advance, by as much time as one
// reservation fills. A reserve may be turned away; live and load stay within two
// percent, and within four where 100 are live. With -short the size stops at live=10000.
func Benchmark(b *testing.B, target Target) {
	for _, live := range []int{100, 1_000, 10_000, 100_000, 1_000_000} {
		if testing.Short() && live > 10_000 || target.MaxLive > 0 && live > target.MaxLive {
			break
		}
		for _, load := range []float64{0.70, 0.95} {
			var c *calendar // made by the first benchmark that is selected
			for _, op := range operations {
				b.Run(fmt.Sprintf("impl=%s/op=%s/live=%d/load=%.2f", target.Name, op.name, live, load), func(b *testing.B) {
					if c == nil {
						c = newCalendar(b, target, live, load)
					}
					b.ReportAllocs()
					op.measure(b, c)
				})
			}
		}
	}
}

var operations = []struct {
	name    string
	measure func(*testing.B, *calendar)
}{
	{"search", benchSearch},
	{"reserve", benchReserve},
	{"release", benchRelease},
	{"rangequery", benchRangeQuery},
	{"write", benchWrite},
	{"read", benchRead},
	{"advance", benchAdvance}, // last, as it moves the calendar on
}

const (
	benchCapacity = 128
	meanUnits     = benchCapacity / 8
	meanDuration  = 1000
	variety       = 1 << 15 // different requests, so that the caches do not know them all
)

// calendar is a schedule in a steady state.
type calendar struct {
	bookahead.Schedule
	rng    *rand.Rand
	now    bookahead.Time
	length bookahead.Time // of the time over which reservations are spread
	gap    bookahead.Time // between the ready times of two reservations
	batch  int            // operations between two stops of the timer: few, so that the load stays, but 4 at least, as a stop takes long
}

func newCalendar(b *testing.B, target Target, live int, load float64) *calendar {
	b.Helper()
	gap := bookahead.Time(meanUnits * meanDuration / (load * benchCapacity))
	length := gap * bookahead.Time(live)
	s, err := target.New(Config{Capacity: benchCapacity, Horizon: bookahead.Duration(2*length + 100*meanDuration)})
	if errors.Is(err, bookahead.ErrInvalid) {
		b.Skip(err) // such as a ring of more slots than it takes
	}
	if err != nil {
		b.Fatal(err)
	}
	c := &calendar{Schedule: s, rng: rand.New(rand.NewPCG(uint64(live), 1)), length: length, gap: gap, batch: max(4, min(512, live/64))}
	ready := make([]bookahead.Time, live)
	for i := range ready {
		ready[i] = bookahead.Time(c.rng.Int64N(int64(length)))
	}
	slices.Sort(ready)
	for _, t := range ready {
		r := c.request()
		r.Ready, r.Deadline = t, 0
		switch _, err := c.Reserve(r); err {
		case nil:
		case bookahead.ErrUnavailable:
			b.Skip("so much does not fit") // into slots as wide as these
		default:
			b.Fatal(err)
		}
	}
	return c
}

// request draws a request that is ready anywhere in the calendar and may wait
// for a few durations.
func (c *calendar) request() bookahead.Request {
	r := bookahead.Request{
		Ready:    c.now + bookahead.Time(c.rng.Int64N(int64(c.length))),
		Duration: bookahead.Duration(1 + c.rng.Int64N(2*meanDuration-1)),
		Units:    1 + c.rng.Int64N(2*meanUnits-1),
	}
	r.Deadline = r.Ready + 4*bookahead.Time(r.Duration)
	return r
}

func (c *calendar) requests(n int) []bookahead.Request {
	all := make([]bookahead.Request, n)
	for i := range all {
		all[i] = c.request()
	}
	return all
}

// reserve books each request that fits.
func (c *calendar) reserve(all []bookahead.Request) []bookahead.ID {
	ids := make([]bookahead.ID, 0, len(all))
	for _, r := range all {
		if res, err := c.Reserve(r); err == nil {
			ids = append(ids, res.ID)
		}
	}
	return ids
}

func (c *calendar) release(b *testing.B, ids []bookahead.ID) {
	for _, id := range ids {
		if err := c.Release(id); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSearch(b *testing.B, c *calendar) {
	all := c.requests(variety)
	for i := 0; b.Loop(); i++ {
		_, _ = c.Search(all[i%variety])
	}
}

func benchReserve(b *testing.B, c *calendar) {
	all := c.requests(variety)
	ids := make([]bookahead.ID, 0, c.batch)
	for i := 0; b.Loop(); i++ {
		if i%c.batch == 0 {
			b.StopTimer()
			c.release(b, ids)
			ids = ids[:0]
			b.StartTimer()
		}
		if res, err := c.Reserve(all[i%variety]); err == nil {
			ids = append(ids, res.ID)
		}
	}
	c.release(b, ids)
}

func benchRelease(b *testing.B, c *calendar) {
	all := c.requests(variety)
	var ids []bookahead.ID
	for next := 0; b.Loop(); {
		if len(ids) == 0 {
			b.StopTimer()
			for tried := 0; len(ids) == 0; tried += c.batch {
				if tried > variety {
					b.Skip("nothing fits")
				}
				ids = c.reserve(all[next:min(next+c.batch, variety)])
				next = (next + c.batch) % variety
			}
			c.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			b.StartTimer()
		}
		last := len(ids) - 1
		if err := c.Release(ids[last]); err != nil {
			b.Fatal(err)
		}
		ids = ids[:last]
	}
	c.release(b, ids)
}

func benchRangeQuery(b *testing.B, c *calendar) {
	all := c.requests(variety)
	for i := 0; b.Loop(); i++ {
		r := all[i%variety]
		if _, err := c.RangeQuery(bookahead.Interval{Start: r.Ready, End: r.Ready + bookahead.Time(r.Duration)}); err != nil {
			b.Fatal(err)
		}
	}
}

// snapshot writes the calendar, and reports the bytes of a reservation.
func (c *calendar) snapshot(b *testing.B) (bookahead.Snapshotter, []byte) {
	s, ok := c.Schedule.(bookahead.Snapshotter)
	if !ok {
		b.Skip("no Snapshotter")
	}
	data, err := s.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	if k, ok := c.Schedule.(bookahead.Keeper); ok {
		n := 0
		for range k.Reservations(always) {
			n++
		}
		b.ReportMetric(float64(len(data))/float64(n), "B/reservation")
	}
	return s, data
}

func benchWrite(b *testing.B, c *calendar) {
	s, _ := c.snapshot(b)
	for b.Loop() {
		_, _ = s.MarshalBinary()
	}
	c.snapshot(b) // the loop has reset the metrics
}

// benchRead reads the calendar's own snapshot into it, which changes nothing.
func benchRead(b *testing.B, c *calendar) {
	s, data := c.snapshot(b)
	for b.Loop() {
		if err := s.UnmarshalBinary(data); err != nil {
			b.Fatal(err)
		}
	}
	c.snapshot(b)
}

// benchAdvance moves the clock through the calendar. While the timer stands, it books as
// much at the far end as has ended at the near one.
func benchAdvance(b *testing.B, c *calendar) {
	for i := 0; b.Loop(); i++ {
		if i%c.batch == 0 && i > 0 {
			b.StopTimer()
			refill := c.requests(c.batch)
			for k := range refill {
				refill[k].Ready = c.now + c.length - bookahead.Time(c.rng.Int64N(int64(c.batch)*int64(c.gap)))
				refill[k].Deadline = 0
			}
			slices.SortFunc(refill, func(x, y bookahead.Request) int { return cmp.Compare(x.Ready, y.Ready) })
			c.reserve(refill)
			b.StartTimer()
		}
		c.now += c.gap
		if err := c.Advance(c.now); err != nil {
			b.Fatal(err)
		}
	}
}
