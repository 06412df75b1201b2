package bench_test

import (
	"encoding"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/internal/structures"
)

var (
	soakFor  = flag.Duration("soak", 0, "how long TestSoak replays traces; 0 means a few traces")
	soakSeed = flag.Uint64("soak-seed", 1, "seed of the first trace of TestSoak; each further trace has the next seed")
)

// TestSoak replays random traces over all structures at once:
//
//	go test ./bench -run Soak -v -soak 10m -timeout 0
//
// Structures that promise the same answers must give the same answers. In each structure,
// Reserve must book the offer of Search, and RangeQuery must find its units free. Every 64
// bookings all structures are verified, and of each promise one goes on as its own clone,
// and one as a schedule read from its snapshot.
func TestSoak(t *testing.T) {
	const few = 4
	began, shown := time.Now(), time.Now()
	total := 0
	for seed := *soakSeed; ; seed++ {
		total += soakTrace(t, seed)
		if t.Failed() {
			return
		}
		if traces := seed - *soakSeed + 1; time.Since(began) > *soakFor && traces >= few {
			t.Logf("%d traces, %d operations, no difference", traces, total)
			return
		}
		if time.Since(shown) > 30*time.Second {
			shown = time.Now()
			fmt.Printf("%4.0f s  seed %d, %d operations\n", time.Since(began).Seconds(), seed, total)
		}
	}
}

// crew holds the structures of one promise, which replay the same trace.
type crew struct {
	t          *testing.T
	seed       uint64
	make       structures.Config
	capacity   int64
	structures []structures.Structure
	schedules  []bookahead.Schedule
	ends       []workEnd // of the jobs that are booked and not done, by time
	operations int
}

// workEnd is the end of a job, and the reservation of the job.
type workEnd struct {
	at    bookahead.Time
	id    bookahead.ID
	early bool // the job ends before its reservation
}

