package scheduletest

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// counted is a structure that counts calls.
type counted struct {
	*carts.Flat
	calls map[string]int
}

func (c *counted) Search(r bookahead.Request) (bookahead.Offer, error) {
	c.calls["search"]++
	return c.Flat.Search(r)
}

func (c *counted) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	c.calls["reserve"]++
	return c.Flat.Reserve(r)
}

func (c *counted) Release(id bookahead.ID) error {
	c.calls["release"]++
	return c.Flat.Release(id)
}

func (c *counted) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	c.calls["rangequery"]++
	return c.Flat.RangeQuery(w)
}

func (c *counted) Advance(now bookahead.Time) error {
	c.calls["advance"]++
	return c.Flat.Advance(now)
}

func (c *counted) MarshalBinary() ([]byte, error) {
	c.calls["write"]++
	return c.Flat.MarshalBinary()
}

func (c *counted) UnmarshalBinary(data []byte) error {
	c.calls["read"]++
	return c.Flat.UnmarshalBinary(data)
}

func newCounted(c Config) (bookahead.Schedule, error) {
	f, err := carts.NewFlat(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
	return &counted{f, map[string]int{}}, err
}

// shortly makes benchmarks run a number of times.
func shortly(t *testing.T, times string) {
	for name, value := range map[string]string{"test.benchtime": times, "test.short": "true"} {
		old := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		t.Cleanup(func() { require.NoError(t, flag.Set(name, old)) })
	}
}

// finish runs a benchmark, and reports whether it came to its end. A benchmark that is skipped or
// fails does not.
func finish(run func(*testing.B)) (finished bool) {
	testing.Benchmark(func(b *testing.B) {
		run(b)
		finished = true
	})
	return finished
}

// Each benchmark calls the method after which it is named as often as it says, and leaves the
// calendar as full as it was, to two percent: 70 % of 128 units, in 1000 reservations.
func TestBenchmarksMeasureWhatTheySay(t *testing.T) {
	const times = 200 // enough for several stops of the timer
	shortly(t, "200x")
	target := Target{Name: "counted", New: newCounted}
	for _, op := range operations {
		var c *calendar
		require.True(t, finish(func(b *testing.B) {
			if c == nil {
				c = newCalendar(b, target, 1000, 0.70)
			}
			clear(c.Schedule.(*counted).calls)
			op.measure(b, c)
		}), op.name)
		s := c.Schedule.(*counted)
		require.GreaterOrEqual(t, s.calls[op.name], times, op.name)
		for other, n := range s.calls {
			switch op.name + " " + other {
			case "reserve release", "release reserve", "advance reserve":
				require.GreaterOrEqual(t, n, times/2, "%s calls %s", op.name, other)
			case "read write":
				require.LessOrEqual(t, n, 10, "what is read is written before")
			default:
				require.Equal(t, op.name, other, "%d calls", n)
			}
		}
		live, area := 0, int64(0)
		for res := range s.Reservations(always) {
			live++
			area += res.Units * int64(res.Len())
		}
		if op.name == "advance" {
			require.Equal(t, times*c.gap, c.now)
			require.InDelta(t, 1000, live, 20+float64(c.batch), "a batch is booked at a time")
			continue
		}
		require.InDelta(t, 1000, live, 20, op.name)
		require.InDelta(t, 0.70, float64(area)/float64(benchCapacity*c.length), 0.05, op.name)
		require.NoError(t, s.Verify())
	}
}

// BenchmarkCounted is for TestBenchmarkNames to run.
func BenchmarkCounted(b *testing.B) {
	Benchmark(b, Target{Name: "counted", New: newCounted, MaxLive: 5000})
}

// The names are the same for every structure. Only a benchmark that go test runs has
// one.
func TestBenchmarkNames(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	out, err := exec.Command(self, "-test.run=^$", "-test.bench=^BenchmarkCounted$", "-test.benchtime=1x", "-test.cpu=1").Output()
	require.NoError(t, err)
	var names, want []string
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(line, "BenchmarkCounted/"); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	for _, live := range []string{"100", "1000"} {
		for _, load := range []string{"0.70", "0.95"} {
			for _, op := range []string{"search", "reserve", "release", "rangequery", "write", "read", "advance"} {
				want = append(want, "impl=counted/op="+op+"/live="+live+"/load="+load)
			}
		}
	}
	require.Equal(t, want, names)
}

// Sizes stop at MaxLive, or with -short; each size is measured at both loads.
func TestBenchmarkSizes(t *testing.T) {
	shortly(t, "1x")
	known := operations
	t.Cleanup(func() { operations = known })
	for most, want := range map[int][]int{50: nil, 500: {100, 100}, 5000: {100, 100, 1000, 1000}, 0: {100, 100, 1000, 1000, 10_000, 10_000}} {
		var sizes []int
		operations = slices.Clone(known[:1])
		operations[0].measure = func(b *testing.B, c *calendar) {
			live := 0
			for range c.Schedule.(bookahead.Keeper).Reservations(always) {
				live++
			}
			sizes = append(sizes, live)
		}
		require.True(t, finish(func(b *testing.B) {
			sizes = nil // it is run more than once
			Benchmark(b, Target{Name: "sizes", New: newCounted, MaxLive: most})
		}))
		require.Equal(t, want, sizes)
	}
}

// A schedule that cannot be measured is skipped, and a broken one fails: neither gives a
// number.
func TestBenchmarksWithoutANumber(t *testing.T) {
	shortly(t, "1x")
	for name, open := range map[string]func(Config) (bookahead.Schedule, error){
		"such a config": func(c Config) (bookahead.Schedule, error) { return nil, invalid("Config.Horizon", c.Horizon) },
		"broken":        func(Config) (bookahead.Schedule, error) { return nil, bookahead.ErrNotFound },
		"too small": func(c Config) (bookahead.Schedule, error) {
			c.Horizon = 10
			return newCounted(c)
		},
	} {
		require.False(t, finish(func(b *testing.B) { newCalendar(b, Target{Name: name, New: open}, 1000, 0.70) }), name)
	}
	pool := func(c Config) (bookahead.Schedule, error) {
		f, err := newCounted(c)
		return struct{ bookahead.Schedule }{f}, err
	}
	for name, measure := range map[string]func(*testing.B, *calendar){"write": benchWrite, "read": benchRead} {
		require.False(t, finish(func(b *testing.B) {
			measure(b, newCalendar(b, Target{Name: "no Snapshotter", New: pool}, 1000, 0.70))
		}), name)
	}
}
