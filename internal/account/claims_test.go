package account

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/quota"
)

// meter returns a meter of so many steps.
func meter(t require.TestingT, steps int64) *effort.Meter {
	m, err := effort.New(bookahead.Effort{Steps: steps})
	require.NoError(t, err)
	return &m
}

// unit returns the claim of a unit for so many ticks on a rule without use.
func unit(ticks bookahead.Time, b quota.Bounds) Claim {
	return Claim{quota.NewClaim(&b, quota.Steps{}, []quota.Use{{Interval: bookahead.Interval{End: ticks}, Amount: 1}}), "q"}
}

// TestNextIsTheFirstStartOfAll compares Next with the first start that each rule allows by itself, of all starts.
func TestNextIsTheFirstStartOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var by cow.Owner
		by.Renew()
		asked := append(drawUses(t), quota.Use{Interval: bookahead.Interval{Start: 1, End: 3}, Amount: 1})
		var list Claims
		for range rapid.IntRange(1, 3).Draw(t, "rules") {
			var has quota.Steps
			for range rapid.IntRange(0, 3).Draw(t, "bookings") {
				for _, u := range drawUses(t) {
					has.Add(by, u.Interval, u.Amount)
				}
			}
			b := drawRule(t).Bounds
			list = append(list, Claim{quota.NewClaim(&b, has, asked), "q"})
		}
		first, last := bookahead.Time(rapid.IntRange(0, 40).Draw(t, "from")), bookahead.Time(2*axis)
		allowed := func(s bookahead.Time) bool {
			for i := range list {
				next, _ := list[i].Next(s, last, nil)
				if next != s {
					return false
				}
			}
			return true
		}
		want := first
		for want <= last && !allowed(want) {
			want++
		}
		got, err := list.Next(first, last, meter(t, 1<<40))
		if want > last {
			require.Equal(t, bookahead.ErrUnavailable, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// TestNextEndsAfterARound has the picture of Next: 5 ticks have to lie across a border of both rules, and the borders never
// come closer.
func TestNextEndsAfterARound(t *testing.T) {
	near := func(from bookahead.Time) Claims {
		return Claims{unit(5, quota.Bounds{Ticks: 3, Every: 10}), unit(5, quota.Bounds{Ticks: 3, Every: 10, From: from})}
	}
	m := meter(t, 1<<40)
	_, err := near(5).Next(0, bookahead.MaxTime-5, m)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.Less(t, m.Steps(), int64(1000), "a round, and not the whole axis")
	s, err := near(1).Next(0, bookahead.MaxTime-5, m)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(8), s)

	_, err = near(5).Next(0, bookahead.MaxTime-5, meter(t, 10))
	require.ErrorIs(t, err, bookahead.ErrStopped)
	require.ErrorContains(t, err, `quota "q" and others have not allowed the same start up to`)
	_, err = near(5)[:1].Next(0, bookahead.MaxTime-5, meter(t, 1))
	require.ErrorContains(t, err, `quota "q" has not allowed a start up to`)
}

func TestRoundFrom(t *testing.T) {
	every := func(list ...bookahead.Duration) (all Claims) {
		for _, d := range list {
			all = append(all, unit(1, quota.Bounds{Ticks: 1, Every: d}))
		}
		return all
	}
	const most = bookahead.MaxTime
	require.Equal(t, bookahead.Time(7+60), every(10, 4, 6).RoundFrom(7))
	require.Equal(t, bookahead.Time(8), every().RoundFrom(7))
	require.Equal(t, bookahead.Time(17), Claims{unit(1, quota.Bounds{Units: 1}), unit(1, quota.Bounds{Ticks: 1, Every: 10})}.RoundFrom(7))
	require.Equal(t, most, every(1<<40, 1<<40-1).RoundFrom(7), "later than the axis ends")
	require.Equal(t, most, every(bookahead.Duration(most)).RoundFrom(7))
	require.Equal(t, most, every(10).RoundFrom(most-10))
	require.Equal(t, most, every(10).RoundFrom(most-3))
}
