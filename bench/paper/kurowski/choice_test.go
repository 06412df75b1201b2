package main

import (
	"testing"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/stretchr/testify/require"
)

// TestHangs judges a claim that holds with ties by chance, and not with the first of
// equals, and some that no choice changes.
func TestHangs(t *testing.T) {
	p, q := two(heavy, mct, usual), two(heavy, priority, usual)
	values := map[simulation]*summary{{plan: p}: {f: 2}, {plan: two(heavy, first, usual)}: {f: 1}, {plan: q}: {f: 1}}
	w := &world{logs: [2]log{{synthetic: true}, {synthetic: true}}, memory: &memory{runs: values}}
	s := scene{reading: readings[0], worlds: []*world{w, w}}
	c := below("Table 6", "It is lower", "lower", "AR priority, MCT (s)", at(meanF, q), at(meanF, p))
	f := c.judge(s)
	require.Equal(t, "**cannot be told** 1, 2", f.Text())
	require.Equal(t, "hangs on ties: here it holds", f.Note)
	require.Len(t, values, 3, "nothing else was simulated")

	rows := otherwise([]claim{c}, []scene{s}).Rows
	require.Len(t, rows, 1)
	require.Equal(t, []string{"Table 6", "It is lower", "ties", "run", "holds", "does not hold", "AR priority, MCT (s)", "1", "1", "0", "0"}, rows[0])

	c.b = func(*world) float64 { return 2 }
	f = c.judge(s)
	require.Equal(t, "**holds** 1, 2", f.Text())
	require.Empty(t, otherwise([]claim{c}, []scene{s}).Rows)
}

// TestChoices checks the plans that the choices lead to.
func TestChoices(t *testing.T) {
	ties, queue := choices[0].settle, choices[1].settle
	require.Equal(t, first, ties(two(light, mct, 30)).grid)
	require.Equal(t, random, ties(two(light, random, 30)).grid)
	require.Equal(t, alone128(fcfs), ties(alone128(fcfs)), "there are no ties")
	require.True(t, queue(every(hour, random, 30)).arFirst)
	require.Equal(t, every(0, random, 30), queue(every(0, random, 30)))
	c, err := queue(every(hour, random, 30)).config(1000, 1)
	require.NoError(t, err)
	require.True(t, c.ARFirst)
	c, err = every(hour, random, 30).config(1000, 7)
	require.NoError(t, err)
	require.False(t, c.ARFirst)
}

// TestBelow has two numbers that are the same.
func TestBelow(t *testing.T) {
	c := below("", "", "", "a, b", at(meanU, plan{}), at(meanU, plan{}))
	require.Equal(t, trial.Fails, c.find(saying(false, 2, 3)).Verdict, "what is equal is not less")
}

// TestTally counts each claim once, and in one group, and as many in each reading.
func TestTally(t *testing.T) {
	scenes := []scene{saying(false, 2, 2), saying(false, 4, 4)}
	is := claim{Claim: trial.Claim{Where: "Fig. 9", Names: "mean U", From: 1, To: 3}, by: alone, a: at(meanU, plan{})}
	always, same, tuning, extra, open := is, is, is, is, is
	always.To, same.alike, tuning.Where, extra.Where, open.a = 5, true, tuned, trial.Ours, nil
	alike, calibrating, other := groups([]claim{is, always, same, tuning, extra, open}, scenes)
	require.Equal(t, []string{"1", "0", "0", "0", "1"}, alike.count(in(0)))
	require.Equal(t, []string{"1", "0", "0", "0", "0"}, calibrating.count(in(0)))
	require.Equal(t, []string{"0", "1", "0", "0", "0"}, calibrating.count(in(1)))
	require.Equal(t, []string{"2", "0", "0", "0", "0"}, other.count(in(0)))
	require.Equal(t, []string{"1", "1", "0", "0", "0"}, other.count(in(1)))
	require.Equal(t, []string{"1", "0", "0", "0", "0"}, other.count(agreed))

	n := 0
	for _, c := range claims() {
		if c.Where == tuned {
			n++
		}
	}
	require.Equal(t, 16, n)
}
