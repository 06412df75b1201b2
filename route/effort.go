package route

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// Spent counts the work of a query, alike on every machine unless a context ended the query. The
// bookahead.Effort of the query limits the work.
type Spent struct {
	Labels int64 // paths that were made and looked at
	Words  int64 // 64-bit words of availability vectors read; of a list, two for each run
	// Steps counts against bookahead.Effort.Steps. A look at a link or a label, or at another
	// label to compare a label with, is a step, and so are 32 words.
	Steps int64
	// Cut says that the search was stopped by its Effort: there may be a better answer. If Cut
	// is false, the answer is proven: no answer is better in the search's order.
	Cut bool
}

// defaultSteps is the number of steps of a search whose Effort sets none. Of all searches, SAMCRA and
// Pareto keep the most for a step: 67 bytes were measured for two weights, where most labels are
// kept. So 2^24 steps take about 1 GB; the bookahead.DefaultSteps would take 9 GB.
const defaultSteps = 1 << 24

// meter returns the meter of a search.
func meter(e bookahead.Effort) (effort.Meter, error) {
	if e.Steps == 0 {
		e.Steps = defaultSteps
	}
	return effort.New(e)
}

// wordsPerStep is how many words are read in the time of a step.
const wordsPerStep = 32

// grant asks for a number of steps that may be more than a chunk.
func grant(m *effort.Meter, steps int64) bool {
	for ; steps > effort.Chunk; steps -= effort.Chunk {
		if !m.Go(effort.Chunk) {
			return false
		}
	}
	return m.Go(int(steps))
}
