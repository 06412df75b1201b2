package account

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/quota"
)

// axis is how many ticks the tests use.
const axis = 60

// cells is the use of an account, tick by tick.
type cells [axis]int64

func (c *cells) add(uses []quota.Use, sign int64) {
	for _, u := range uses {
		for t := u.Start; t < u.End; t++ {
			c[t] += sign * u.Amount
		}
	}
}

// cellsOf returns steps tick by tick.
func cellsOf(s quota.Steps) (c cells) {
	for _, p := range s.Pieces(0) {
		c.add([]quota.Use{{Interval: p.Interval, Amount: p.Units}}, 1)
	}
	return c
}

// cut returns the uses from a tick on.
func cut(uses []quota.Use, since bookahead.Time) (list []quota.Use) {
	for _, u := range uses {
		u.Start = max(u.Start, since)
		if !u.Empty() {
			list = append(list, u)
		}
	}
	return list
}

// charged is use that was charged, as a booking has it.
type charged struct {
	owner  string
	labels []string
	uses   []quota.Use
}

// ruled is a rule with the use that its accounts have kept.
type ruled struct {
	*Rule
	past []charged
}

// sums is the model of accounts: all use in a list, which is added up for each question.
type sums struct {
	now   bookahead.Time
	rules []ruled // by name
	uses  []charged
}

func (m *sums) each() iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		for _, q := range m.rules {
			if !yield(q.Rule) {
				return
			}
		}
	}
}

// use returns the use of an owner that matters to a rule, and the part that is kept.
func (m *sums) use(q ruled, owner string) (all, past cells) {
	since := q.Bounds.Since(m.now)
	add := func(c *cells, list []charged) {
		for _, k := range list {
			if q.Counts(k.owner, k.labels) && (!q.Each || k.owner == owner) {
				c.add(cut(k.uses, since), 1)
			}
		}
	}
	add(&all, m.uses)
	add(&all, q.past)
	add(&past, q.past)
	return all, past
}

// set puts a rule in the place of the rule of its name.
func (m *sums) set(q *Rule) {
	i, ok := slices.BinarySearchFunc(m.rules, q.Name, func(q ruled, name string) int { return cmp.Compare(q.Name, name) })
	if !ok {
		m.rules = slices.Insert(slices.Clone(m.rules), i, ruled{Rule: q})
		return
	}
	old := m.rules[i]
	next := ruled{Rule: q}
	alike := old.Label == q.Label && old.Each == q.Each && (old.On == nil) == (q.On == nil)
	more := q.Owners == nil || old.Owners != nil // q counts the owners whom old counts, and perhaps others
	for owner := range old.Owners {
		more = more && (q.Owners == nil || q.Owners[owner])
	}
	if alike && (q.Each || more) {
		for _, k := range old.past {
			k.uses = cut(k.uses, old.Bounds.Since(m.now))
			if !q.Each || q.Counts(k.owner, k.labels) {
				next.past = append(next.past, k)
			}
		}
	}
	m.rules = slices.Clone(m.rules)
	m.rules[i] = next
}

var owners = []string{"ann", "bob", "cid"}

// drawUses draws the uses of one booking.
func drawUses(t *rapid.T) (uses []quota.Use) {
	for range rapid.IntRange(0, 3).Draw(t, "uses") {
		start := rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(0, axis-2)).Draw(t, "start")
		end := rapid.IntRange(start+1, min(axis-1, start+15)).Draw(t, "end")
		w := bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(end)}
		uses = append(uses, quota.Use{Interval: w, Amount: rapid.Int64Range(1, 3).Draw(t, "amount")})
	}
	return uses
}

