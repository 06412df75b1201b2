package replicated

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
)

// gang returns a booking of tasks on nodes, in two steps.
func gang() desk.Book {
	return desk.Book{Wait: 9, Request: desk.Request{Owner: "eve", Title: panicsAtOnce, Deadline: 30, Shapes: []desk.Shape{{
		{On: "farm", Units: 2, Duration: 3, Tasks: &nodes.Request{Each: nodes.Vector{1, 0}, Within: "rack"}},
		{On: "lab", Units: 1, Duration: 4, After: &desk.Gap{Most: 5}, Servers: []int{0, 2}},
	}}}}
}

// A command has its tasks and gaps as values, and not as addresses in memory.
func TestCommandText(t *testing.T) {
	text := `desk.Book{Request:{Owner:"eve" Title:"panics at once" Deadline:30 Shapes:[[` +
		`{On:"farm" Units:2 Duration:3 Tasks:{Each:[1 0] Within:"rack"}} ` +
		`{On:"lab" Units:1 Duration:4 After:{Most:5} Servers:[0 2]}]]} Wait:9}`
	require.Equal(t, text, commandText(gang()))
	require.Equal(t, "desk.Batch{Commands:[desk.Cancel{ID:3} "+text+"]}", commandText(desk.Batch{Commands: []desk.Command{desk.Cancel{ID: 3}, gang()}}))
	for name, c := range map[string]desk.Command{
		"desk.Cancel{}":                                                      desk.Cancel{},
		"desk.Batch{Commands:[nil]}":                                         desk.Batch{Commands: []desk.Command{nil}},
		`desk.Book{Force:"lower"}`:                                           desk.Book{Force: desk.Lower},
		`desk.AddSchedule{Name:"line"}`:                                      desk.AddSchedule{Name: "line"},
		"desk.Close{Interval:{Start:3 End:9} Priority:2}":                    desk.Close{Interval: bookahead.Interval{Start: 3, End: 9}, Priority: 2},
		`desk.AddSchedule{Kind:desk.Nodes{Nodes:[[2 8]] Sets:map[big:[0]]}}`: desk.AddSchedule{Kind: desk.Nodes{Nodes: []nodes.Vector{{2, 8}}, Sets: map[string][]int{"big": {0}}}},
	} {
		require.Equal(t, name, commandText(c))
	}
}

// A long command is cut, and its rest is not even formatted.
func TestCommandTextIsBounded(t *testing.T) {
	c := desk.Close{Servers: make([]int, 1<<20)}
	text := commandText(c)
	require.LessOrEqual(t, len(text), longestText+len("…"))
	require.True(t, strings.HasSuffix(text, "…"), text)
	require.Less(t, testing.AllocsPerRun(1, func() { commandText(c) }), 1e5)
}

// The log for people has the tasks and the gaps of a command that panics.
func TestPanicNamesTasksAndGaps(t *testing.T) {
	said, log := newPages()
	m, err := openWith(Config{Dir: t.TempDir(), Log: log, Reserve: 1}, seam{carry: poisons})
	require.NoError(t, err)
	_, err = m.Do(t.Context(), gang())
	require.ErrorIs(t, err, ErrPanicked)
	lines := said.with("Tasks:{Each:[1 0]", "After:{Most:5}")
	require.NotEmpty(t, lines)
	for _, line := range lines {
		values, _, _ := strings.Cut(line, "stack=") // the stack has addresses
		require.NotContains(t, values, "0x")
	}
	require.NoError(t, m.Close())
}
