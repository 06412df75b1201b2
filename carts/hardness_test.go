package carts

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// mountains is a pool that multiplies: the reduction of the section on the worst case. Row i of
// a matrix is a mountain of k steps, with 0 units free before and behind it. The step at which
// k + j units are free or more is 2(k-j) ticks wide, and one more if the entry in column j is set:
//
//	row 1 0 1, k = 3
//	free  6 ┐                  1 tick  = 2(3-3) + 1
//	      5 └┐                 2 ticks = 2(3-2) + 0
//	      4  └──┐              5 ticks = 2(3-1) + 1
//	      3     └───           where it is on, and 3 less throughout where it is off
//
// So k + j units for 2(k-j)+1 ticks fit into a mountain that is on and has its entry j set, and
// into no other.
type mountains struct {
	pool   bookahead.Schedule
	matrix [][]bool
	width  bookahead.Time // of each mountain
}

func newMountains(t *testing.T, matrix [][]bool, open func(int64, Config) (bookahead.Schedule, error)) *mountains {
	k := len(matrix)
	m := &mountains{matrix: matrix, width: bookahead.Time(2*k + 2)}
	var c Config
	full := int64(2 * k)
	for i := range k {
		at := bookahead.Time(i) * (m.width + 1)
		free := make([]int64, m.width)
		for tick := range free {
			free[tick] = int64(k)
		}
		for j := 1; j <= k; j++ {
			for tick := range m.step(i, j) {
				free[tick] = int64(k + j)
			}
		}
		for tick, n := range free {
			start := at + bookahead.Time(tick)
			if n < full {
				c.Booked = append(c.Booked, offered(start, start+1, full-n))
			}
		}
		c.Booked = append(c.Booked, offered(at+m.width, at+m.width+1, full))
	}
	s, err := open(full, c)
	require.NoError(t, err)
	m.pool = s
	return m
}

// step returns how wide step j of mountain i is. All begin where the mountain does.
func (m *mountains) step(i, j int) bookahead.Time {
	w := bookahead.Time(2 * (len(m.matrix) - j))
	if m.matrix[i][j-1] {
		w++
	}
	return w
}

// product returns whether u'Mw is 1, with a reservation for each 0 of u and a search for each 1
// of w.
func (m *mountains) product(t *testing.T, u, w []bool) bool {
	k := len(m.matrix)
	var off []bookahead.ID
	for i, on := range u {
		if !on {
			at := bookahead.Time(i) * (m.width + 1)
			res, err := m.pool.Reserve(bookahead.At(at, bookahead.Duration(m.width), int64(k)))
			require.NoError(t, err)
			off = append(off, res.ID)
		}
	}
	found := false
	for j := 1; j <= k; j++ {
		if w[j-1] {
			r := bookahead.Request{Duration: bookahead.Duration(2*(k-j) + 1), Units: int64(k + j), Deadline: bookahead.Time(k) * (m.width + 1)}
			_, err := m.pool.Search(r)
			found = found || err == nil
		}
	}
	for _, id := range off {
		require.NoError(t, m.pool.Release(id))
	}
	return found
}

// The reduction multiplies, in every form.
func TestSearchesMultiplyMatrices(t *testing.T) {
	eachForm(t, pools, func(t *testing.T, f form) {
		rng := rand.New(rand.NewPCG(5, 8))
		bits := func(n int, likely float64) []bool {
			v := make([]bool, n)
			for i := range v {
				v[i] = rng.Float64() < likely
			}
			return v
		}
		seen := map[bool]int{}
		for _, k := range []int{1, 2, 7, 20} {
			matrix := make([][]bool, k)
			for i := range matrix {
				matrix[i] = bits(k, 2/float64(k))
			}
			m := newMountains(t, matrix, f.open)
			for range 40 {
				u, w := bits(k, 0.3), bits(k, 0.3)
				want := false
				for i := range k {
					for j := range k {
						want = want || u[i] && matrix[i][j] && w[j]
					}
				}
				require.Equal(t, want, m.product(t, u, w), "%v %v %v", u, matrix, w)
				seen[want]++
			}
		}
		require.Greater(t, seen[true], 20)
		require.Greater(t, seen[false], 20)
	})
}