// drawRule draws a rule.
func drawRule(t *rapid.T) *Rule {
	q := &Rule{Name: rapid.SampledFrom([]string{"p", "q"}).Draw(t, "name"), Each: rapid.Bool().Draw(t, "each")}
	q.Label = rapid.SampledFrom([]string{"", "", "x"}).Draw(t, "label")
	if rapid.Bool().Draw(t, "of some") {
		q.Owners = map[string]bool{"ann": true}
		for _, owner := range owners {
			if rapid.Bool().Draw(t, owner) {
				q.Owners[owner] = true
			}
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "bounds") {
	case 0:
		q.Bounds.Units = 2
	case 1:
		q.Bounds.Ticks, q.Bounds.Every = 9, bookahead.Duration(rapid.IntRange(1, 20).Draw(t, "every"))
	case 2:
		q.Bounds.Ticks, q.Bounds.Window = 9, bookahead.Duration(rapid.IntRange(1, 20).Draw(t, "window"))
	}
	return q
}

// world is accounts beside their model.
type world struct {
	Accounts
	sums
}

// charge charges some use to the accounts of each rule that counts it.
func (x *world) charge(k charged, sign int64) {
	for q := range x.each() {
		if q.Counts(k.owner, k.labels) {
			x.Charge(q, k.owner, k.uses, sign, x.now)
		}
	}
}

// check compares the accounts with the model.
func (x *world) check(t require.TestingT) {
	for _, q := range x.rules {
		kept := map[string]cells{}
		for owner, past := range x.Past(q.Rule, x.now) {
			c := cells{}
			for _, p := range past {
				c.add([]quota.Use{{Interval: p.Interval, Amount: p.Units}}, 1)
			}
			kept[owner] = c
		}
		for _, owner := range owners {
			all, past := x.use(q, owner)
			if q.Each && !q.mayHave(owner) {
				continue
			}
			name := fmt.Sprintf("%+v of %q at %d", q.Rule, owner, x.now)
			require.Equal(t, all, cellsOf(x.Used(q.Rule, owner, x.now)), name)
			require.Equal(t, past, kept[q.Key(owner).Owner], name)
		}
		var names []string
		for owner := range x.Of(q.Rule) {
			names = append(names, owner)
			require.True(t, q.mayHave(owner))
		}
		require.True(t, slices.IsSorted(names))
	}
	want := x.wanted()
	require.NoError(t, x.Verify(x.each(), &want, x.now))
}

// wanted returns the accounts that there should be.
func (x *world) wanted() Accounts {
	want := &world{x.Remembered(x.each(), x.now), x.sums}
	for _, k := range x.uses {
		want.charge(k, 1)
	}
	return want.Accounts
}

// TestAccountsAgainstSums compares accounts with a plain sum for each tick, while rules come and go, use is charged, taken
// off and kept, and the clock moves. A clone is left alone for a while, and must stay as it is.
func TestAccountsAgainstSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := &world{}
		aside := world{}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				x.check(t)
				aside.check(t)
			},
			"set": func(t *rapid.T) {
				q := drawRule(t)
				if len(x.rules) > 0 && rapid.Bool().Draw(t, "alike") {
					like := x.rules[0]
					q.Name, q.Label, q.Each = like.Name, like.Label, like.Each
				}
				var old *Rule
				for r := range x.each() {
					if r.Name == q.Name {
						old = r
					}
				}
				if x.Set(q, old, x.now) {
					for _, k := range x.uses {
						if q.Counts(k.owner, k.labels) {
							x.Charge(q, k.owner, k.uses, 1, x.now)
						}
					}
				}
				x.set(q)
			},
			"drop": func(t *rapid.T) {
				if len(x.rules) == 0 {
					t.Skip("there is no rule")
				}
				i := rapid.IntRange(0, len(x.rules)-1).Draw(t, "rule")
				x.Drop(x.rules[i].Rule)
				x.rules = slices.Delete(slices.Clone(x.rules), i, i+1)
			},
			"charge": func(t *rapid.T) {
				k := charged{rapid.SampledFrom(owners).Draw(t, "owner"), rapid.SampledFrom([][]string{nil, {"x"}}).Draw(t, "labels"), drawUses(t)}
				x.charge(k, 1)
				x.uses = append(slices.Clip(x.uses), k)
			},
			"take off": func(t *rapid.T) {
				if len(x.uses) == 0 {
					t.Skip("there is no use")
				}
				i := rapid.IntRange(0, len(x.uses)-1).Draw(t, "use")
				x.charge(x.uses[i], -1)
				x.uses = slices.Delete(slices.Clone(x.uses), i, i+1)
			},
			"advance": func(t *rapid.T) {
				x.now += bookahead.Time(rapid.IntRange(0, int(min(9, axis-x.now))).Draw(t, "ticks"))
				var left []charged
				for _, k := range x.uses {
					if slices.ContainsFunc(k.uses, func(u quota.Use) bool { return u.End > x.now }) || rapid.Bool().Draw(t, "stays") {
						left = append(left, k)
						continue
					}
					for i := range x.rules {
						q := &x.rules[i]
						if q.Counts(k.owner, k.labels) {
							x.Remember(q.Rule, k.owner, k.uses, x.now)
						}
					}
					x.rules = slices.Clone(x.rules)
					for i := range x.rules {
						q := &x.rules[i]
						if q.Counts(k.owner, k.labels) {
							q.past = append(slices.Clip(q.past), charged{k.owner, k.labels, cut(k.uses, q.Bounds.Since(x.now))})
						}
					}
				}
				x.uses = left
				if rapid.Bool().Draw(t, "sweep") {
					x.changes = max(x.changes, 2*x.left+64)
				}
				x.Sweep(x.each(), x.now)
			},
			"put aside": func(*rapid.T) {
				aside = world{x.Clone(), x.sums}
			},
			"swap": func(*rapid.T) {
				*x, aside = aside, *x
			},
			"restore": func(*rapid.T) {
				next := world{sums: x.sums}
				next.rules = nil
				for _, q := range x.rules {
					again := *q.Rule
					next.Set(&again, nil, x.now)
					for owner, past := range x.Past(q.Rule, x.now) {
						require.NoError(t, next.Restore(&again, owner, past, x.now))
					}
					q.Rule = &again
					next.rules = append(next.rules, q)
				}
				for _, k := range x.uses {
					next.charge(k, 1)
				}
				*x = next
			},
		})
	})
}

