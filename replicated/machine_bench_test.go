package replicated

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// turnover yields commands that book and cancel on a pool of 128 units, so that live bookings take 70 % of it.
func turnover(live int) (fill, next func() desk.Command) {
	rng := rand.New(rand.NewPCG(1, 1))
	span := int64(float64(live) * 8.5 * 500 / 0.7 / 128)
	n := 0
	fill = func() desk.Command {
		n++
		return desk.Book{Key: strconv.Itoa(n), Request: desk.Request{
			Owner: "owner " + strconv.Itoa(n%100), Ready: bookahead.Time(rng.Int64N(span)),
			Shapes: []desk.Shape{{{On: "pool", Units: 1 + rng.Int64N(16), Duration: 1 + bookahead.Duration(rng.IntN(1000))}}},
		}}
	}
	turn, gone := 0, 0
	return fill, func() desk.Command {
		turn++
		if turn%2 == 1 {
			return fill()
		}
		gone++
		return desk.Cancel{ID: desk.BookingID(gone)}
	}
}

// BenchmarkApply carries out commands on a desk alone, and as entries with several calls each. It reports the time
// and the allocations of a command.
func BenchmarkApply(b *testing.B) {
	const live = 10_000
	pool := desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 128}}
	b.Run("impl=desk", func(b *testing.B) {
		d, err := desk.New(desk.Config{})
		require.NoError(b, err)
		fill, next := turnover(live)
		for _, c := range append([]desk.Command{pool}, repeat(live, fill)...) {
			_, err := d.Do(c)
			require.NoError(b, err)
		}
		perCommand(b, func(list []desk.Command) func() {
			return func() {
				for _, c := range list {
					_, err := d.Do(c)
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		}, next)
	})
	for _, calls := range []int{1, 8, 64, 512} {
		for _, sessions := range []int{0, 1024} {
			b.Run(fmt.Sprintf("impl=machine/calls=%d/sessions=%d", calls, sessions), func(b *testing.B) {
				f := newFeed(b, Config{})
				fill, next := turnover(live)
				for _, c := range append([]desk.Command{pool}, repeat(live, fill)...) {
					require.NoError(b, f.give(b, entryOf(once(c)))[0].err)
				}
				for range sessions {
					f.give(b, entryOf(call{op: openSession}))
				}
				turn := 0
				perCommand(b, func(list []desk.Command) func() {
					var logs []*raft.Log
					for part := range slices.Chunk(list, calls) {
						e := entryOf()
						for _, c := range part {
							one := once(c)
							if sessions > 0 {
								one.session, one.number = SessionID(1+turn%sessions), uint64(1+turn/sessions)
								turn++
							}
							e.calls = append(e.calls, one)
						}
						logs = append(logs, f.log(e))
					}
					return func() { applyAll(b, f, logs) }
				}, next)
			})
		}
	}
}

func repeat(n int, next func() desk.Command) (list []desk.Command) {
	for range n {
		list = append(list, next())
	}
	return list
}

// applyAll carries entries out as Raft does, several at once.
func applyAll(b *testing.B, f *feed, logs []*raft.Log) {
	for part := range slices.Chunk(logs, 16) {
		for _, out := range f.ApplyBatch(part) {
			for _, a := range out.([]answer) {
				if a.err != nil {
					b.Fatal(a.err)
				}
			}
		}
	}
}

// perCommand reports the allocations and the time of a command, without those of prepare. The time is that of the
// fastest run, since other work slows the machine down.
func perCommand(b *testing.B, prepare func([]desk.Command) func(), next func() desk.Command) {
	const many = 1 << 12
	best := time.Duration(math.MaxInt64)
	var allocs, n uint64
	var before, after runtime.MemStats
	for b.Loop() {
		run := prepare(repeat(many, next))
		runtime.ReadMemStats(&before)
		began := time.Now()
		run()
		best = min(best, time.Since(began))
		runtime.ReadMemStats(&after)
		allocs += after.Mallocs - before.Mallocs
		n += many
	}
	b.ReportMetric(float64(best.Nanoseconds())/many, "ns/command")
	b.ReportMetric(float64(allocs)/float64(n), "allocs/command")
	b.ReportMetric(0, "ns/op")
}
