package desk

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead/scheduletest"
)

// model runs commands that rapid draws, and checks everything after each.
func model(t *rapid.T, do doer, ops *int) {
	d := &drawer{n: func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") }}
	d.strict = d.one(2)
	w := open(t, d, do)
	for range rapid.IntRange(1, 60).Draw(t, "commands") {
		c := d.command()
		t.Logf("%s %+v", c.verb(), c)
		*ops++
		require.NoError(t, w.run(c, true))
	}
}

// TestModel compares a desk with the oracle, in short runs that can be made shorter.
func TestModel(t *testing.T) {
	ops := 0
	rapid.Check(t, func(t *rapid.T) { model(t, (*Desk).Do, &ops) })
	t.Logf("%d commands", ops)
}

// long is a long run on one desk and its clones, each beside an oracle.
type long struct {
	drawer
	t     require.TestingT
	twins []*world
	x     *world // one of them, on which all goes on
	tally map[string]int
	seed  uint64
}

func newLong(t require.TestingT, seed uint64, do doer) *long {
	rng := rand.New(rand.NewPCG(seed, 1))
	l := &long{t: t, drawer: drawer{n: rng.IntN, strict: seed%2 == 1, free: seed%4 < 2}, tally: map[string]int{}, seed: seed}
	l.x = open(t, &l.drawer, do)
	l.twins = []*world{l.x}
	return l
}

// step carries a command out. Every twentieth is checked closely.
func (l *long) step() {
	if l.one(150) {
		if len(l.twins) == 3 {
			l.twins = []*world{l.x}
		}
		l.twins = append(l.twins, l.x.clone())
		l.x = l.twins[l.n(len(l.twins))]
		l.o = l.x.o
	}
	c := l.command()
	last, given := l.x.o.events, l.x.o.given
	err := l.x.run(c, l.one(20))
	if err != nil {
		require.NoError(l.t, err, "run %d, at %d: %+v\nBookings: %v", l.seed, l.o.now, c, l.o)
	}
	l.tally[formOf(c)]++
	l.tally["granted"] += l.x.o.given - given
	if l.x.o.events > last {
		l.tally[formOf(c)+" done"]++
	}
}

// formOf returns the verb of a command; of a BookSeries with all, partly or shift.
func formOf(c Command) string {
	k, ok := c.(BookSeries)
	switch {
	case !ok:
		return c.verb()
	case k.Partly:
		return k.verb() + " partly"
	case k.Shift > 0:
		return k.verb() + " shift"
	}
	return k.verb() + " all"
}

// A drawn Book never needs its Force: the oracle knows of nobody who gives way, so it would refuse a Book that
// the desk carries out. A retry becomes such a Book when its first Book was refused, or is forgotten.
func TestDrawnBooksNeedNoForce(t *testing.T) {
	l := newLong(t, 1, (*Desk).Do)
	full := Book{Request: Request{Ready: l.o.now, Deadline: l.o.now + 5, Shapes: []Shape{{{On: "pool", Units: 5, Duration: 5}}}}}
	require.NoError(t, l.x.run(full, true))
	refused := full
	refused.Key = "refused"
	known := full
	known.Key = "known"
	known.Deadline = 0 // there is room later
	require.NoError(t, l.x.run(known, true))
	forced := 0
	for range 2000 {
		l.asked = []Book{refused, known}
		c := l.book().(Book)
		if c.Force != Nobody {
			forced++
			require.NotEqual(t, unavailable, l.o.book(c).error, "%+v", c)
		}
	}
	require.Positive(t, forced)
}

// TestLongRuns compares a desk with the oracle: an eighth as many commands as BOOKAHEAD_OPS says, and at least
// a million if it asks for a million.
func TestLongRuns(t *testing.T) {
	want, ops := scheduletest.Operations(), 0
	if want < 1_000_000 {
		want /= 8
	}
	tally := map[string]int{}
	began := time.Now()
	for seed := uint64(0); ops < want && !t.Failed(); seed++ {
		l := newLong(t, seed, (*Desk).Do)
		for range min(2000, want-ops) {
			l.step()
			ops++
		}
		require.NoError(t, l.x.audit())
		for k, n := range l.tally {
			tally[k] += n
		}
		for k, n := range l.o.forms {
			tally["form "+k] += n
		}
	}
	for _, form := range []string{"bookSeries all", "bookSeries partly", "bookSeries shift", "continue", "cancelSeries", "batch"} {
		done := tally[form+" done"]
		require.True(t, ops < 10_000 || done > 0 && done < tally[form], "%s: %d of %d done", form, done, tally[form])
	}
	t.Logf("%d commands agree with the oracle, %.0f a second: %v", ops, float64(ops)/time.Since(began).Seconds(), fmt.Sprint(tally))
}