// TestSetKeepsThePast replaces rules by others of all forms, after some use was kept, and compares with the sums.
func TestSetKeepsThePast(t *testing.T) {
	some := []map[string]bool{nil, {"ann": true}, {"ann": true, "bob": true}, {"bob": true, "cid": true}}
	var forms []Rule
	for _, who := range some {
		for form := range 16 {
			q := Rule{Name: "q", Owners: who, Each: form&1 > 0, Bounds: quota.Bounds{Ticks: 9, Window: 8}}
			if form&2 > 0 {
				q.Label = "x"
			}
			if form&4 > 0 {
				q.On = []int32{0}
			}
			if form&8 > 0 {
				q.Bounds.Window = 16
			}
			forms = append(forms, q)
		}
	}
	kept := 0
	for _, old := range forms {
		for _, q := range forms {
			x := &world{}
			x.now = 20
			x.Set(&old, nil, x.now)
			x.rules = []ruled{{Rule: &old}}
			for i, owner := range owners {
				k := charged{owner, []string{"x"}, []quota.Use{{Interval: bookahead.Interval{Start: 0, End: 17}, Amount: int64(1 + i)}}}
				if old.Counts(k.owner, k.labels) {
					x.Charge(&old, k.owner, k.uses, 1, x.now)
					x.Remember(&old, k.owner, k.uses, x.now)
					k.uses = cut(k.uses, old.Bounds.Since(x.now))
					x.rules[0].past = append(x.rules[0].past, k)
				}
			}
			live := charged{"ann", []string{"x"}, []quota.Use{{Interval: bookahead.Interval{Start: 2, End: 25}, Amount: 9}}}
			x.charge(live, 1)
			x.uses = []charged{live}
			opened := x.Set(&q, &old, x.now)
			x.set(&q)
			if opened && q.Counts(live.owner, live.labels) {
				x.charge(live, 1)
			}
			kept += len(x.rules[0].past)
			x.check(t)
		}
	}
	require.Positive(t, kept)
}

