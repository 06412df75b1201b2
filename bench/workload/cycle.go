package workload

import (
	"math"

	"github.com/bookahead/bookahead"
)

const (
	halfHour  = 1800 // seconds
	halfHours = 48   // in a day
	dayStart  = 11   // the half hour with which the density of a day begins
)

// cycle is a clock that runs fast at night and slow by day, so that submissions that are
// spread evenly by this clock fall mostly into the day. It shows points: each half
// hour has as many points as its weight, and a day has 48.
type cycle struct {
	weights [halfHours]float64
	bucket  int64   // half hours since the start, which is at midnight
	spent   float64 // points of the running half hour
}

// newCycle returns a clock whose weights follow the gamma distribution of shape
// a and scale b, counted in half hours.
func newCycle(a, b float64) cycle {
	var c cycle
	sum := 0.0
	for i := dayStart; i < dayStart+halfHours; i++ {
		w := gammaMass(a, b, float64(i)-0.5, float64(i)+0.5)
		c.weights[(i-1)%halfHours] = w
		sum += w
	}
	for i := range c.weights {
		c.weights[i] *= halfHours / sum
	}
	return c
}

// pass lets points >= 0 go by, and returns the time then. O(1).
func (c *cycle) pass(points float64) bookahead.Time {
	days := math.Floor(points / halfHours)
	c.bucket += int64(days) * halfHours
	c.spent += points - days*halfHours
	for c.spent >= c.weight() {
		c.spent -= c.weight()
		c.bucket++
	}
	return bookahead.Time(halfHour * (float64(c.bucket) + c.spent/c.weight()))
}

func (c *cycle) weight() float64 { return c.weights[c.bucket%halfHours] }
