package desk

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

const (
	huntCalls  = 30       // of one history
	huntEffort = 1 << 16  // of each call
	huntBytes  = 16 << 20 // that one call may allocate
	huntLimit  = 20 * time.Second
)

// huntConfig has limits by which no schedule and no series is large.
func (h *hunter) config() Config {
	return Config{
		Keep: bookahead.Duration(from[int64](h, 0, 5, 1<<40, 1<<61)), Effort: from[int64](h, 1<<8, 1<<12, huntEffort),
		Limits: Limits{Servers: 1 << 10, Nodes: 64, Open: 64, Occurrences: 64, Parts: 256},
	}
}

// called is a call of a history: a command, or a query that an Effort bounds or its answer.
type called struct {
	name    string
	command Command
	args    any
	query   func(d *Desk, e bookahead.Effort) error
}

func (c *called) String() string {
	if c.command != nil {
		return fmt.Sprintf("%#v", c.command)
	}
	return fmt.Sprintf("%s(%#v)", c.name, c.args)
}

// call draws a call: three of four are commands.
func (h *hunter) call() called {
	if !h.one(4) {
		c := h.command(false)
		return called{name: c.verb(), command: c}
	}
	ask := func(name string, args any, query func(d *Desk, e bookahead.Effort) error) called {
		return called{name: name, args: args, query: query}
	}
	w, on, r := h.span(), h.on(), h.request()
	switch h.n(14) {
	case 0, 1:
		return ask("Search", r, func(d *Desk, e bookahead.Effort) error { _, err := d.Search(r, e); return err })
	case 2, 3:
		return ask("Why", r, func(d *Desk, e bookahead.Effort) error { _, err := d.Why(r, e); return err })
	case 4, 5:
		v := Vary{Until: max(0, h.time())}
		p := &r.Shapes[0][0]
		if h.one(2) {
			r.Shapes = []Shape{{*p}}
			v.On, v.Units = from(h, nil, []string{"line"}, []string{h.on()}), Down(p.Units, 1, 1+h.num()/2)
			v.Durations = Down(p.Duration, 1, 1+h.ticks()/2)
			v.Units, v.Durations = v.Units[:min(8, len(v.Units))], v.Durations[:min(8, len(v.Durations))]
		}
		return ask("Alternatives", []any{r, v}, func(d *Desk, e bookahead.Effort) (last error) {
			for _, err := range d.Alternatives(r, v, e) {
				last = err
			}
			return last
		})
	case 6:
		return ask("Free", []any{w, r.Shapes[0][0]}, func(d *Desk, _ bookahead.Effort) error { _, err := d.Free(w, r.Shapes[0][0]); return err })
	case 7:
		return ask("Use", []any{w, on}, func(d *Desk, e bookahead.Effort) error { _, err := d.Use(w, on, e); return err })
	case 8:
		return ask("Capacity", []any{w, on}, func(d *Desk, _ bookahead.Effort) error { _, err := d.Capacity(w, on); return err })
	case 9:
		servers := from(h, nil, h.servers())
		return ask("InTheWay", []any{w, on, servers}, func(d *Desk, _ bookahead.Effort) error {
			_, err := d.InTheWay(on, w, servers)
			_, over := d.Overbooked(on, w)
			return cmp.Or(err, over)
		})
	case 10:
		f := Filter{Window: from(h, w, bookahead.Interval{}), On: from(h, "", on), Owner: h.who(), Label: from(h, "", "blue"), Series: from(h, 0, 0, h.series())}
		return ask("Bookings", f, func(d *Desk, e bookahead.Effort) (last error) {
			for _, err := range d.Bookings(f, e) {
				last = err
			}
			return last
		})
	case 11:
		owner := h.who()
		return ask("QuotaUse, OverQuota", []any{owner, w}, func(d *Desk, _ bookahead.Effort) error {
			_, _, err := d.QuotaUse("q", owner, w)
			_ = d.OverQuota()
			return err
		})
	case 12:
		return ask("Schedule", []any{w, on}, func(d *Desk, _ bookahead.Effort) error {
			_, err := d.Schedule(on, w)
			_, none := d.Machine(on, w)
			return cmp.Or(err, none)
		})
	default:
		return ask("lists", nil, func(d *Desk, _ bookahead.Effort) error {
			_, _, _, _ = d.Schedules(), d.AllSeries(), d.Outages(""), d.Quotas()
			_ = slices.Collect(d.Waiting())
			for _, err := range d.Bookings(Filter{}, bookahead.Effort{}) {
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// hunt is a history that is played.
type hunt struct {
	hunter
	calls  []called
	strict bool  // each call is checked: its bytes, and that an error changes nothing
	twin   *Desk // has the same entries as a replay has them; nil if the hunt is not strict
}

func newHunt(n func(int) int, strict bool) *hunt {
	h := &hunt{hunter: hunter{n: n}, strict: strict}
	h.tame = from(&h.hunter, 2, 5, 7, 8)
	c := h.config()
	h.d = &Desk{b: newBooks(c)}
	if strict {
		h.twin = &Desk{b: newBooks(c)}
	}
	return h
}

// seeded returns the draws of a seed.
func seeded(seed uint64) func(int) int { return rand.New(rand.NewPCG(seed, 37)).IntN }

// play draws and makes all calls, and tells how long each took, and its error.
func (h *hunt) play(t require.TestingT, told func(i int, took time.Duration, err error)) {
	watch := time.AfterFunc(huntLimit, func() { panic("a call does not end:\n" + h.String()) })
	defer watch.Stop()
	defer func() {
		r := recover()
		if r != nil {
			panic(fmt.Sprintf("%v\nafter:\n%s", r, h))
		}
	}()
	open := h.kinds()
	for i := range len(open) + huntCalls {
		c := called{}
		if i < len(open) {
			c = called{name: "addSchedule", command: open[i]}
		} else {
			c = h.call()
		}
		h.calls = append(h.calls, c)
		began := time.Now()
		err := h.make(t, &c)
		if told != nil {
			told(i, time.Since(began), err)
		}
	}
	if h.strict {
		require.NoError(t, h.d.Verify(), "%s", h)
		require.Equal(t, written(t, h.d), written(t, h.twin), "%s", h)
	}
}

// make makes one call.
func (h *hunt) make(t require.TestingT, c *called) error {
	if !h.strict {
		return c.on(h.d)
	}
	before := written(t, h.d)
	from := allocated()
	err := c.on(h.d)
	bytes := allocated() - from
	if countsBytes {
		require.Less(t, bytes, uint64(huntBytes), "%s", h)
	}
	if c.command == nil || err != nil {
		require.Equal(t, before, written(t, h.d), "%v changes the desk\n%s", err, h)
	}
	known := err == nil || errors.Is(err, bookahead.ErrInvalid) || errors.Is(err, bookahead.ErrUnavailable) || errors.Is(err, bookahead.ErrNotFound) || errors.Is(err, bookahead.ErrStopped)
	require.True(t, known, "%v\n%s", err, h)
	if c.command != nil {
		e, failed := h.twin.Decide(c.command)
		require.Equal(t, err, failed, "%s", h)
		if err == nil {
			_, failed = h.twin.Apply(e)
			require.NoError(t, failed, "%s", h)
		}
	}
	return err
}

// outcomeOf names the kind of an error.
func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, bookahead.ErrStopped):
		return "given up"
	case errors.Is(err, bookahead.ErrInvalid):
		return "invalid"
	}
	return "refused"
}

// on makes the call on a desk.
func (c *called) on(d *Desk) error {
	if c.command != nil {
		_, err := d.Do(c.command)
		return err
	}
	return c.query(d, bookahead.Effort{})
}

// String formats the history, one call in each line.
func (h *hunt) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%#v\n", h.d.b.config)
	for i := range h.calls {
		fmt.Fprintf(&b, "%d: %s\n", i, &h.calls[i])
	}
	return b.String()
}

// allocated returns how many bytes were ever allocated.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// slow is a call of a history by its seed.
type slow struct {
	seed uint64
	call int
	took time.Duration
}

// looks plays a history again, up to a call, and counts the steps of that call. A query takes the least Effort that
// suffices for it.
func (x slow) looks(t require.TestingT) (steps int64, call string) {
	h := newHunt(seeded(x.seed), false)
	stop := errors.New("the call")
	var before *Desk
	func() {
		defer func() {
			r := recover()
			if r != nil && !strings.Contains(fmt.Sprint(r), stop.Error()) {
				panic(r)
			}
		}()
		h.play(t, func(i int, _ time.Duration, _ error) {
			switch i {
			case x.call - 1:
				before = h.d.Clone()
			case x.call:
				panic(stop)
			}
		})
	}()
	c := h.calls[x.call]
	if before == nil {
		return 0, c.String()
	}
	if c.command != nil {
		steps, _ := stepsOf(before, c.command)
		return min(steps, before.b.config.Effort), c.String()
	}
	least, most := int64(0), before.b.config.Effort
	for least < most {
		mid := (least + most) / 2
		if mid > 0 && !errors.Is(c.query(before, bookahead.Effort{Steps: mid}), bookahead.ErrStopped) {
			most = mid
		} else {
			least = mid + 1
		}
	}
	return least, c.String()
}

// Histories with numbers at the edges: each call ends, within its steps and bytes, and changes nothing if it fails.
func TestHuntAtTheEdges(t *testing.T) {
	histories := max(200, scheduletest.Operations()/50)
	var slowest []slow
	calls, outcomes := 0, map[string]int{}
	for seed := range uint64(histories) {
		h := newHunt(seeded(seed), seed%16 == 0)
		h.play(t, func(i int, took time.Duration, err error) {
			calls++
			outcomes[h.calls[i].name+" "+outcomeOf(err)]++
			if len(slowest) < 10 || took > slowest[9].took {
				slowest = append(slowest, slow{seed, i, took})
				slices.SortFunc(slowest, func(a, b slow) int { return cmp.Compare(b.took, a.took) })
				slowest = slowest[:min(10, len(slowest))]
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for _, name := range verbs[1:] {
		require.NotZero(t, outcomes[name+" done"], "%s: %v", name, outcomes)
	}
	t.Logf("%d histories, %d calls: %v; the slowest:", histories, calls, outcomes)
	for _, x := range slowest {
		if testing.Verbose() {
			steps, call := x.looks(t)
			t.Logf("%v, %d looks, seed %d, call %d: %.600s", x.took, steps, x.seed, x.call, call)
		}
	}
}

// FuzzHunt plays a history that its bytes draw.
func FuzzHunt(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add(bytes.Repeat([]byte{250, 3, 77, 140}, 200))
	f.Fuzz(func(t *testing.T, data []byte) {
		at := 0
		rest := seeded(uint64(len(data)))
		n := func(n int) int {
			if at == len(data) {
				return rest(n)
			}
			at++
			return int(data[at-1]) % n
		}
		newHunt(n, true).play(t, nil)
	})
}