// soakTrace replays one trace, and returns the number of operations.
func soakTrace(t *testing.T, seed uint64) int {
	rng := rand.New(rand.NewPCG(seed, 0x50a4))
	pick := func(of ...float64) float64 { return of[rng.IntN(len(of))] }
	capacity := int64(pick(1, 6, 32, 128, 200))
	horizon := bookahead.Duration(pick(4_000, 20_000, 60_000))
	short := pick(5, 60, 400)
	jobs, err := workload.Feitelson{Nodes: capacity, Seed: seed, Short: short, Gap: short * pick(0.01, 0.05, 0.3)}.Generate(1000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs { // many jobs ask for more time than they need
		jobs[i].Estimate += bookahead.Duration(pick(0, 0, 1, 10) * rng.Float64() * float64(jobs[i].Run))
	}
	bookings, err := workload.Reservations{
		Fraction: rng.Float64(), Ahead: horizon / bookahead.Duration(pick(2, 10)), Slack: pick(0, 1, 5), Seed: seed,
	}.Book(jobs)
	if err != nil {
		t.Fatal(err)
	}
	operations := 0
	for _, c := range crews(t, seed, capacity, structures.Config{Origin: bookahead.Time(rng.IntN(5000)), Horizon: horizon}) {
		operations += c.replay(bookings, rand.New(rand.NewPCG(seed, 0xc4e3)))
	}
	return operations
}

// crews returns an empty schedule of every structure, those of one promise together.
func crews(t *testing.T, seed uint64, capacity int64, config structures.Config) []*crew {
	var all []*crew
	for _, st := range structures.Compared() {
		s, err := st.New(capacity, config)
		if err != nil {
			t.Fatal(st.Name, err)
		}
		i := slices.IndexFunc(all, func(c *crew) bool { return st.Answers != "" && c.structures[0].Answers == st.Answers })
		if i < 0 {
			i = len(all)
			all = append(all, &crew{t: t, seed: seed, make: config, capacity: capacity})
		}
		all[i].structures = append(all[i].structures, st)
		all[i].schedules = append(all[i].schedules, s)
	}
	return all
}

func (c *crew) fatal(i int, format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("-soak-seed %d, capacity %d, %+v, %s: %s", c.seed, c.capacity, c.make, c.structures[i].Name, fmt.Sprintf(format, args...))
}

// same makes a call on each schedule. It returns the answer, which must be the same.
func (c *crew) same(given any, call func(bookahead.Schedule) (any, error)) (any, error) {
	c.t.Helper()
	value, err := call(c.schedules[0])
	for i, s := range c.schedules[1:] {
		if v, e := call(s); kind(e) != kind(err) || !reflect.DeepEqual(v, value) {
			c.fatal(i+1, "%+v: %v, %v; but %v, %v of %s", given, v, e, value, err, c.structures[0].Name)
		}
	}
	c.operations += len(c.schedules)
	return value, kind(err)
}

// replay makes every booking at the time of its submission.
func (c *crew) replay(bookings []workload.Booking, rng *rand.Rand) int {
	for k, b := range bookings {
		c.advance(c.make.Origin + b.Submit)
		r := b.Request
		r.Ready += c.make.Origin
		if r.Deadline != 0 {
			r.Deadline += c.make.Origin
		}
		c.book(r, b.Run)
		switch k % 64 {
		case 15:
			c.swap(rng, "clone", bookahead.Cloner.Clone)
		case 31:
			c.verify()
		case 47:
			c.swap(rng, "snapshot", nil)
		case 63:
			c.cancel(rng)
		}
	}
	c.verify()
	return c.operations
}

// book searches, asks for the free units of the offer, and reserves: the three must agree.
func (c *crew) book(r bookahead.Request, run bookahead.Duration) {
	found, err := c.same(r, func(s bookahead.Schedule) (any, error) { return s.Search(r) })
	if err == nil {
		w := found.(bookahead.Offer).Interval
		free, _ := c.same(w, func(s bookahead.Schedule) (any, error) { return s.RangeQuery(w) })
		if a := free.(bookahead.Availability); a.Free < r.Units {
			c.fatal(0, "%+v: Search offers %v, but only %v is free", r, found, a)
		}
	}
	booked, wrong := c.same(r, func(s bookahead.Schedule) (any, error) { return s.Reserve(r) })
	if wrong != err {
		c.fatal(0, "%+v: Search returns %v, but Reserve %v", r, err, wrong)
	}
	if err != nil {
		return
	}
	res := booked.(bookahead.Reservation)
	if !reflect.DeepEqual(res.Offer, found) {
		c.fatal(0, "%+v: Search offers %v, but Reserve books %v", r, found, res)
	}
	e := workEnd{res.End, res.ID, false}
	if run < r.Duration {
		e.at, e.early = res.Start+bookahead.Time(run), true
	}
	at, _ := slices.BinarySearchFunc(c.ends, e, func(a, b workEnd) int { return int(a.at - b.at) })
	c.ends = slices.Insert(c.ends, at, e)
}

// advance moves the clock to now. On the way it stops at each job that ends before its
// reservation, and releases the reservation.
func (c *crew) advance(now bookahead.Time) {
	for len(c.ends) > 0 && c.ends[0].at <= now {
		e := c.ends[0]
		c.ends = c.ends[1:]
		if e.early {
			c.clock(e.at)
			c.release(e.id)
		}
	}
	c.clock(now)
}

func (c *crew) clock(now bookahead.Time) {
	if _, err := c.same(now, func(s bookahead.Schedule) (any, error) { return nil, s.Advance(now) }); err != nil {
		c.fatal(0, "Advance to %d: %v", now, err)
	}
}

func (c *crew) release(id bookahead.ID) {
	if _, err := c.same(id, func(s bookahead.Schedule) (any, error) { return nil, s.Release(id) }); err != nil {
		c.fatal(0, "Release of #%d: %v", id, err)
	}
}

// cancel releases the reservation of one job that has not ended.
func (c *crew) cancel(rng *rand.Rand) {
	if len(c.ends) > 0 {
		i := rng.IntN(len(c.ends))
		c.release(c.ends[i].id)
		c.ends = slices.Delete(c.ends, i, i+1)
	}
}

func (c *crew) verify() {
	for i, s := range c.schedules {
		if v, ok := s.(interface{ Verify() error }); ok {
			if err := v.Verify(); err != nil {
				c.fatal(i, "%v", err)
			}
		}
	}
}

// swap replaces one schedule by its clone or, if clone is nil, by a schedule read from its
// snapshot. A schedule without that ability stays.
func (c *crew) swap(rng *rand.Rand, copied string, clone func(bookahead.Cloner) bookahead.Schedule) {
	i := rng.IntN(len(c.schedules))
	s := c.schedules[i]
	if cloner, ok := s.(bookahead.Cloner); ok && clone != nil {
		c.schedules[i] = clone(cloner)
		c.operations++
		return
	}
	m, ok := s.(encoding.BinaryMarshaler)
	if !ok || clone != nil {
		return
	}
	bytes, err := m.MarshalBinary()
	if err != nil {
		c.fatal(i, "%s: %v", copied, err)
	}
	fresh, err := c.structures[i].New(c.capacity, c.make)
	if err != nil {
		c.fatal(i, "%s: %v", copied, err)
	}
	if err := fresh.(encoding.BinaryUnmarshaler).UnmarshalBinary(bytes); err != nil {
		c.fatal(i, "%s: %v", copied, err)
	}
	c.schedules[i] = fresh
	c.operations++
}
