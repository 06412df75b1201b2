package account

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/quota"
)

// worse reports whether there is a tick from now on at which more than a bound is used, and more than before.
func worse(before, after cells, now bookahead.Time, bound int64) bool {
	for t := now; t < axis; t++ {
		if after[t] > bound && after[t] > before[t] {
			return true
		}
	}
	return false
}

// TestTrialAgainstSums moves bookings on a trial, and compares the use of each owner, and whether a bound on units at once is
// broken further, with plain sums. The accounts stay as they are.
func TestTrialAgainstSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := &world{}
		x.now = 10
		for _, name := range []string{"p", "q"} {
			q := drawRule(t)
			q.Name, q.Bounds.Units = name, rapid.Int64Range(1, 4).Draw(t, "units")
			q.Bounds.Ticks = 0 // the rule looks back, but has no bound there
			x.Set(q, nil, x.now)
			x.set(q)
		}
		draw := func() charged {
			return charged{rapid.SampledFrom(owners).Draw(t, "owner"), rapid.SampledFrom([][]string{nil, {"x"}}).Draw(t, "labels"), drawUses(t)}
		}
		for range 3 {
			k := draw()
			x.charge(k, 1)
			x.uses = append(x.uses, k)
		}
		var trial Trial
		moved := x.sums
		for range rapid.IntRange(1, 4).Draw(t, "moves") {
			i := rapid.IntRange(0, len(moved.uses)-1).Draw(t, "booking")
			from, to := moved.uses[i], draw()
			next := moved
			next.uses = slices.Clone(moved.uses)
			next.uses[i] = to

			p := trial.Post(&x.Accounts, x.now)
			parts, want, breaks := 0, 0, false
			only := rapid.SampledFrom([]string{"p", "q", ""}).Draw(t, "asked")
			asked := func(name string) bool { return only == "" || name == only }
			for _, q := range x.rules {
				for sign, k := range map[int64]charged{-1: from, 1: to} {
					if q.Counts(k.owner, k.labels) {
						parts += p.Add(q.Rule, k.owner, k.uses, sign)
						want += len(cut(k.uses, q.Bounds.Since(x.now)))
					}
				}
				for _, owner := range owners {
					was, _ := moved.use(q, owner)
					is, _ := next.use(q, owner)
					breaks = breaks || asked(q.Name) && worse(was, is, x.now, q.Bounds.Units)
				}
			}
			require.Equal(t, want, parts)
			require.Equal(t, breaks, p.Breaks(asked, nil))
			if rapid.Bool().Draw(t, "carried out") {
				trial.Charge(p)
				moved = next
			}
			for _, q := range x.rules {
				for _, owner := range owners {
					want, _ := moved.use(q, owner)
					require.Equal(t, want, cellsOf(trial.Used(&x.Accounts, q.Rule, owner, x.now)))
				}
			}
		}
		x.check(t)
	})
}

// A place beyond a bound may be taken again by the booking that has left it, but by no other booking.
func TestFromAccounts(t *testing.T) {
	var x Accounts
	q := &Rule{Name: "q", Bounds: quota.Bounds{Units: 1}}
	x.Set(q, nil, 0)
	place := []quota.Use{{Interval: bookahead.Interval{Start: 3, End: 5}, Amount: 2}}
	all := func(string) bool { return true }
	x.Charge(q, "ann", place, 1, 0)

	var trial Trial
	out := trial.Post(&x, 0)
	out.Add(q, "ann", place, -1)
	require.False(t, out.Breaks(all, nil))
	trial.Charge(out)
	back := trial.Post(&x, 0)
	back.Add(q, "ann", place, 1)
	require.True(t, back.Breaks(all, nil))
	require.False(t, back.FromAccounts().Breaks(all, nil))
	require.True(t, back.Breaks(all, nil), "FromAccounts returns a copy")
	require.False(t, back.Breaks(func(string) bool { return false }, nil), "the rule is not asked")

	more := trial.Post(&x, 0)
	more.Add(q, "bob", []quota.Use{{Interval: place[0].Interval, Amount: 3}}, 1)
	require.True(t, more.FromAccounts().Breaks(all, nil))
	require.False(t, Postings{}.Breaks(all, nil))
}
