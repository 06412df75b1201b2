package plan

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestContestIsInTurn: jobs of many kinds start in their turns, and as many of a kind as fit.
func TestContestIsInTurn(t *testing.T) {
	for kinds := range 3 * few {
		q, _ := poolQueue(t, Config{Backfill: FirstFit()}) // of 4 units
		var want []ID
		for i := range 4 {
			for k := range kinds {
				id := ID(fmt.Sprintf("%d of kind %d", i, k))
				submit(t, q, Job{ID: id, Shapes: on(1, bookahead.Duration(1+(k*13+3)%kinds))})
				if len(want) < 4 {
					want = append(want, id)
				}
			}
		}
		r, err := q.Pass(context.Background(), 0)
		require.NoError(t, err)
		var got []ID
		for _, s := range r.Starts {
			got = append(got, s.Job)
		}
		require.Equal(t, want, got, "%d kinds", kinds)
	}
}

// TestContestAfterAMove: a promised job that moves gives its old place back, and the jobs behind it are asked again, in turn.
//
//	before 2   4 ····PPPPPPPP       at 2, when r2 has ended   4 ··AAAAAAAAAAAA
//	           3 r2r2HHHHHHHH                                 3 ··PPPPPPPPHHHH
//	           2 r1r1HHHHHHHH                                 2 r1r1r1r1HHHHHH
//	           1 r1r1HHHHHHHH                                 1 r1r1r1r1HHHHHH
//
// B is shorter, and fits in the place of A before P has moved. It comes after A.
func TestContestAfterAMove(t *testing.T) {
	q, _ := poolQueue(t, Config{Backfill: EASY(1), Order: ByPriority()})
	submit(t, q, Job{ID: "r1", Shapes: on(2, 10)}, Job{ID: "r2", Shapes: on(2, 10)})
	_, _ = pass(t, q, 0)
	submit(t, q, Job{ID: "P", Priority: 5, Shapes: on(1, 8)})
	_, _ = pass(t, q, 0)
	submit(t, q, Job{ID: "H", Priority: 9, Shapes: on(3, 8)}, Job{ID: "A", Priority: 3, Shapes: on(1, 12)}, Job{ID: "B", Priority: 1, Shapes: on(1, 7)})
	for i := range few + 1 { // as many kinds are not searched for, but compared with what is free: A does not fit before P has moved
		submit(t, q, Job{ID: ID(fmt.Sprint(i)), Shapes: on(4, bookahead.Duration(50+i))})
	}
	_, _ = pass(t, q, 1)
	require.NoError(t, q.Ended(2, "r2"))
	started, _ := pass(t, q, 2)
	require.Equal(t, []ID{"P", "A"}, started)
}
