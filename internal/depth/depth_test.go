package depth

import "testing"

func TestCases(t *testing.T) {
	for _, c := range []struct {
		set              string
		ops, cases, rare int
		deep             bool
	}{
		{"", 20_000, 1_200, 1, false},
		{"2000", 2_000, 300, 1, false},
		{"5000000", 5_000_000, 300_000, 300, true},
	} {
		if testing.Short() {
			c.ops, c.cases, c.rare, c.deep = c.ops/4, max(300, c.cases/4), max(1, c.rare/4), c.ops/4 > Usual
		}
		t.Setenv("BOOKAHEAD_OPS", c.set)
		if Operations() != c.ops || Cases(3_000) != c.cases || Cases(3) != c.rare || Deep() != c.deep {
			t.Errorf("%q: %d operations, %d and %d cases, deep %v; wanted %+v", c.set, Operations(), Cases(3_000), Cases(3), Deep(), c)
		}
	}
	t.Setenv("BOOKAHEAD_OPS", "many")
	defer func() {
		if recover() == nil {
			t.Error("a variable that is no number is passed over")
		}
	}()
	Operations()
}
