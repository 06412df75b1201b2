package window

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
)

// TestNilIsInvalid gives nil to every function that takes a pointer, an interface or a
// function: each names the argument, and none panics.
func TestNilIsInvalid(t *testing.T) {
	job := Job{Nodes: 1, Volume: 1, Budget: 1}
	for i, search := range searches(Quality) {
		var w Window
		var err error
		require.NotPanics(t, func() { w, err = search(nil, job) }, i)
		requireField(t, "e", err)
		require.Empty(t, w)
	}
	yielded := 0
	for _, err := range Alternatives(nil, job, Quality) {
		requireField(t, "e", err)
		yielded++
	}
	require.Equal(t, 1, yielded)
	for _, search := range []func(*Environment, Job) (Window, error){
		func(e *Environment, j Job) (Window, error) { return MaxQLite(e, j, Near) },
		func(e *Environment, j Job) (Window, error) { return MaxQ(e, j, Far, Program{Steps: 1}) },
	} {
		_, err := search(nil, job)
		requireField(t, "e", err)
	}

	w := Window{Tasks: []Task{{Interval: span(0, 1)}}}
	e := environment(t, []Node{{Performance: 1}})
	tree, err := idletree.NewTree(1, idletree.Config{})
	require.NoError(t, err)
	machine, err := nodes.New(nodes.Config{Resources: []string{"cores"}, Nodes: []nodes.Vector{{1}}})
	require.NoError(t, err)
	var none *Environment
	_, err = none.Commit(tree, w)
	requireField(t, "e", err)
	_, err = none.MachineCommit(machine, nodes.Vector{1}, w)
	requireField(t, "e", err)
	_, err = none.Request("lab", w)
	requireField(t, "e", err)
	_, err = none.MachineRequest("farm", nodes.Vector{1}, w)
	requireField(t, "e", err)
	for _, s := range []bookahead.Profiler{nil, (*carts.SR)(nil), (*idletree.Tree)(nil)} {
		_, err := Slots(s, span(0, 1))
		requireField(t, "schedule", err)
		_, err = e.Commit(s, w)
		requireField(t, "s", err)
	}
}

// TestTinyBudget has the least budget that there is: nodes without a price are affordable
// in all searches.
func TestTinyBudget(t *testing.T) {
	e := environment(t, []Node{{Performance: 1}, {Performance: 1, Price: 1}}, Slot{0, span(0, 9)}, Slot{1, span(0, 9)})
	for i, search := range searches(Quality) {
		w, err := search(e, Job{Nodes: 1, Volume: 1, Budget: math.SmallestNonzeroFloat64})
		require.NoError(t, err, i)
		require.Equal(t, 0, w.Tasks[0].Node)
	}
}