// TestVerifyNamesTheAccount spoils accounts in each way that Verify finds.
func TestVerifyNamesTheAccount(t *testing.T) {
	use := func(start, end bookahead.Time) []quota.Use {
		return []quota.Use{{Interval: bookahead.Interval{Start: start, End: end}, Amount: 2}}
	}
	q := &Rule{Name: "q", Each: true}
	rules := func(yield func(*Rule) bool) { yield(q) }
	for want, spoil := range map[string]func(x *Accounts){
		"":                      func(x *Accounts) { x.Charge(q, "ann", use(3, 6), 1, 5) }, // the clock shows 5, and Verify compares no use before it
		"does not have the use": func(x *Accounts) { x.Charge(q, "ann", use(5, 6), 1, 5) },
		`the account of "bob"`:  func(x *Accounts) { x.Charge(q, "bob", use(5, 6), 1, 5) },
		"there is no account":   func(x *Accounts) { x.Drop(q) },
		"a use that is to come": func(x *Accounts) { x.Remember(q, "ann", use(5, 6), 5) },
		"is for no quota":       func(x *Accounts) { x.Charge(&Rule{number: 9}, "", use(5, 6), 1, 5) },
	} {
		var x Accounts
		require.True(t, x.Set(q, nil, 0))
		x.Charge(q, "ann", use(4, 8), 1, 0)
		all := x.Clone()
		spoil(&x)
		if want == "" {
			x.Charge(q, "ann", use(5, 6), -1, 5)
			require.NoError(t, x.Verify(rules, &all, 5))
			continue
		}
		require.ErrorContains(t, x.Verify(rules, &all, 5), want)
	}
}

// TestRestoreRefusesWhatPastNeverYields has pieces that no account has kept.
func TestRestoreRefusesWhatPastNeverYields(t *testing.T) {
	piece := func(start, end bookahead.Time, units int64) quota.Piece {
		return quota.Piece{Interval: bookahead.Interval{Start: start, End: end}, Units: units}
	}
	for _, c := range []struct {
		name  string
		owner string
		past  []quota.Piece
		ok    bool
	}{
		{"two pieces", "ann", []quota.Piece{piece(4, 6, 1), piece(6, 8, 2)}, true},
		{"with a gap between equal ones", "ann", []quota.Piece{piece(4, 6, 1), piece(7, 8, 1)}, true},
		{"a multiple of 2^62", "ann", []quota.Piece{{Interval: bookahead.Interval{Start: 3, End: 10}, More: 1}}, true},
		{"of another owner", "bob", []quota.Piece{piece(4, 6, 1)}, false},
		{"none", "ann", nil, false},
		{"too early", "ann", []quota.Piece{piece(2, 6, 1)}, false},
		{"not over", "ann", []quota.Piece{piece(4, 11, 1)}, false},
		{"empty", "ann", []quota.Piece{piece(4, 4, 1)}, false},
		{"of nothing", "ann", []quota.Piece{piece(4, 6, 0)}, false},
		{"of less than nothing", "ann", []quota.Piece{piece(4, 6, -1)}, false},
		{"too much for Units", "ann", []quota.Piece{piece(4, 6, 1<<62)}, false},
		{"out of order", "ann", []quota.Piece{piece(6, 8, 1), piece(4, 6, 2)}, false},
		{"one in two", "ann", []quota.Piece{piece(4, 6, 1), piece(6, 8, 1)}, false},
		{"one in the last two of three", "ann", []quota.Piece{piece(4, 6, 1), piece(6, 8, 2), piece(8, 9, 2)}, false},
	} {
		var x Accounts
		q := &Rule{Each: true, Owners: map[string]bool{"ann": true}, Bounds: quota.Bounds{Ticks: 9, Window: 8}}
		x.Set(q, nil, 10)
		err := x.Restore(q, c.owner, c.past, 10)
		if !c.ok {
			require.ErrorIs(t, err, bookahead.ErrInvalid, c.name)
			require.Zero(t, x.all.Len(), c.name)
			continue
		}
		require.NoError(t, err, c.name)
		for _, past := range x.Past(q, 10) {
			require.Equal(t, c.past, past)
		}
	}
}
