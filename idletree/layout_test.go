package idletree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func TestLayoutErrors(t *testing.T) {
	x, err := NewTree(5, Config{Horizon: 100})
	require.NoError(t, err)
	for message, l := range map[string]Layout{
		"Layout.Groups [] names no group":                              {},
		"Layout.Groups[1] -1 is negative":                              {Groups: [][]int{{0}, {2, -1}}},
		"Layout.Groups[0] 5 is not below the 5 servers that there are": {Groups: [][]int{{5, 1}}, Adjacent: true},
		"Layout.Groups[2] 3 is named twice":                            {Groups: [][]int{{3}, {}, {3, 4, 3}}},
	} {
		_, err := x.Within(l)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, message)
	}
	_, err = x.Within(Layout{Groups: [][]int{}, Adjacent: true})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// Groups are cut into stretches if the servers must be adjacent, and each server knows its regions.
func TestRegionsByHand(t *testing.T) {
	l := Layout{Groups: [][]int{{8, 0, 1, 7, 2, 9}, {3, 6, 5, 4}}, Adjacent: true}
	g, err := l.regions(10)
	require.NoError(t, err)
	require.Equal(t, [][]int{{0, 1, 2}, {7, 8, 9}, {3, 4, 5, 6}}, g.list)
	l.Adjacent = false
	l.Groups = append(l.Groups, []int{9, 0})
	g, err = l.regions(12)
	require.NoError(t, err)
	for server, want := range [][]int32{{0, 2}, {0}, {0}, {1}, {1}, {1}, {1}, {0}, {0}, {0, 2}, {}, nil} {
		require.ElementsMatch(t, want, g.containing(server), "server %d", server)
	}
}

// The picture of adjoin: starts are possible before these times, and server 2 becomes free at 20.
func TestRowsByHand(t *testing.T) {
	x := newRows(6)
	for k, until := range []bookahead.Time{30, 24, 0, 40, 19, 40} {
		x.set(k, until)
	}
	row := func(server int, t bookahead.Time) [2]int { return [2]int{x.from(server, t), x.behind(server, t)} }
	require.Equal(t, [2]int{0, 2}, row(1, 20))
	x.set(2, 26)
	require.Equal(t, [2]int{0, 4}, row(2, 20))
	require.Equal(t, [2]int{0, 6}, row(2, 18))
	require.Equal(t, [2]int{2, 4}, row(3, 24))
	require.Equal(t, [2]int{5, 6}, row(5, 20))
}

// Rows of all sizes end where a walk from server to server ends.
func TestRowsAreWalks(t *testing.T) {
	for servers := 1; servers <= 17; servers++ {
		x := newRows(servers)
		until := make([]bookahead.Time, servers)
		for i := range 40 * servers {
			k := i * 7 % servers
			until[k] = bookahead.Time(i * 5 % 13)
			x.set(k, until[k])
			for at := range bookahead.Time(13) {
				if until[k] <= at {
					continue
				}
				from, behind := k, k+1
				for from > 0 && until[from-1] > at {
					from--
				}
				for behind < servers && until[behind] > at {
					behind++
				}
				require.Equal(t, from, x.from(k, at))
				require.Equal(t, behind, x.behind(k, at))
			}
		}
	}
}
