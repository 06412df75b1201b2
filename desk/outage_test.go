package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// all returns a desk with a schedule of each kind.
func all(t *testing.T) *Desk {
	t.Helper()
	d, err := New(Config{Keep: 50})
	require.NoError(t, err)
	for _, c := range []AddSchedule{
		{"gpus", Pool{Units: 4}}, {"lab", Servers{Count: 4, Prefer: "lowest"}},
		{"farm", Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {4}}}},
		{"any", Broker{Of: []string{"gpus", "lab"}}},
	} {
		do(t, d, c)
	}
	return d
}

// TestOutages closes, lists, and reopens.
func TestOutages(t *testing.T) {
	d := all(t)
	one := do(t, d, Close{On: "gpus", Interval: ticks(-3, 9), Units: 2, Title: "fan"})
	two := do(t, d, Close{On: "lab", Interval: ticks(2, bookahead.MaxTime), Servers: []int{3, 1}})
	three := do(t, d, Close{On: "farm", Interval: ticks(2, 7), Servers: []int{1}})
	four := do(t, d, Extend{On: "lab", Interval: ticks(1, 8), Units: 2, Title: "lent"})
	require.Equal(t, []OutageID{1, 2, 3, 4}, []OutageID{one.Outage, two.Outage, three.Outage, four.Outage})
	require.Equal(t, Event{Number: 5, What: WasClosed, Schedule: "gpus", Outage: 1, To: ticks(0, 9)}, one.Events[0])
	require.Equal(t, Event{Number: 8, What: WasExtended, Schedule: "lab", Outage: 4, To: ticks(1, 8)}, four.Events[0])
	require.Len(t, d.Outages(""), 4)
	lab := d.Outages("lab")
	require.Len(t, lab, 2)
	require.Equal(t, []int{1, 3}, lab[0].Servers)
	require.Equal(t, []int{4, 5}, lab[1].Servers)
	require.True(t, lab[1].Added())
	require.False(t, lab[0].Added())
	require.Equal(t, `outage 2 of "lab" [2, 9223372036854775807)`, lab[0].String())
	require.Equal(t, `extension 4 of "lab" [1, 8)`, lab[1].String())

	back := do(t, d, Reopen{ID: 2, At: 6})
	require.Equal(t, []Event{{Number: 9, What: WasReopened, Schedule: "lab", Outage: 2, From: ticks(2, bookahead.MaxTime), To: ticks(2, 6)}}, back.Events)
	_, err := d.Do(Reopen{ID: 2, At: 7})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "Reopen.At")
	do(t, d, Advance{5})
	do(t, d, Reopen{ID: 3}) // now
	require.Len(t, d.Outages("farm"), 0)
	_, err = d.Do(Reopen{ID: 3})
	require.Equal(t, bookahead.ErrNotFound, err)
	do(t, d, Advance{6})
	require.Len(t, d.Outages("lab"), 1, "the closure is over")
	do(t, d, Advance{9})
	require.Empty(t, d.Outages(""))
	require.Equal(t, OutageID(5), do(t, d, Close{On: "gpus", Interval: ticks(20, 21), Units: 9}).Outage)
	do(t, d, Reopen{ID: 5, At: 3})
	require.Empty(t, d.Outages(""), "it has never been")
}

// TestWhatIsBookedStays without Force, and the stretch is listed.
func TestWhatIsBookedStays(t *testing.T) {
	d := all(t)
	k := book(t, d, 0, 2, 0, Part{On: "any", Units: 3, Duration: 4})
	do(t, d, Book{Request: Request{Shapes: []Shape{{{On: "farm", Units: 3, Duration: 4, Tasks: &nodes.Request{Each: nodes.Vector{2}}}}}}})
	list, err := d.InTheWay("any", ticks(0, 3), nil)
	require.NoError(t, err)
	require.Equal(t, []Booking{of(t, d, k)}, list)
	do(t, d, Close{On: "gpus", Interval: ticks(3, 20), Units: 3, Force: Lower})
	over, err := d.Overbooked("gpus", ticks(0, 50))
	require.NoError(t, err)
	require.Equal(t, []bookahead.Overbooking{{Interval: ticks(3, 6), Units: 2}}, over)
	do(t, d, Close{On: "farm", Interval: ticks(1, 3), Servers: []int{1}})
	over, err = d.Overbooked("farm", ticks(0, 50))
	require.NoError(t, err)
	require.Equal(t, []bookahead.Overbooking{{Interval: ticks(1, 3), Units: 1, Servers: []int{1}}}, over)
	list, err = d.InTheWay("farm", ticks(0, 50), []int{1})
	require.NoError(t, err)
	require.Len(t, list, 1)
	list, err = d.InTheWay("farm", ticks(0, 50), []int{-1, 7})
	require.NoError(t, err)
	require.Empty(t, list)
	_, err = d.InTheWay("any", ticks(0, 3), []int{0})
	require.ErrorContains(t, err, "is of kind broker")
	_, err = d.InTheWay("none", ticks(0, 3), nil)
	require.ErrorContains(t, err, "is no schedule")
}

