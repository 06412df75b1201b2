package desk

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/account"
	"github.com/bookahead/bookahead/scheduletest"
)

// ruled is a random run with Force and outages on a small desk under quotas.
type ruled struct {
	*giving
	do doer
}

// next returns a command of one of three owners, or one that sets a quota.
func (g *ruled) next() Command {
	owner := []string{"ann", "bob", "cy"}[g.rng.IntN(3)]
	if g.one(12) {
		return g.quota()
	}
	switch c := g.command().(type) {
	case Book:
		c.Owner = owner
		return c
	case Change:
		k, err := g.d.Booking(c.ID)
		if err == nil && !g.one(6) {
			owner = k.Owner
		}
		c.To.Owner = owner
		return c
	default:
		return c
	}
}

func (g *ruled) quota() Command {
	c := SetQuota{Name: []string{"a", "b", "c"}[g.rng.IntN(3)]}
	c.Each = g.one(2)
	if g.one(3) {
		c.Owners = []string{"ann", "bob"}
	}
	if g.one(3) {
		c.On = []string{"p", "q", "s"} // all of each broker
	}
	switch g.rng.IntN(5) {
	case 4:
		c.None = g.one(2)
	case 0:
		c.Units = 2 + g.upTo(4)
	case 1:
		c.Ticks, c.Window = 10+g.upTo(20), 1+g.ticks(12)
	case 2:
		c.Ticks, c.Every = 10+g.upTo(20), 1+g.ticks(12)
	case 3:
		at := g.d.Now() + bookahead.Time(g.upTo(6))
		c.Ticks, c.Periods = 10+g.upTo(10), []bookahead.Interval{{Start: at, End: at + 1 + bookahead.Time(g.upTo(12))}}
	}
	return c
}

// tapes returns the use of each account in each tick, counted from the bookings one by one.
func (g *ruled) tapes() map[account.Key]*tape {
	all := map[account.Key]*tape{}
	for _, q := range g.d.b.rules {
		for r := range g.d.Bookings(Filter{}, bookahead.Effort{}) {
			k, _ := g.d.b.booking(r.ID)
			if !q.Counts(k.Owner, k.Labels) {
				continue
			}
			of := q.Key(k.Owner)
			if all[of] == nil {
				all[of] = newTape(g.d.Now())
			}
			for _, u := range g.d.b.usesOf(nil, q, k) {
				all[of].add(u.Interval, u.Amount)
			}
		}
	}
	return all
}

// broken names a quota that a command has broken, or broken further; it returns "" if there is none.
func (g *ruled) broken(before, after map[account.Key]*tape) string {
	o := &ideal{now: g.d.Now()}
	for _, q := range g.d.b.rules {
		for of, now := range after {
			was := before[of]
			if was == nil {
				was = newTape(g.d.Now())
			}
			if of == q.Key(of.Owner) && o.beyond(&limit{SetQuota: q.set}, was, now) {
				return fmt.Sprintf("quota %+v of %q", q.set, of.Owner)
			}
		}
	}
	return ""
}

// play does commands until one breaks a quota, and returns its name. moved is how many bookings were placed anew.
func (g *ruled) play(n int) (moved int, broken string) {
	for range n {
		c := g.next()
		before := g.tapes()
		at := g.d.Now()
		e, err := g.d.Decide(c)
		if err == nil {
			for _, m := range e.Decision.Moved {
				moved += min(1, len(m.Places))
			}
		}
		_, err = g.do(g.d, c)
		_, sets := c.(SetQuota)
		if err != nil || sets || g.d.Now() != at {
			continue
		}
		broken = g.broken(before, g.tapes())
		if broken != "" {
			return moved, fmt.Sprintf("%#v breaks %s\n%+v", c, broken, e.Decision)
		}
		require.NoError(g, g.d.Verify())
	}
	return moved, ""
}

// TestForceAndOutagesKeepToQuotas checks that no command breaks a quota that was not broken before, nor breaks it further:
// bookings that give way, or leave an outage, are placed anew where the quotas of their owners allow it.
func TestForceAndOutagesKeepToQuotas(t *testing.T) {
	moved := 0
	for seed, left := uint64(0), scheduletest.Operations()/20; left > 0 || moved == 0 && seed < 100; seed++ {
		n := max(20, min(left, 80))
		g := &ruled{newGiving(t, seed), (*Desk).Do}
		m, broken := g.play(n)
		require.Empty(t, broken, "seed %d", seed)
		moved += m
		left -= n
	}
	t.Log(moved, "placed anew")
	require.Positive(t, moved)
}

// TestForceBeyondAQuotaIsCaught checks that the test before fails if the quotas are not asked where
// bookings leave an outage.
func TestForceBeyondAQuotaIsCaught(t *testing.T) {
	blind := misruled(func(q *quotaRule) { q.Bounds.Units, q.Bounds.Ticks, q.Bounds.None = 0, 0, false })
	for seed := uint64(0); seed < 1000; seed++ {
		g := &ruled{newGiving(t, seed), func(d *Desk, c Command) (Outcome, error) {
			_, closes := c.(Close)
			if closes {
				return blind(d, c)
			}
			return d.Do(c)
		}}
		_, broken := g.play(80)
		if broken != "" {
			return
		}
	}
	t.Fatal("nothing was broken")
}
