package bench_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench"
	"github.com/bookahead/bookahead/scheduletest"
)

func BenchmarkSchedules(b *testing.B) {
	for _, st := range bench.Structures() {
		scheduletest.Benchmark(b, scheduletest.Target{Name: st.Name, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			return st.New(c.Capacity, bench.Config{Origin: c.Origin, Horizon: c.Horizon})
		}})
	}
}

// TestStructuresAgree runs the same operations on all structures that promise
// the same answers.
func TestStructuresAgree(t *testing.T) {
	promises := map[string][]bench.Structure{}
	for _, st := range bench.Structures() {
		if st.Answers != "" {
			promises[st.Answers] = append(promises[st.Answers], st)
		}
	}
	for promise, structures := range promises {
		t.Run(promise, rapid.MakeCheck(func(t *rapid.T) { agree(t, structures) }))
	}
}

// agree makes the calls that rapid draws on each structure and compares what
// they return.
func agree(t *rapid.T, structures []bench.Structure) {
	capacity := rapid.SampledFrom([]int64{1, 16, 1000}).Draw(t, "capacity")
	horizon := bookahead.Duration(rapid.SampledFrom([]int{300, 5000}).Draw(t, "horizon"))
	schedules := make([]bookahead.Schedule, len(structures))
	for i, st := range structures {
		var err error
		schedules[i], err = st.New(capacity, bench.Config{Origin: 5, Horizon: horizon})
		require.NoError(t, err)
	}
	same := func(call func(bookahead.Schedule) any) any {
		first := call(schedules[0])
		for i, s := range schedules[1:] {
			require.Equal(t, first, call(s), "%s and %s", structures[0].Name, structures[i+1].Name)
		}
		return first
	}
	type result struct {
		value any
		err   error
	}
	now := bookahead.Time(5)
	var live []bookahead.Reservation
	draw := func(label string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label) }
	request := func() bookahead.Request {
		r := bookahead.Request{
			Ready:    now + bookahead.Time(draw("ready", -5, int(horizon))),
			Duration: bookahead.Duration(draw("duration", 1, 60)),
			Units:    int64(draw("units", 1, int(capacity))),
		}
		if slack := draw("slack", -1, 100); slack >= 0 {
			r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(slack)
		}
		return r
	}
	for range draw("operations", 1, 200) {
		switch draw("operation", 0, 9) {
		case 0, 1, 2, 3, 4:
			r := request()
			got := same(func(s bookahead.Schedule) any {
				res, err := s.Reserve(r)
				return result{res, err}
			}).(result)
			if got.err == nil {
				live = append(live, got.value.(bookahead.Reservation))
			}
		case 5:
			r := request()
			same(func(s bookahead.Schedule) any {
				o, err := s.Search(r)
				return result{o, err}
			})
		case 6, 7:
			if len(live) > 0 {
				k := draw("release", 0, len(live)-1)
				same(func(s bookahead.Schedule) any { return s.Release(live[k].ID) })
				live = slices.Delete(live, k, k+1)
			}
		case 8:
			start := now + bookahead.Time(draw("start", -5, int(horizon)))
			w := bookahead.Interval{Start: start, End: start + bookahead.Time(draw("length", 1, 200))}
			same(func(s bookahead.Schedule) any {
				a, err := s.RangeQuery(w)
				return result{a, err}
			})
		case 9:
			now += bookahead.Time(draw("advance", 0, 40))
			same(func(s bookahead.Schedule) any { return s.Advance(now) })
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, st := range bench.Structures() {
		require.False(t, seen[st.Name], st.Name)
		seen[st.Name] = true
	}
	require.True(t, seen[bench.Baseline])
}