// TestReopenedUnitsComeBack: once a closure has ended, all answers are as if it had never been.
func TestReopenedUnitsComeBack(t *testing.T) {
	for seed := range uint64(40) {
		g := newGiving(t, seed)
		for range 30 {
			g.do(g.command())
		}
		closed := g.d.Clone()
		out, err := closed.Do(Close{On: "n", Interval: ticks(g.d.Now(), 200), Servers: []int{1}})
		require.NoError(t, err)
		ids := []OutageID{out.Outage}
		out, err = closed.Do(Close{On: "s", Interval: ticks(g.d.Now()+3, 200), Servers: []int{2, 0}})
		require.NoError(t, err)
		ids = append(ids, out.Outage)
		out, err = closed.Do(Close{On: "p", Interval: ticks(g.d.Now(), 20), Units: 3})
		require.NoError(t, err)
		for _, id := range append(ids, out.Outage) {
			_, err = closed.Do(Reopen{ID: id})
			require.NoError(t, err)
		}
		for range 30 {
			c := g.command()
			_, closes := c.(Close)
			_, reopens := c.(Reopen)
			if closes || reopens {
				continue // the numbers of outages differ
			}
			want, wantErr := g.d.Decide(c)
			got, err := closed.Decide(c)
			require.Equal(t, wantErr, err)
			got.Decision.Outage = want.Decision.Outage
			require.Equal(t, want.Decision, got.Decision)
		}
	}
}

// TestWhoLeavesAnOlderOverbookingAlone: 1 stays on a stretch that an earlier closure has overbooked, as it is
// in nobody's way, although it is taken out before 2 is.
//
//	closed   ███████               ███████
//	unit 1   1111111  22222        1111111  NNNNN
//	unit 0   0000000  22222        0000000  NNNNN
func TestWhoLeavesAnOlderOverbookingAlone(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 2})
	book(t, d, 9, 0, 0, Part{On: "gpus", Units: 1, Duration: 7})
	one := book(t, d, 1, 0, 0, Part{On: "gpus", Units: 1, Duration: 7})
	two := book(t, d, 2, 9, 0, Part{On: "gpus", Units: 2, Duration: 5})
	do(t, d, Close{On: "gpus", Interval: ticks(0, 7), Units: 1})
	out := do(t, d, Book{Force: Lower, Request: Request{Priority: 3, Deadline: 14, Shapes: []Shape{{{On: "gpus", Units: 2, Duration: 6}}}}})
	require.Equal(t, ticks(7, 13), out.Booking.Interval)
	require.Equal(t, []What{WasBooked, WasMoved}, happened(out.Events))
	require.Equal(t, ticks(13, 18), of(t, d, two).Interval)
	require.Equal(t, ticks(0, 7), of(t, d, one).Interval)
}

// TestBadOutages are refused, and change nothing.
func TestBadOutages(t *testing.T) {
	d := all(t)
	do(t, d, Advance{5})
	for text, c := range map[string]Command{
		"Close.Title":                       Close{On: "gpus", Interval: ticks(5, 9), Units: 1, Title: string(make([]byte, MaxText+1))},
		"Force":                             Close{On: "gpus", Interval: ticks(5, 9), Units: 1, Force: "all"},
		"is empty":                          Close{On: "gpus", Interval: ticks(9, 9), Units: 1},
		"Close.Interval":                    Close{On: "gpus", Interval: ticks(2, 5), Units: 1},
		"is negative":                       Close{On: "gpus", Interval: ticks(5, 9), Units: -1},
		"one of the two":                    Close{On: "gpus", Interval: ticks(5, 9), Units: 1, Servers: []int{1}},
		"with the Servers []":               Close{On: "gpus", Interval: ticks(5, 9)},
		"is a pool":                         Close{On: "gpus", Interval: ticks(5, 9), Servers: []int{1}},
		"is of kind servers: Servers names": Close{On: "lab", Interval: ticks(5, 9), Units: 1},
		"is of kind nodes: Servers names":   Close{On: "farm", Interval: ticks(5, 9), Units: 1},
		"is of kind broker, which has no":   Close{On: "any", Interval: ticks(5, 9), Units: 1},
		"is no schedule":                    Close{On: "none", Interval: ticks(5, 9), Units: 1},
		`Close on "lab"`:                    Close{On: "lab", Interval: ticks(5, 9), Servers: []int{4}},
		`Close on "farm"`:                   Close{On: "farm", Interval: ticks(5, 9), Servers: []int{0, 0}},
		`Extend of "gpus"`:                  Extend{On: "gpus", Interval: ticks(5, 9), Units: 1 << 62},
		"is of nodes":                       Extend{On: "farm", Interval: ticks(5, 9), Units: 1},
		"Extend.On":                         Extend{On: "any", Interval: ticks(5, 9), Units: 1},
		"has no nodes":                      Extend{On: "lab", Interval: ticks(5, 9), Nodes: []nodes.Added{{Has: nodes.Vector{1}}}},
		"with 1 Nodes":                      Extend{On: "farm", Interval: ticks(5, 9), Units: 1, Nodes: []nodes.Added{{}}},
		`Extend of "farm"`:                  Extend{On: "farm", Interval: ticks(5, 9), Nodes: []nodes.Added{{Has: nodes.Vector{1, 2}}}},
		"Extend.Units":                      Extend{On: "gpus", Interval: ticks(5, 9)},
		"Extend.Interval":                   Extend{On: "gpus", Interval: ticks(6, 6), Units: 1},
		"Extend.Title":                      Extend{On: "gpus", Interval: ticks(5, 9), Units: 1, Title: string(make([]byte, MaxText+1))},
	} {
		_, err := d.Do(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, text)
	}
	for _, on := range []string{"any", "none"} {
		_, err := d.Overbooked(on, ticks(0, 9))
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
	require.Equal(t, uint64(5), d.b.entries)
	require.Zero(t, d.b.lastOutage)
}
