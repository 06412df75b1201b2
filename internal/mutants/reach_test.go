package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseProfile(t *testing.T) {
	blocks, covers, err := parseProfile([]byte("mode: set\nexample.com/tiny/sum/sum.go:6.32,7.26 1 1\nexample.com/tiny/a.go:1.2,3.4 5 0\n"), "example.com/tiny")
	require.NoError(t, err)
	require.Equal(t, []block{{"sum/sum.go", 6, 32, 7, 26}, {"a.go", 1, 2, 3, 4}}, blocks)
	require.Equal(t, "10", covers)
	_, _, err = parseProfile([]byte("mode: set\nno profile\n"), "")
	require.Error(t, err)
}

func TestReachingTestsAreThoseOfTheBlock(t *testing.T) {
	checkout(t, tiny)
	s := &suite{
		Dir:    "sum",
		Blocks: []block{{"sum/sum.go", 7, 2, 7, 26}, {"sum/sum.go", 8, 3, 8, 12}, {"sum/sum.go", 16, 27, 16, 42}},
		Tests: []test{
			{Name: "TestDear", Cost: 2, Covers: "110"}, {Name: "TestCheap", Cost: 1, Covers: "110"}, {Name: "TestFails", Covers: "111", Fails: true},
			{Name: "TestHead", Cost: 3, Covers: "100"}, {Name: "TestOther", Covers: "001"},
		},
	}
	for _, c := range []struct {
		was, by string
		reach   []string
	}{
		{"<", "<=", []string{"TestCheap", "TestDear"}},                               // in the second block
		{"sum += n", "", []string{"TestCheap", "TestDear", "TestHead"}},              // in no block, so in any of Sum
		{"10", "(10+1)", []string{"TestOther", "TestCheap", "TestDear", "TestHead"}}, // in no function, so in any
		{"1", "(1+1)", []string{"TestOther"}},
	} {
		list, err := s.reaching(faultAt(t, c.was, c.by))
		require.NoError(t, err)
		var names []string
		for _, reached := range list {
			names = append(names, reached.Name)
		}
		require.Equal(t, c.reach, names, c.was)
	}
}

func TestBlockHas(t *testing.T) {
	b := block{"a.go", 3, 5, 7, 2}
	for _, at := range [][2]int{{3, 5}, {3, 9}, {5, 1}, {7, 1}} {
		require.True(t, b.has(at[0], at[1]), at)
	}
	for _, at := range [][2]int{{3, 4}, {2, 9}, {7, 2}, {8, 1}} {
		require.False(t, b.has(at[0], at[1]), at)
	}
}
