package desk

import (
	"encoding/hex"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// anyText draws a text of any bytes, often none.
func anyText(t *rapid.T) string {
	return rapid.OneOf(rapid.Just(""), rapid.String(), rapid.SampledFrom([]string{"pool", "a\xff<&>\u2028\x00", "\"\\", "\ufffd"}),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
}

func anyTime(t *rapid.T) bookahead.Time {
	return bookahead.Time(rapid.OneOf(rapid.Int64Range(0, 99), rapid.Int64()).Draw(t, "time"))
}

func anySpan(t *rapid.T) bookahead.Interval {
	start := rapid.Int64Max(math.MaxInt64-1).Draw(t, "start")
	return bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(rapid.Int64Min(start+1).Draw(t, "end"))}
}

func fewInts(t *rapid.T) []int {
	if rapid.Bool().Draw(t, "nil") {
		return nil
	}
	return rapid.SliceOfNDistinct(rapid.IntRange(0, 300), 1, 5, rapid.ID[int]).Draw(t, "ints")
}

func anyForce(t *rapid.T) Force {
	return rapid.SampledFrom([]Force{Nobody, Lower, Anybody}).Draw(t, "force")
}

// anyPart draws a part that makes sense.
func anyPart(t *rapid.T, first bool) Part {
	p := Part{
		On: anyText(t), Units: rapid.Int64Range(1, 5).Draw(t, "units"),
		Duration: bookahead.Duration(rapid.Int64Range(1, 1<<40).Draw(t, "duration")), Offset: bookahead.Duration(rapid.Int64Range(0, 9).Draw(t, "offset")),
	}
	if !first && rapid.Bool().Draw(t, "after") {
		p.After = &Gap{1, bookahead.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "most"))}
	}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		p.Servers = fewInts(t)
		p.Units = min(p.Units, int64(max(1, len(p.Servers))))
	case 1:
		p.Tasks = &nodes.Request{
			Each: nodes.Vector{rapid.Int64Range(0, 9).Draw(t, "amount"), 1}, PerNode: rapid.Int64Range(0, 9).Draw(t, "per node"),
			Nodes: fewInts(t), Set: anyText(t), Except: fewInts(t), Within: anyText(t), Together: anyText(t),
		}
		if rapid.Bool().Draw(t, "head") {
			p.Tasks.Head = nodes.Vector{3}
		}
		if rapid.Bool().Draw(t, "no nodes") {
			p.Tasks.Nodes = []int{}
		}
		p.Tasks.Exclusive, p.Swap = rapid.Bool().Draw(t, "exclusive"), rapid.Bool().Draw(t, "swap")
		if rapid.Bool().Draw(t, "bundles") {
			p.Tasks.Bundle, p.Tasks.Bundled = p.Units, "rack"
		}
	}
	return p
}

func anyRequest(t *rapid.T) Request {
	r := Request{Owner: anyText(t), Title: anyText(t), Priority: rapid.Int64().Draw(t, "priority"), Ready: bookahead.Time(rapid.Int64Range(-9, 1<<40).Draw(t, "ready"))}
	r.Labels = append(r.Labels, rapid.SliceOfNDistinct(rapid.String(), 0, 3, rapid.ID[string]).Draw(t, "labels")...)
	for range rapid.IntRange(1, 3).Draw(t, "shapes") {
		var s Shape
		for i := range rapid.IntRange(1, 3).Draw(t, "parts") {
			s = append(s, anyPart(t, i == 0))
		}
		r.Shapes = append(r.Shapes, s)
	}
	if rapid.Bool().Draw(t, "deadline") {
		r.Deadline = bookahead.MaxTime
	}
	switch rapid.IntRange(0, 5).Draw(t, "bent") {
	case 0:
		r.Volume = &volume.Request{Volume: rapid.Int64Range(9, 1<<40).Draw(t, "volume"), Most: 9, Least: rapid.Int64Range(0, 9).Draw(t, "least"),
			Stretches: rapid.IntRange(0, MaxParts).Draw(t, "stretches"), Price: bookahead.Duration(rapid.Int64Min(0).Draw(t, "price"))}
		r.Shapes = []Shape{{{On: anyText(t), Units: 3, Duration: 4}, {On: "", Units: 2, Duration: 5, Offset: 7}}}
		r.Shapes[0][1].On = r.Shapes[0][0].On
	case 1:
		small := rapid.Int64Range(0, 9)
		rule := pieces.Rule{Least: bookahead.Duration(small.Draw(t, "least")), Gap: bookahead.Duration(small.Draw(t, "gap")), Restart: bookahead.Duration(small.Draw(t, "restart"))}
		r = r.InPieces(anyPart(t, true), rule)
		r.Pieces.Stopped = bookahead.Time(small.Draw(t, "stopped"))
	case 2:
		tasks := &nodes.Request{Each: nodes.Vector{1}, Together: "rack", Patience: bookahead.Duration(rapid.Int64Min(0).Draw(t, "patience"))}
		r.Shapes = []Shape{{{On: "farm", Units: 1, Duration: 4, Tasks: tasks}}}
	}
	return r
}

