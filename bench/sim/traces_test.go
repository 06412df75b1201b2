package sim

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/plan"
)

// TestTraces runs real traces from end to end, every job a batch task: all of them
// end, the promises of EASY and Conservative are kept, and their metrics are shown.
// BOOKAHEAD_DATA is a folder with swf/*.swf.gz from the Parallel Workloads Archive.
func TestTraces(t *testing.T) {
	root := os.Getenv("BOOKAHEAD_DATA")
	if root == "" {
		t.Skip("BOOKAHEAD_DATA, the folder of the data, is not set")
	}
	for _, trace := range []string{"KTH-SP2-1996", "CTC-SP2-1996", "SDSC-SP2-1998-proxy", "HPC2N-2002"} {
		l, err := swf.Load(filepath.Join(root, "swf", trace+".swf.gz"))
		require.NoError(t, err)
		in := workload.FromSWF(l, 0, nil)
		tasks := FromJobs(in.Jobs)
		for _, fill := range []plan.Backfill{plan.FirstFit(), plan.EASY(1), plan.Conservative()} {
			s, err := carts.NewIndexed(in.Procs, carts.Config{})
			require.NoError(t, err)
			began := time.Now()
			r, err := Run(Config{Providers: []Provider{{s, in.Procs, Local{Backfill: fill}}}}, tasks)
			took := time.Since(began)
			require.NoError(t, err)
			m := r.Metrics()
			t.Logf("%s %T: %d jobs in %.2f s; mean wait %.0f s, longest queue %d, utilisation %.3f, %.1f calls a job",
				trace, fill, len(tasks), took.Seconds(), m.MeanWait, r.LongQueue, m.Utilisation,
				float64(r.Operations.Total())/float64(len(tasks)))
			require.Zero(t, m.Rejected)
			for i, o := range r.Outcomes {
				require.True(t, o.Promised == Never || o.Start <= o.Promised, "task %d: %+v", i, o)
			}
		}
	}
}
