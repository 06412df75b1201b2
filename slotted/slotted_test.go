package slotted

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

var forms = []struct {
	name string
	open func(int64, Config) (bookahead.Schedule, error)
}{
	{"Scan", func(capacity int64, c Config) (bookahead.Schedule, error) { return NewScan(capacity, c) }},
	{"Indexed", func(capacity int64, c Config) (bookahead.Schedule, error) { return NewIndexed(capacity, c) }},
	{"Indexed-of-4", func(capacity int64, c Config) (bookahead.Schedule, error) { return newIndexed(capacity, c, 4) }},
}

func target(form int, slot bookahead.Duration) scheduletest.Target {
	f := forms[form]
	return scheduletest.Target{
		Name: fmt.Sprintf("slotted.%s-%d", f.name, slot), Bounded: true, Slot: slot,
		New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			return f.open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Slot: slot})
		},
	}
}

func TestConformance(t *testing.T) {
	for form := range forms {
		for _, slot := range []bookahead.Duration{1, 5} {
			target := target(form, slot)
			t.Run(target.Name, func(t *testing.T) { scheduletest.Run(t, target) })
		}
	}
}

func FuzzScan(f *testing.F) { scheduletest.Fuzz(f, target(0, 3)) }

func FuzzIndexed(f *testing.F) { scheduletest.Fuzz(f, target(2, 3)) }

// BenchmarkLongJobs searches 900 000 slots, the most of Schneider and Linnert's
// experiments, for a place after long reservations.
func BenchmarkLongJobs(b *testing.B) {
	const slots = 900_000
	for _, f := range forms[:2] {
		b.Run(fmt.Sprintf("impl=slotted.%s/op=search/slots=%d", f.name, slots), func(b *testing.B) {
			s, err := f.open(128, Config{Horizon: slots})
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for range 200 { // jobs of up to 20 000 slots
				_, _ = s.Reserve(bookahead.Request{
					Ready:    bookahead.Time(rng.IntN(slots)),
					Duration: bookahead.Duration(1 + rng.IntN(20_000)),
					Units:    1 + rng.Int64N(64),
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = s.Search(bookahead.Request{
					Ready:    bookahead.Time(rng.IntN(slots / 2)),
					Duration: bookahead.Duration(1 + rng.IntN(20_000)),
					Units:    100,
				})
			}
		})
	}
}