func anyKind(t *rapid.T) Kind {
	horizon := bookahead.Duration(rapid.Int64().Draw(t, "horizon"))
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return Pool{rapid.Int64().Draw(t, "units"), horizon}
	case 1:
		return Servers{rapid.Int64().Draw(t, "count"), horizon, anyText(t)}
	case 2:
		k := Nodes{Horizon: horizon, Resources: []string{"gpus", anyText(t)}, Nodes: []nodes.Vector{{1, 2}, {3, 4}}, Policy: anyText(t)}
		if rapid.Bool().Draw(t, "levels") {
			k.Levels = []nodes.Level{{Name: anyText(t), Groups: [][]int{{1, 0}, {2}}}, {Name: "row"}}
			k.Sets = map[string][]int{anyText(t): {0, 1}, "set": {5}}
		}
		return k
	}
	return Broker{[]string{anyText(t), anyText(t)}, anyText(t)}
}

// anyCommand draws a command that makes sense.
func anyCommand(t *rapid.T) Command {
	id := BookingID(rapid.Uint64Max(snapshot.MaxID).Draw(t, "id"))
	switch verbs[rapid.IntRange(1, len(verbs)-1).Draw(t, "verb")] {
	case "add":
		return AddSchedule{"a" + anyText(t), anyKind(t)}
	case "book":
		return Book{anyText(t), anyRequest(t), bookahead.Time(rapid.Int64Min(0).Draw(t, "hold")), anyForce(t), 0}
	case "commit":
		return Commit{id}
	case "change":
		return Change{id, anyRequest(t), anyForce(t)}
	case "cancel":
		return Cancel{id}
	case "end":
		return End{id}
	case "overrun":
		return Overrun{id, anyTime(t), anyForce(t)}
	case "close":
		c := Close{On: anyText(t), Interval: anySpan(t), Title: anyText(t), Force: anyForce(t), Priority: rapid.Int64().Draw(t, "priority")}
		c.Servers = fewInts(t)
		if c.Servers == nil {
			c.Units = rapid.Int64Min(1).Draw(t, "units")
		}
		return c
	case "reopen":
		return Reopen{OutageID(id), anyTime(t)}
	case "extend":
		c := Extend{On: anyText(t), Interval: anySpan(t), Title: anyText(t)}
		if rapid.Bool().Draw(t, "nodes") {
			c.Nodes = []nodes.Added{{Has: nodes.Vector{1, 2}}, {Groups: map[string]int{anyText(t): 3, "rack": -1}, Sets: []string{anyText(t)}}}
		} else {
			c.Units = rapid.Int64Min(1).Draw(t, "units")
		}
		return c
	case "advance":
		return Advance{anyTime(t)}
	case "batch":
		var c Batch
		for len(c.Commands) < 3 && (c.Commands == nil || rapid.Bool().Draw(t, "more")) {
			one := anyCommand(t)
			if one.verb() != "batch" && one.verb() != "given" {
				c.Commands = append(c.Commands, one)
			}
		}
		return c
	case "bookSeries":
		return BookSeries{Key: anyText(t), Request: Request{Shapes: []Shape{{{On: "a", Units: 1}}}}, At: Occurrences{{Start: 1, End: 4}}, Partly: rapid.Bool().Draw(t, "partly")}
	case "continue":
		needs := max(0, anyTime(t))
		return Continue{ID: SeriesID(id), Needed: 1 + needs/4, At: Occurrences{{Start: 1, End: 4}, {Start: 3, End: 9}}, Needs: needs / 4 * 4}
	case "cancelSeries":
		return CancelSeries{SeriesID(id), anyTime(t)}
	case "setTerms":
		return SetTerms{anyText(t), Terms{Open: []bookahead.Interval{{Start: 1, End: 4}}, Before: 3, Labels: []string{"x"}}}
	case "setQuota":
		return SetQuota{"a" + anyText(t), Quota{Each: rapid.Bool().Draw(t, "each"), Ticks: 9, Window: 4}}
	case "dropQuota":
		return DropQuota{"a" + anyText(t)}
	case "given":
		g := Given{By: anyText(t), ID: id}
		if id != 0 {
			g.Sum = rapid.Uint64().Draw(t, "sum")
		}
		one := anyCommand(t)
		if one.verb() != "given" {
			g.Command = one
		}
		return g
	}
	t.Fatal("a command that the test does not know")
	return nil
}

