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

// words counts words that are about to be read, and reports whether they may be.
func (j *job) words(words int64) bool {
	j.effort.Words += words
	steps := 1 + words/wordsPerStep
	if steps > effort.Chunk {
		return grant(&j.meter, steps)
	}
	return j.meter.Go(int(steps))
}

// spent returns the work of the search so far.
func (j *job) spent() Spent {
	e := j.effort
	e.Steps = j.meter.Steps()
	e.Cut = e.Cut || j.meter.Stopped()
	return e
}

// none returns the error of a search without a plan, beside its Spent: there is no plan, or the
// search was stopped before it found one.
func (j *job) none() (Plan, error) {
	e := j.spent()
	if e.Cut {
		return Plan{Spent: e}, j.meter.Err()
	}
	return Plan{Spent: e}, bookahead.ErrUnavailable
}

// may asks the meter for so many steps of steps 2 and 3 of Earliest. It leaves spare steps to
// AWMC-T.
func (s *search) may(steps int64) bool {
	m := &s.j.meter
	switch {
	case m.Left()-steps < s.spare:
		s.cut = true
		return false
	case steps > effort.Chunk:
		return grant(m, steps)
	}
	return m.Go(int(steps))
}

// words counts words that are about to be read, and reports whether they may be.
func (s *search) words(words int64) bool {
	s.j.effort.Words += words
	return s.may(1 + words/wordsPerStep)
}

// ended reports whether steps 2 and 3 of Earliest must end.
func (s *search) ended() bool { return s.cut || s.j.meter.Stopped() }

// least returns a time before which no plan ends, whatever is booked: the data goes over free
// links, and the work begins as soon as the data arrives. It does not ask the pools, since
// there may be no steps left.
func (n *Network) least(j *job) bookahead.Time {
	if j.detours != nil && j.meter.Stopped() {
		return 0 // the meter may have stopped the search for the detours
	}
	first := never
	for m := range n.clusters {
		if j.takes[m] == 0 {
			continue
		}
		delay, burst := n.reach(j, m).away[j.Source], j.burst
		if n.clusters[m].Node == j.Source {
			burst = 0
		}
		if delay != unreachable {
			first = min(first, plus(plus(plus(n.floor(j, delay), delay), burst), j.takes[m]))
		}
	}
	return bookahead.Time(plus(int64(n.now), first))
}

// plus adds numbers of 0 or more. Sums above never are never.
func plus(a, b int64) int64 {
	if a > never-b {
		return never
	}
	return a + b
}
