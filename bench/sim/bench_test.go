package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/plan"
)

// BenchmarkRun simulates jobs of the Lublin model on 128 nodes; at a load above 1
// the queue grows to the end. Jobs have ten priorities and fifty users. With -short there are a twentieth of the jobs.
func BenchmarkRun(b *testing.B) {
	for _, bench := range []struct {
		policy string
		local  Local
		jobs   int
		load   float64
	}{
		{"FCFS-None", Local{}, 200_000, 0.5},
		{"FCFS-FirstFit", Local{Backfill: plan.FirstFit()}, 200_000, 0.9},
		{"FCFS-EASY", Local{Backfill: plan.EASY(1)}, 200_000, 0.7},
		{"FCFS-EASY", Local{Backfill: plan.EASY(1)}, 200_000, 0.9},
		{"FCFS-EASY", Local{Backfill: plan.EASY(1)}, 200_000, 1.1},
		{"FCFS-Conservative", Local{Backfill: plan.Conservative()}, 200_000, 0.7},
		{"FCFS-Conservative", Local{Backfill: plan.Conservative()}, 200_000, 0.9},
		{"SJF-EASY", Local{Order: plan.SJF(), Backfill: plan.EASY(1)}, 200_000, 0.9},
		{"PPPD-EASY", Local{Order: plan.ByPriority(), Preempt: true, Backfill: plan.EASY(1)}, 200_000, 0.9},
		{"FSS-EASY", Local{Order: plan.FairShare(plan.Share{}), Backfill: plan.EASY(1)}, 20_000, 0.9},
		{"LSF-FirstFit", Local{Order: plan.LSF(), Backfill: plan.FirstFit(), Period: 60}, 200_000, 0.9},
	} {
		if testing.Short() {
			bench.jobs /= 20
		}
		b.Run(fmt.Sprintf("policy=%s/load=%v/jobs=%d", bench.policy, bench.load, bench.jobs), func(b *testing.B) {
			jobs, err := workload.Lublin{Seed: 1, Load: bench.load, Over: 4}.Generate(bench.jobs)
			require.NoError(b, err)
			tasks := FromJobs(jobs)
			for i := range tasks {
				tasks[i].Priority, tasks[i].User = i%10, int64(i%50)
			}
			var r Result
			for b.Loop() {
				s, err := carts.NewIndexed(128, carts.Config{})
				require.NoError(b, err)
				r, err = Run(Config{Providers: []Provider{{s, 128, bench.local}}}, tasks)
				require.NoError(b, err)
			}
			m := r.Metrics()
			b.ReportMetric(m.MeanWait, "mean-wait-ticks")
			b.ReportMetric(m.Utilisation, "utilisation")
			b.ReportMetric(float64(r.LongQueue), "longest-queue")
			b.ReportMetric(float64(r.Operations.Total())/float64(len(tasks)), "calls/task")
		})
	}
}