func anyPlaces(t *rapid.T) (list []Place) {
	for range rapid.IntRange(0, 3).Draw(t, "places") {
		start := bookahead.Time(rapid.Int64Range(0, math.MaxInt64-9).Draw(t, "start"))
		p := Place{On: anyText(t), Interval: bookahead.Interval{Start: start, End: start + 9}, Units: 3, Head: -1}
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			p.Servers = []int{0, 4, 5}
		case 1:
			p.Nodes, p.Head = []nodes.Share{{Node: 2, Tasks: 1}, {Node: 70, Tasks: 2}}, rapid.IntRange(-1, 80).Draw(t, "head")
		}
		list = append(list, p)
	}
	return list
}

func anyEntry(t *rapid.T) Entry {
	number := rapid.Uint64Max(snapshot.MaxID)
	e := Entry{Number: number.Draw(t, "number"), Command: anyCommand(t)}
	batch, ok := actOf(e.Command).(Batch)
	if !ok {
		e.Decision = anyDecision(t, actOf(e.Command))
	}
	for _, c := range batch.Commands {
		e.Decision.Batch = append(e.Decision.Batch, anyDecision(t, c))
	}
	return e
}

func anyDecision(t *rapid.T, c Command) Decision {
	number := rapid.Uint64Max(snapshot.MaxID)
	switch c := c.(type) {
	case BookSeries:
		return Decision{Series: SeriesID(1 + number.Draw(t, "series")/2), Batch: anyOccurrences(t, c.At, c.Partly)}
	case Continue:
		return Decision{Series: c.ID, Batch: anyOccurrences(t, c.At, c.Partly)}
	case CancelSeries:
		return Decision{Series: c.ID}
	}
	d := Decision{
		Booking: BookingID(number.Draw(t, "booking")), Outage: OutageID(number.Draw(t, "outage")),
		Shape: rapid.Int().Draw(t, "shape"), Places: anyPlaces(t),
	}
	d.Booking = about(c, d.Booking)
	for range rapid.IntRange(0, 2).Draw(t, "moved") {
		d.Moved = append(d.Moved, Moved{BookingID(number.Draw(t, "moved")), 1, anyPlaces(t)})
	}
	return d
}

func anyOccurrences(t *rapid.T, at Occurrences, partly bool) (list []Decision) {
	for i := range at {
		one := Decision{Booking: BookingID(1 + i), Places: anyPlaces(t)}
		if partly && rapid.Bool().Draw(t, "refused") {
			one = Decision{}
		}
		list = append(list, one)
	}
	return list
}

// Every command and entry is the same after it was written and read, and gives the same bytes again.
func TestEntriesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEntry(t)
		var read Entry
		data, err := e.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, read.UnmarshalBinary(data))
		require.Equal(t, e, read)

		data, err = MarshalCommand(e.Command)
		require.NoError(t, err)
		c, err := UnmarshalCommand(data)
		require.NoError(t, err)
		require.Equal(t, e.Command, c)
		pointer := reflect.New(reflect.TypeOf(e.Command))
		pointer.Elem().Set(reflect.ValueOf(e.Command))
		again, err := MarshalCommand(pointer.Interface().(Command))
		require.NoError(t, err)
		require.Equal(t, data, again)
	})
}

func TestEventsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Uint64Max(snapshot.MaxID)
		e := Event{
			Number: number.Draw(t, "number"), At: anyTime(t), What: What(rapid.IntRange(1, len(whatNames)-1).Draw(t, "what")),
			Booking: BookingID(number.Draw(t, "booking")), Owner: anyText(t), Schedule: anyText(t), Outage: OutageID(number.Draw(t, "outage")),
			From: bookahead.Interval{Start: anyTime(t), End: anyTime(t)}, To: bookahead.Interval{Start: anyTime(t), End: anyTime(t)},
			Before: anyPlaces(t), After: anyPlaces(t),
		}
		var read Event
		data, err := e.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, read.UnmarshalBinary(data))
		require.Equal(t, e, read)
	})
}

// An event has one way to be written: an empty time at 0 is left out.
func TestEventsWithAnEmptyTime(t *testing.T) {
	var e Event
	data, err := Event{What: WasMoved, From: bookahead.Interval{End: 1}}.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, e.UnmarshalBinary(data))
	data[len(data)-6] = 0 // the end, behind which are To, Before, After, Series and Quota
	require.ErrorIs(t, e.UnmarshalBinary(data), bookahead.ErrInvalid)
}

func TestGoldenBytes(t *testing.T) {
	require.Len(t, goldenBytes, len(goldenValues))
	verb := map[string]bool{}
	for i, value := range goldenValues {
		var bytes []byte
		var err error
		switch v := value.(type) {
		case Command:
			bytes, err = MarshalCommand(v)
			verb[v.verb()] = true
		case Entry:
			bytes, err = v.MarshalBinary()
		case Event:
			bytes, err = v.MarshalBinary()
		}
		require.NoError(t, err)
		require.Equal(t, goldenBytes[i], hex.EncodeToString(bytes), "%+v", value)
	}
	require.Len(t, verb, len(verbs)-1, "each command is here")
}

func TestCommandsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "command: version, before byte 0, [] is no whole number",
		"{":                            "command: version, before byte 1, 123 is not 1",
		"\x01\x14":                     "command: do, before byte 2, 20 is more than 19",
		"\x01\x13\x00\x00\x00\x02\x13": "command: do, before byte 7, given is within another already",
		"\x01\x0c\x01\x13":             "is within a batch already",
		"\x01\x13\x00\x00\x00\x02\x00": "command: do, before byte 7, 0 is unknown",
		"\x01\x01\x01a\x00":            "command: type, before byte 5, 0 is unknown",
		"\x01\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": "command: id, before byte 12",
		"\x01":                            "command: do, before byte 1, [] is no whole number",
		"\x01\x00":                        "command: do, before byte 2, 0 is unknown",
		"\x01\x01\x03own\x05\x04flat\x00": "command: type, before byte 7, 5 is a kind that is gone",
		"\x01\x05\x80\x00":                "is a number with zeros in front",
		"\x01\x05\x07\x00":                "command: end, before byte 3, 1 bytes are left over",
		"\x01\x02\x09ab":                  "command: key, before byte 3, 9 is more than 3",
	} {
		c, err := UnmarshalCommand([]byte(text))
		require.ErrorIs(t, err, bookahead.ErrInvalid, "%q", text)
		require.ErrorContains(t, err, want, "%q", text)
		require.Nil(t, c)
	}
	for _, c := range []Command{nil, (*Cancel)(nil), struct{ Cancel }{}, Book{}, AddSchedule{Name: "a"}, Cancel{math.MaxUint64}} {
		_, err := MarshalCommand(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid, "%T", c)
	}
}

// FuzzUnmarshal reads any bytes as a command, an entry, an event and an outcome. Bytes that are accepted are written again
// as they were.
func FuzzUnmarshal(f *testing.F) {
	for _, golden := range goldenBytes {
		bytes, err := hex.DecodeString(golden)
		require.NoError(f, err)
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := UnmarshalCommand(data)
		if err == nil {
			again, err := MarshalCommand(c)
			require.NoError(t, err)
			require.Equal(t, data, again)
		} else {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
		}
		for _, v := range []interface {
			UnmarshalBinary([]byte) error
			MarshalBinary() ([]byte, error)
		}{&Entry{}, &Event{}, &Outcome{}} {
			if v.UnmarshalBinary(data) == nil {
				again, err := v.MarshalBinary()
				require.NoError(t, err)
				require.Equal(t, data, again)
			}
		}
	})
}
