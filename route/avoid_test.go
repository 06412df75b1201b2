package route

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Of 200 links side by side all but one are avoided, each in turn.
func TestAllButOneAreAvoided(t *testing.T) {
	var links []Link
	for i := range 200 {
		links = append(links, Link{From: 0, To: 1, Delay: bookahead.Duration(i % 3), Weights: []float64{float64(i % 7), 1}})
	}
	n, err := New(2, links, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Weights: 2, Slots: 20})
	require.NoError(t, err)
	for left := range 200 {
		var a Avoid
		for i := range 200 {
			if i != left {
				a.Links = append(a.Links, i)
			}
		}
		r, err := n.SAMCRA(Query{Servers: []Server{{Node: 1}}, Limits: []float64{9, 9}, Avoid: a})
		require.NoError(t, err)
		require.Equal(t, []int{left}, r.Links)
		task := Task{Burst: 1, Work: 1, CPUs: 1, Avoid: a}
		for _, plan := range []func(Task) (Plan, error){
			n.Earliest, n.ECT, n.MCB,
			func(t Task) (Plan, error) { return n.MCT(t, nil) },
			func(t Task) (Plan, error) { return n.AWMCT(t, nil) },
		} {
			p, err := plan(task)
			require.NoError(t, err)
			require.Equal(t, []int{left}, p.Links)
		}
	}
}

func TestTaskAvoidRefuses(t *testing.T) {
	n, err := New(2, []Link{{To: 1}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Slots: 20})
	require.NoError(t, err)
	for want, a := range map[string]Avoid{
		"bookahead: Task.Avoid.Links[0] 1 is not one of 1 links": {Links: []int{1}},
		"bookahead: Task.Avoid.Nodes[1] 2 is not one of 2 nodes": {Nodes: []int{1, 2}},
		"bookahead: Task.Avoid.Nodes[0] 0 is the source":         {Nodes: []int{0}},
	} {
		task := Task{Burst: 1, Work: 1, CPUs: 1, Avoid: a}
		_, err := n.Earliest(task)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
		_, err = n.Candidates(task)
		require.EqualError(t, err, want)
	}
	for _, a := range []Avoid{{Links: []int{0}}, {Nodes: []int{1}}} {
		_, err := n.Earliest(Task{Burst: 1, Work: 1, CPUs: 1, Avoid: a})
		require.Equal(t, bookahead.ErrUnavailable, err)
	}
	_, err = n.Earliest(Task{Burst: 1, Work: 1, CPUs: 1, Effort: bookahead.Effort{Steps: -1}})
	require.EqualError(t, err, "bookahead: Effort.Steps -1 is negative")
}
