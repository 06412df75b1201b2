package gantt

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Axis chooses the times that are marked, and writes them. The zero value marks
// round numbers of ticks.
type Axis struct {
	// Format writes a time in a few letters, and is cut after 24 letters. Nil writes
	// the number of the tick.
	Format func(bookahead.Time) string
	// Steps are the possible distances between marks, ascending. The smallest step at
	// which labels do not touch is taken, or a round multiple of the last step. Nil
	// means 1, 2, 5, 10, 20, and so on.
	Steps []bookahead.Duration
	// Origin is the time from which steps are counted.
	Origin bookahead.Time

	clock *bookahead.Clock // of WallClock, whose steps begin anew each day; its Tick is not 0
}

func (a *Axis) check() error {
	for i, s := range a.Steps {
		if s < 1 {
			return limits.Invalid(fmt.Sprintf("Axis.Steps[%d]", i), s, "is less than 1")
		}
		if i > 0 && s <= a.Steps[i-1] {
			return limits.Invalid(fmt.Sprintf("Axis.Steps[%d]", i), s, "does not ascend")
		}
	}
	return nil
}

const maxTimeLetters = 24

func (a *Axis) format(t bookahead.Time) string {
	if a.Format == nil {
		return strconv.FormatInt(int64(t), 10)
	}
	return cut(a.Format(t), maxTimeLetters)
}

type mark struct {
	at    bookahead.Time
	label string
}

// marks returns the marks in w, if w is as wide as so many letters and two labels need
// the room of gap letters between them. If no step has a mark in w, the start of w is
// marked.
func (a *Axis) marks(w bookahead.Interval, letters, gap int) []mark {
	for step := range a.steps {
		first, n := a.multiples(w, step)
		if n > uint64(letters/(gap+1)) {
			continue
		}
		marks, widest, nearest := []mark{}, 0, step
		for i, t := range a.times(w, step, first, n) {
			marks = append(marks, mark{t, a.format(t)})
			widest = max(widest, utf8.RuneCountInString(marks[i].label))
			if i > 0 {
				nearest = min(nearest, bookahead.Duration(t-marks[i-1].at))
			}
		}
		if len(marks) > 1 && scale(w.Start+bookahead.Time(nearest), w, letters) < widest+gap {
			continue
		}
		if len(marks) > 0 {
			return marks
		}
		break
	}
	return []mark{{w.Start, a.format(w.Start)}}
}

// times returns the times in w that are whole numbers of steps: n times from the first on, or the times at
// which a wall clock shows whole steps.
func (a *Axis) times(w bookahead.Interval, step bookahead.Duration, first bookahead.Time, n uint64) []bookahead.Time {
	if a.clock != nil {
		times, ok := a.wallTimes(w, step)
		if ok {
			return times
		}
	}
	times := make([]bookahead.Time, n)
	for i := range times {
		times[i] = first + bookahead.Time(uint64(i)*uint64(step))
	}
	return times
}

// multiples returns the first time in w that is a whole number of steps from the
// origin, and the number of such times.
func (a *Axis) multiples(w bookahead.Interval, step bookahead.Duration) (first bookahead.Time, n uint64) {
	s := uint64(step)
	var ahead uint64 // from w.Start to the first multiple
	if w.Start >= a.Origin {
		ahead = (s - (uint64(w.Start)-uint64(a.Origin))%s) % s
	} else {
		ahead = (uint64(a.Origin) - uint64(w.Start)) % s
	}
	length := uint64(w.End) - uint64(w.Start)
	if ahead >= length {
		return 0, 0
	}
	return bookahead.Time(uint64(w.Start) + ahead), (length-ahead-1)/s + 1
}

// steps yields the distances to try, ascending, up to the greatest Duration.
func (a *Axis) steps(yield func(bookahead.Duration) bool) {
	last := bookahead.Duration(1)
	for _, s := range a.Steps {
		last = s
		if !yield(s) {
			return
		}
	}
	for base := last; ; base *= 10 {
		for _, by := range []bookahead.Duration{1, 2, 5} {
			s := base * by
			if s/by != base || !yield(s) { // s/by differs if the product overflows
				return
			}
		}
		if base > bookahead.Duration(bookahead.MaxTime)/10 {
			return
		}
	}
}
