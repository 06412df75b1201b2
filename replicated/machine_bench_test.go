package replicated

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// turnover yields commands that book and cancel on a pool with so many live bookings, which take 70 % of 128 units.
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

// BenchmarkApply carries out commands on a desk alone, and as entries of a log with so many calls. It reports the time of
// a command.
func BenchmarkApply(b *testing.B) {
	const live = 10_000
	pool := desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 128}}
	b.Run("impl=desk", func(b *testing.B) {
		d, err := desk.New(desk.Config{})
		require.NoError(b, err)
		fill, next := turnover(live)
		_, err = d.Do(pool)
		require.NoError(b, err)
		for range live {
			_, err := d.Do(fill())
			require.NoError(b, err)
		}
		list := make([]desk.Command, 0, 1<<16)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%cap(list) == 0 {
				b.StopTimer()
				list = list[:0]
				for range cap(list) {
					list = append(list, next())
				}
				b.StartTimer()
			}
			_, err := d.Do(list[i%cap(list)])
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, calls := range []int{1, 8, 64, 512} {
		for _, sessions := range []int{0, 1024} {
			b.Run(fmt.Sprintf("impl=machine/calls=%d/sessions=%d", calls, sessions), func(b *testing.B) {
				f := newFeed(b, Config{})
				fill, next := turnover(live)
				f.give(b, entryOf(once(pool)))
				for range live {
					require.NoError(b, f.give(b, entryOf(once(fill())))[0].err)
				}
				for range sessions {
					f.give(b, entryOf(call{op: openSession}))
				}
				turn := 0
				logs := make([]*raft.Log, 0, 1+(1<<14)/calls)
				b.ReportAllocs()
				for i := 0; b.Loop(); {
					if i == len(logs) {
						b.StopTimer()
						logs, i = logs[:0], 0
						for range cap(logs) {
							e := entryOf()
							for range calls {
								c := once(next())
								if sessions > 0 {
									c.session, c.number = SessionID(1+turn%sessions), uint64(1+turn/sessions)
									turn++
								}
								e.calls = append(e.calls, c)
							}
							logs = append(logs, f.log(e))
						}
						b.StartTimer()
					}
					n := min(16, len(logs)-i)
					for _, out := range f.ApplyBatch(logs[i : i+n]) {
						if out.([]answer)[0].err != nil {
							b.Fatal(out.([]answer)[0].err)
						}
					}
					i += n
				}
				done := float64(f.index-uint64(len(logs))) * 0
				_ = done
			})
		}
	}
}
