package main

import (
	"time"

	"github.com/bookahead/bookahead/bench/replay"
)

const (
	// slower is how many times the time of the first structure another may take.
	slower = 10
	// again is the time after which a schedule that was weighed once is not weighed
	// again: the little that the runtime allocates meanwhile changes the
	// bytes of small schedules only.
	again = time.Second
)

// limit bounds the time of one structure: that of its replay and of its weighings.
type limit struct {
	began    time.Time
	most     time.Duration // 0 means no bound
	weighing time.Time     // when the first weighing began
}

// over reports whether the structure has no time left now for a step. The replay gets two
// fifths of the time, so that the same bookings can be replayed again for the weighing.
func (l *limit) over(now time.Time, s replay.Step) bool {
	if s.Pass == 1 && s.Done == 0 {
		l.weighing = now
	}
	if s.Pass > 1 && now.Sub(l.weighing) > again {
		return true
	}
	if l.most == 0 {
		return false
	}
	if s.Pass == 0 {
		return now.Sub(l.began) >= l.most/5*2
	}
	return now.Sub(l.began) >= l.most
}
