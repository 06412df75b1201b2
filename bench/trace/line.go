package trace

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/replay"
)

// Line is the line that a driver prints of a run; the package comment explains its numbers.
type Line struct {
	Planner, Trace string
	Operations, Of int
	Answers        int // reserves and searches
	Accepted       int
	Checksum       uint64
	Seconds        float64

	Reserve, Search, Release, Advance Timing
}

// Timing is the cost of the calls of one kind, in nanoseconds; all 0 if there were none.
type Timing struct{ Mean, Median, P99 float64 }

// TimingOf returns the mean and two percentiles of calls. It does not reorder the calls.
func TimingOf(took []time.Duration) Timing {
	c := replay.CostOf(took)
	return Timing{float64(c.Mean), float64(c.Median), float64(c.P99)}
}

// Checksum returns the checksum of the answers, TurnedAway among them. O(n).
func Checksum(starts []bookahead.Time) uint64 {
	sum := uint64(14695981039346656037)
	for _, s := range starts {
		sum = (sum ^ uint64(s)) * 1099511628211
	}
	return sum
}

// cost returns the field with the timing of a kind. A kind without one gets a field that nobody reads.
func (l *Line) cost(k Kind) *Timing {
	switch k {
	case Reserve:
		return &l.Reserve
	case Search:
		return &l.Search
	case Release:
		return &l.Release
	case Advance:
		return &l.Advance
	}
	return new(Timing)
}

// timed are the kinds of calls whose times stand in a line, in their order.
var timed = []Kind{Reserve, Search, Release, Advance}

// String formats the line, without its end.
func (l Line) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "planner=%s trace=%s operations=%d of=%d answers=%d accepted=%d checksum=0x%016x seconds=%s",
		l.Planner, l.Trace, l.Operations, l.Of, l.Answers, l.Accepted, l.Checksum, decimal(l.Seconds, 3))
	for _, k := range timed {
		c := *l.cost(k)
		if c != (Timing{}) {
			fmt.Fprintf(&b, " %v-ns=%s/%s/%s", k, decimal(c.Mean, 1), decimal(c.Median, 1), decimal(c.P99, 1))
		}
	}
	return b.String()
}

// decimal formats a number with at most so many digits behind the point.
func decimal(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'f', digits, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// ParseLine reads a line as String writes it. Its parts may come in any order, and unknown parts
// are passed over. An error names the part.
func ParseLine(text string) (Line, error) {
	var l Line
	parts := map[string]string{}
	for _, part := range strings.Fields(text) {
		key, value, ok := strings.Cut(part, "=")
		_, twice := parts[key]
		if !ok || twice {
			return Line{}, fmt.Errorf("trace: line of results: %.40q is not one key=value", part)
		}
		parts[key] = value
	}
	fail := func(key, reason string) error {
		return fmt.Errorf("trace: line of results: %s: %.40q %s", key, parts[key], reason)
	}
	for key, p := range map[string]*string{"planner": &l.Planner, "trace": &l.Trace} {
		*p = parts[key]
		if *p == "" || !word(*p) {
			return Line{}, fail(key, "is no word")
		}
	}
	for _, key := range []string{"operations", "of", "answers", "accepted"} {
		n, err := strconv.ParseInt(parts[key], 10, 0)
		if err != nil || n < 0 {
			return Line{}, fail(key, "is not a number from 0 on")
		}
		*map[string]*int{"operations": &l.Operations, "of": &l.Of, "answers": &l.Answers, "accepted": &l.Accepted}[key] = int(n)
	}
	if l.Accepted > l.Answers || l.Answers > l.Operations || l.Operations > l.Of {
		return Line{}, fail("operations", "does not lie between answers and of, or accepted is more than answers")
	}
	var err error
	l.Checksum, err = strconv.ParseUint(parts["checksum"], 0, 64)
	if err != nil {
		return Line{}, fail("checksum", "is not a number of 64 bits")
	}
	l.Seconds, err = positive(parts["seconds"])
	if err != nil {
		return Line{}, fail("seconds", "is not a number from 0 on")
	}
	for _, k := range timed {
		key := k.String() + "-ns"
		if value, ok := parts[key]; ok && !l.cost(k).parse(value) {
			return Line{}, fail(key, "is not mean/median/p99")
		}
	}
	return l, nil
}

// parse reads three numbers.
func (t *Timing) parse(text string) bool {
	words := strings.Split(text, "/")
	if len(words) != 3 {
		return false
	}
	for i, p := range []*float64{&t.Mean, &t.Median, &t.P99} {
		x, err := positive(words[i])
		if err != nil {
			return false
		}
		*p = x
	}
	return true
}

// positive reads a finite number from 0 on.
func positive(word string) (float64, error) {
	x, err := strconv.ParseFloat(word, 64)
	if err == nil && !(x >= 0 && x < 1e300) {
		err = strconv.ErrRange
	}
	return x, err
}
