package idletree

import (
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"github.com/bookahead/bookahead"
)

// BenchmarkScale reserves 16 of a million servers that have ten reservations each, and
// releases the oldest, so that as many stay live. Beside the mean of ns/op, which is of both, it
// reports the mean and the 99th percentile of a Reserve and of a Release, the bytes of a live
// reservation with its 8 servers when all are loaded, and the share of the processors' time that the
// garbage collector takes, while they are loaded and then.
func BenchmarkScale(b *testing.B) {
	if testing.Short() {
		b.Skip("a million servers")
	}
	const servers, units = 1_000_000, 16
	empty := megabytes()
	x, err := NewTree(servers, Config{Horizon: horizon})
	if err != nil {
		b.Fatal(err)
	}
	unbooked := megabytes()
	before := spent()
	load(b, x, servers)
	loading := spent().since(before)
	x.Track(true) // to know how many are live
	live, _ := x.Live()
	x.Track(false)
	loaded := megabytes()
	b.Run("impl=idletree.Tree/servers=1000000/units=16", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(5, 6))
		var ids []bookahead.ID
		var reserve, release []time.Duration
		before := spent()
		for b.Loop() {
			r := randomRequest(rng, units)
			start := time.Now()
			res, err := x.Reserve(r)
			reserve = append(reserve, time.Since(start))
			if err == nil {
				ids = append(ids, res.ID)
			}
			if len(ids) > 1000 {
				start = time.Now()
				if err := x.Release(ids[0]); err != nil {
					b.Fatal(err)
				}
				release = append(release, time.Since(start))
				ids = ids[1:]
			}
		}
		running := spent().since(before)
		for _, id := range ids {
			if err := x.Release(id); err != nil {
				b.Fatal(err)
			}
		}
		reportTimes(b, "reserve", reserve)
		reportTimes(b, "release", release)
		b.ReportMetric(loading, "load-GC-%")
		b.ReportMetric(running, "GC-%")
		b.ReportMetric((loaded-unbooked)*1e6/float64(live), "B/live")
		b.ReportMetric((unbooked-empty)*1e6/servers, "B/server")
	})
}

// reportTimes reports the mean and the 99th percentile.
func reportTimes(b *testing.B, name string, times []time.Duration) {
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	sum := time.Duration(0)
	for _, d := range times {
		sum += d
	}
	b.ReportMetric(float64(sum.Nanoseconds())/float64(len(times)), name+"-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), name+"-p99-ns")
}

// seconds returns the processor time spent, as of the last cycle of the garbage collector.
type seconds struct{ collector, all float64 }

// since returns the collector's share since then, in per cent. It is 0 if no cycle has ended.
func (s seconds) since(then seconds) float64 {
	if s.all == then.all {
		return 0
	}
	return 100 * (s.collector - then.collector) / (s.all - then.all)
}

func spent() seconds {
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}}
	metrics.Read(sample)
	return seconds{sample[0].Value.Float64(), sample[1].Value.Float64()}
}
