package idletree

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/bookahead/bookahead"
)

// The machines of the benchmarks: a horizon of 500 slots of 10 ticks, and ten
// reservations ahead for each server, made by requests for 8 servers that are
// ready at any time.
const (
	slotTicks = 10
	horizon   = 500 * slotTicks
	ahead     = 10
)

func randomRequest(rng *rand.Rand, units int) bookahead.Request {
	d := 1 + rng.IntN(500)
	return bookahead.Request{
		Ready:    bookahead.Time(rng.IntN(horizon - d)),
		Duration: bookahead.Duration(d),
		Units:    int64(units),
	}
}

// load books ten reservations for each server, as far as they fit.
func load(tb testing.TB, s bookahead.Schedule, servers int) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range ahead * servers / 8 {
		if _, err := s.Reserve(randomRequest(rng, 8)); err != nil && err != bookahead.ErrUnavailable {
			tb.Fatal(err)
		}
	}
}

var forms = []struct {
	name string
	most int // servers
	open func(servers int64) (bookahead.Schedule, error)
}{
	{"idletree.Tree", 1_000_000, func(n int64) (bookahead.Schedule, error) {
		return NewTree(n, Config{Horizon: horizon})
	}},
	{"idletree.Lists", 10_000, func(n int64) (bookahead.Schedule, error) {
		return NewLists(n, Config{Horizon: horizon})
	}},
}

func BenchmarkServers(b *testing.B) {
	for _, servers := range []int{10_000, 100_000, 1_000_000} {
		for _, form := range forms {
			if servers > form.most || testing.Short() && servers > 10_000 {
				continue
			}
			memory := 0.0
			loaded := sync.OnceValue(func() bookahead.Schedule {
				before := megabytes()
				s, err := form.open(int64(servers))
				if err != nil {
					b.Fatal(err)
				}
				load(b, s, servers)
				memory = megabytes() - before
				return s
			})
			name := fmt.Sprintf("impl=%s/servers=%d", form.name, servers)
			for _, units := range []int{8, 16, 64, 1024} {
				name := fmt.Sprintf("%s/units=%d", name, units)
				b.Run("op=search/"+name, func(b *testing.B) { benchSearch(b, loaded(), units) })
				b.Run("op=reserve/"+name, func(b *testing.B) { benchReserve(b, loaded(), units) })
			}
			b.Run("op=free/"+name, func(b *testing.B) {
				x, ok := loaded().(*Tree)
				if !ok {
					b.Skip("only a Tree counts without a list")
				}
				benchFree(b, x)
			})
			b.Run("op=range/"+name, func(b *testing.B) {
				benchRange(b, loaded())
				b.ReportMetric(memory, "MB")
			})
		}
	}
}

// megabytes returns the memory allocated.
func megabytes() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

func benchSearch(b *testing.B, s bookahead.Schedule, units int) {
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for b.Loop() {
		if _, err := s.Search(randomRequest(rng, units)); err == nil {
			found++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*units), "ns/server")
}

// benchReserve makes 64 reservations, and releases them while the timer stands.
func benchReserve(b *testing.B, s bookahead.Schedule, units int) {
	rng := rand.New(rand.NewPCG(5, 6))
	var ids []bookahead.ID
	release := func() {
		for _, id := range ids {
			if err := s.Release(id); err != nil {
				b.Fatal(err)
			}
		}
		ids = ids[:0]
	}
	for b.Loop() {
		if len(ids) == 64 {
			b.StopTimer()
			release()
			b.StartTimer()
		}
		if res, err := s.Reserve(randomRequest(rng, units)); err == nil {
			ids = append(ids, res.ID)
		}
	}
	release()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*units), "ns/server")
}

func benchRange(b *testing.B, s bookahead.Schedule) {
	rng := rand.New(rand.NewPCG(7, 8))
	free := int64(0)
	for b.Loop() {
		r := randomRequest(rng, 1)
		a, err := s.RangeQuery(bookahead.Interval{Start: r.Ready, End: r.Ready + bookahead.Time(r.Duration)})
		if err != nil {
			b.Fatal(err)
		}
		free += a.Free
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(free), "ns/server")
	b.ReportMetric(float64(free)/float64(b.N), "servers")
}

// benchFree counts the servers that benchRange lists.
func benchFree(b *testing.B, x *Tree) {
	rng := rand.New(rand.NewPCG(7, 8))
	free := int64(0)
	for b.Loop() {
		r := randomRequest(rng, 1)
		n, err := x.Free(bookahead.Interval{Start: r.Ready, End: r.Ready + bookahead.Time(r.Duration)})
		if err != nil {
			b.Fatal(err)
		}
		free += n
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(free), "ns/server")
	b.ReportMetric(float64(free)/float64(b.N), "servers")
}
