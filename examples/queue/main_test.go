package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/plan"
)

func Example() {
	main()
	// Output:
	// Mon 10:11 job g1 overruns, and is expected to end at Mon 10:26
	// Mon 11:00 job large is delayed from Mon 12:22 to Mon 14:00 by an outage
	// Mon 11:00 job g3 has lost its node, and waits again
	// Mon 11:54 job g8 overruns, and is expected to end at Mon 12:05
	// Mon 12:00 job large is delayed from Mon 14:00 to Mon 14:20 by an outage
	// Mon 12:00 the forecast:
	//   large promised Mon 14:20 to Mon 18:20 on [4 5 6 7 8 9 10 11]
	//   g11   waiting  Mon 15:00 to Mon 18:30 on [0 1]
	//   g12   waiting  Mon 18:20 to Mon 20:50 on [4 5 6]
	//   g15   waiting  Mon 18:20 to Mon 19:50 on [8 9 10 11]
	//   g16   waiting  Mon 15:00 to Mon 19:30 on [2]
	//   g18   waiting  Mon 19:30 to Mon 20:30 on [0 1 2 3]
	//   g20   waiting  Mon 15:00 to Mon 17:30 on [3]
	//   job large waits for gpus: job g8 until Mon 4 Jan 12:05, job g2 until Mon 4 Jan 12:22, job g19 until Mon 4 Jan 12:59, and 8 more; it is promised to start at Mon 4 Jan 14:20
	//   job g11 waits for gpus: job g17 until Mon 4 Jan 13:07, job g3 until Mon 4 Jan 14:00, job g14 until Mon 4 Jan 14:34, and 2 more; it is not expected to start before Mon 4 Jan 15:00
	//   job g12 waits for gpus: job g17 until Mon 4 Jan 13:07, job g3 until Mon 4 Jan 14:00, job g14 until Mon 4 Jan 14:34, and 2 more; it is not expected to start before Mon 4 Jan 15:00
	// Mon 12:22 job g2 overruns, and is expected to end at Mon 12:52
	// Mon 14:00 job g3 overruns, and is expected to end at Mon 14:22
	// Mon 14:00 job g3 has lost its node, and waits again
	// Mon 14:00 job g9 has lost its node, and waits again
	// Mon 14:00 the large job starts, on nodes [4 5 6 7 8 9 10 11]
	// under first fit the large job starts at Tue 09:08, with a promise at Mon 14:00
}

// The picture has the three looks of jobs, and the drain.
func TestPicture(t *testing.T) {
	chart := gantt.Chart{Window: bookahead.Interval{Start: hour, End: 14 * hour}}
	day(plan.EASY(1), io.Discard, &chart)
	var svg bytes.Buffer
	_, err := chart.WriteTo(&svg)
	require.NoError(t, err)
	for _, look := range []string{`"bar"`, `"bar held"`, `"bar expected"`, `"closed"`} {
		require.Contains(t, svg.String(), "class="+look)
	}
}
