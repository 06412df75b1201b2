package gantt

import (
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Axis says how times are written, and where they may be. The zero value writes
// the numbers of ticks, at round numbers.
type Axis struct {
	// Format writes a time, in a few letters; nil writes the number of the tick.
	// What it writes is cut after 24 letters.
	Format func(bookahead.Time) string
	// Steps are the distances at which times may be marked, ascending: the
	// smallest is taken at which the labels do not touch, or a round multiple of
	// the last. Nil means 1, 2, 5, 10, 20, and so on.
	Steps []bookahead.Duration
	// Origin is where the steps are counted from.
	Origin bookahead.Time
}

// WallClock is an axis of dates and hours: steps from a second to a week, counted
// from the midnight before the clock's Epoch, in whose location times are written.
// Midnights are written as "Mon 2 Jan", other times as "15:04". A day is 24 hours:
// once that location's clocks have been changed, the days begin an hour off, which
// is written as "Mon 2 Jan 01:00". The error wraps bookahead.ErrInvalid if the
// clock's Tick is negative. O(1).
func WallClock(c bookahead.Clock) (Axis, error) {
	day := time.Date(c.Epoch.Year(), c.Epoch.Month(), c.Epoch.Day(), 0, 0, 0, 0, c.Epoch.Location())
	origin, err := c.Ceil(day)
	if err != nil {
		return Axis{}, err
	}
	a := Axis{Origin: origin, Format: func(t bookahead.Time) string {
		wall, err := c.Wall(t)
		switch {
		case err != nil:
			return strconv.FormatInt(int64(t), 10)
		case wall.Hour() == 0 && wall.Minute() == 0 && wall.Second() == 0:
			return wall.Format("Mon 2 Jan")
		case wall.Sub(day)%(24*time.Hour) == 0:
			return wall.Format("Mon 2 Jan 15:04")
		case wall.Second() == 0:
			return wall.Format("15:04")
		}
		return wall.Format("15:04:05")
	}}
	tick := c.Tick
	if tick == 0 {
		tick = time.Second
	}
	for _, d := range []time.Duration{
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
		24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour,
	} {
		if d%tick == 0 {
			a.Steps = append(a.Steps, bookahead.Duration(d/tick))
		}
	}
	return a, nil
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

// marks returns the times to mark in w if at most so many letters fit side by
// side, with as much between two labels as gap letters take. Where no step is in
// sight, the start of w is marked.
func (a *Axis) marks(w bookahead.Interval, letters, gap int) []mark {
	for step := range a.steps {
		first, n := a.multiples(w, step)
		if n > uint64(letters/(gap+1)) {
			continue
		}
		marks := make([]mark, n)
		widest := 0
		for i := range marks {
			t := first + bookahead.Time(uint64(i)*uint64(step))
			marks[i] = mark{t, a.format(t)}
			widest = max(widest, utf8.RuneCountInString(marks[i].label))
		}
		if n > 1 && scale(w.Start+bookahead.Time(step), w, letters) < widest+gap {
			continue
		}
		if n > 0 {
			return marks
		}
		break
	}
	return []mark{{w.Start, a.format(w.Start)}}
}

// multiples returns the first time in w that is a whole number of steps from the
// origin, and how many there are.
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
		if last = s; !yield(s) {
			return
		}
	}
	for base := last; ; base *= 10 {
		for _, by := range []bookahead.Duration{1, 2, 5} {
			if s := base * by; s/by != base || !yield(s) {
				return
			}
		}
		if base > bookahead.Duration(bookahead.MaxTime)/10 {
			return
		}
	}
}
