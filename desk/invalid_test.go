package desk

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// bad is a command that is refused. About is the text of the error: the field, the value, the reason.
type bad struct {
	name    string
	command Command
	kind    error
	about   []string
}

// oneOf returns a Book of one part, with something changed.
func oneOf(change func(r *Request, p *Part)) Book {
	r := asks(Part{On: "p", Units: 1, Duration: 5})
	change(&r, &r.Shapes[0][0])
	return Book{Request: r}
}

// badCommands are refused by a desk at tick 10 with the schedules of opened, on which booking 1 runs until 20,
// booking 2 is booked for [30, 40) under the key "k", and booking 3 is over.
func badCommands() []bad {
	long := strings.Repeat("x", MaxText+1)
	each := nodes.Vector{1}
	return []bad{
		{"no command", nil, bookahead.ErrInvalid, []string{"command"}},
		{"no schedule", oneOf(func(_ *Request, p *Part) { p.On = "gone" }), bookahead.ErrInvalid, []string{"Shapes[0][0].On", "gone", "no schedule"}},
		{"no units", oneOf(func(_ *Request, p *Part) { p.Units = 0 }), bookahead.ErrInvalid, []string{"Units", "less than 1"}},
		{"no time", oneOf(func(_ *Request, p *Part) { p.Duration = 0 }), bookahead.ErrInvalid, []string{"Duration", "less than 1"}},
		{"an offset back", oneOf(func(_ *Request, p *Part) { p.Offset = -1 }), bookahead.ErrInvalid, []string{"Offset", "-1", "negative"}},
		{"a gap before the first", oneOf(func(_ *Request, p *Part) { p.After = &Gap{} }), bookahead.ErrInvalid, []string{"After", "first part"}},
		{"a negative gap", Book{Request: asks(Part{On: "p", Units: 1, Duration: 1}, Part{On: "p", Units: 1, Duration: 1, After: &Gap{-1, 3}})}, bookahead.ErrInvalid, []string{"[0][1].After.Least", "-1"}},
		{"a gap the wrong way round", Book{Request: asks(Part{On: "p", Units: 1, Duration: 1}, Part{On: "p", Units: 1, Duration: 1, After: &Gap{4, 3}})}, bookahead.ErrInvalid, []string{"[0][1].After.Most", "3", "Least 4"}},
		{"no shape", Book{}, bookahead.ErrInvalid, []string{"Request.Shapes", "0"}},
		{"too many shapes", oneOf(func(r *Request, _ *Part) { r.Shapes = make([]Shape, MaxShapes+1) }), bookahead.ErrInvalid, []string{"Request.Shapes", "65"}},
		{"an empty shape", Book{Request: Request{Shapes: []Shape{{}}}}, bookahead.ErrInvalid, []string{"Shapes[0]", "parts"}},
		{"too many parts", Book{Request: Request{Shapes: []Shape{make(Shape, MaxParts+1)}}}, bookahead.ErrInvalid, []string{"Shapes[0]", "65"}},
		{"too many parts in all", oneOf(func(r *Request, _ *Part) {
			shape := slices.Repeat(r.Shapes[0], MaxParts/2)
			r.Shapes = []Shape{shape, shape, r.Shapes[0]}
		}), bookahead.ErrInvalid, []string{"Request.Shapes[2]", "65", "parts in all"}},
		{"a deadline too early", oneOf(func(r *Request, _ *Part) { r.Ready, r.Deadline = 12, 16 }), bookahead.ErrInvalid, []string{"Deadline", "16", "5 ticks"}},
		{"over the end of the axis", oneOf(func(r *Request, p *Part) { r.Ready, p.Duration = 12, math.MaxInt64 }), bookahead.ErrInvalid, []string{"overflow"}},
		{"parts over the end of the axis", oneOf(func(_ *Request, p *Part) { p.Offset, p.Duration = math.MaxInt64, math.MaxInt64 }), bookahead.ErrInvalid, []string{"overflow"}},
		{"an end before now", oneOf(func(r *Request, _ *Part) { r.Deadline = 9 }), bookahead.ErrUnavailable, nil},
		{"more than there is", oneOf(func(_ *Request, p *Part) { p.Units = 5 }), bookahead.ErrUnavailable, nil},
		{"far more than there is", oneOf(func(_ *Request, p *Part) { p.Units = math.MaxInt64 }), bookahead.ErrUnavailable, nil},
		{"parts of far more", Book{Request: asks(Part{On: "p", Units: math.MaxInt64, Duration: 1}, Part{On: "p", Units: math.MaxInt64, Duration: 1})}, bookahead.ErrUnavailable, nil},
		{"a long owner", oneOf(func(r *Request, _ *Part) { r.Owner = long }), bookahead.ErrInvalid, []string{"Owner", "1025"}},
		{"a long title", oneOf(func(r *Request, _ *Part) { r.Title = long }), bookahead.ErrInvalid, []string{"Title", "1025"}},
		{"a long label", oneOf(func(r *Request, _ *Part) { r.Labels = []string{"a", long} }), bookahead.ErrInvalid, []string{"Labels[1]", "1025"}},
		{"a label twice", oneOf(func(r *Request, _ *Part) { r.Labels = []string{"a", "b", "a"} }), bookahead.ErrInvalid, []string{"Labels[2]", "a", "twice"}},
		{"too many labels", oneOf(func(r *Request, _ *Part) { r.Labels = make([]string, MaxLabels+1) }), bookahead.ErrInvalid, []string{"Labels", "65"}},
		{"a long key", Book{Key: long, Request: asks(Part{On: "p", Units: 1, Duration: 5})}, bookahead.ErrInvalid, []string{"Key", "1025"}},
		{"a key with another request", Book{Key: "k", Request: asks(Part{On: "p", Units: 1, Duration: 5})}, bookahead.ErrInvalid, []string{"Book.Key", "k", "booking 2"}},
		{"a hold before now", Book{Hold: 10, Request: asks(Part{On: "p", Units: 1, Duration: 5})}, bookahead.ErrInvalid, []string{"Book.Hold", "10", "not after now"}},
		{"a negative hold", Book{Hold: -1, Request: asks(Part{On: "p", Units: 1, Duration: 5})}, bookahead.ErrInvalid, []string{"Book.Hold", "-1"}},
		{"a rule that is none", Book{Force: "all", Request: asks(Part{On: "p", Units: 1, Duration: 5})}, bookahead.ErrInvalid, []string{"Force", "all", "anybody"}},
		{"servers of a pool", oneOf(func(_ *Request, p *Part) { p.Servers = []int{1} }), bookahead.ErrInvalid, []string{"Servers"}},
		{"a server that is not there", oneOf(func(_ *Request, p *Part) { p.On, p.Servers = "s", []int{4} }), bookahead.ErrInvalid, []string{"4"}},
		{"a server twice", oneOf(func(_ *Request, p *Part) { p.On, p.Servers = "s", []int{1, 1} }), bookahead.ErrInvalid, []string{"1"}},
		{"servers of a broker", oneOf(func(_ *Request, p *Part) { p.On, p.Servers = "ps", []int{1} }), bookahead.ErrInvalid, []string{"Servers", "broker"}},
		{"tasks of a pool", oneOf(func(_ *Request, p *Part) { p.Tasks = &nodes.Request{Each: each} }), bookahead.ErrInvalid, []string{"Tasks", "p", "no nodes"}},
		{"no tasks of nodes", oneOf(func(_ *Request, p *Part) { p.On = "n" }), bookahead.ErrInvalid, []string{"Tasks", "n", "of nodes"}},
		{"tasks with times", oneOf(func(_ *Request, p *Part) { p.On, p.Tasks = "n", &nodes.Request{Each: each, Ready: 3} }), bookahead.ErrInvalid, []string{"Tasks", "times"}},
		{"patient tasks beside others", Book{Request: asks(
			Part{On: "p", Units: 1, Duration: 1}, Part{On: "n", Units: 1, Duration: 1, Tasks: &nodes.Request{Each: each, Together: "rack", Patience: 4}},
		)}, bookahead.ErrInvalid, []string{"Tasks.Patience", "4"}},
		{"tasks in no whole bundles", oneOf(func(_ *Request, p *Part) {
			p.On, p.Tasks = "n", &nodes.Request{Each: each, Bundle: 2, Bundled: "rack"}
		}), bookahead.ErrInvalid, []string{"Tasks", "multiple of Bundle, 2"}},
		{"tasks of nothing", oneOf(func(_ *Request, p *Part) { p.On, p.Tasks = "n", &nodes.Request{Each: nodes.Vector{0}} }), bookahead.ErrInvalid, []string{"Tasks", "Each"}},
		{"tasks of another machine", oneOf(func(_ *Request, p *Part) { p.On, p.Tasks = "n", &nodes.Request{Each: nodes.Vector{1, 1}} }), bookahead.ErrInvalid, []string{"Each"}},
		{"a part beside one on its broker", Book{Request: asks(Part{On: "pq", Units: 1, Duration: 5}, Part{On: "p", Units: 1, Duration: 5})}, bookahead.ErrInvalid, []string{"[0][1].On", "shares", "pq"}},
		{"two parts on a machine", Book{Request: asks(Part{On: "n", Units: 1, Duration: 5, Tasks: &nodes.Request{Each: each}}, Part{On: "n", Units: 1, Duration: 5, Tasks: &nodes.Request{Each: each}})}, bookahead.ErrInvalid, []string{"Parts[1]"}},
		{"a schedule that is there", AddSchedule{"p", Pool{Units: 1}}, bookahead.ErrInvalid, []string{"Name", "p", "already"}},
		{"a schedule without name", AddSchedule{"", Pool{Units: 1}}, bookahead.ErrInvalid, []string{"Name", "empty"}},
		{"a schedule with a long name", AddSchedule{long, Pool{Units: 1}}, bookahead.ErrInvalid, []string{"Name", "1025"}},
		{"a schedule of no kind", AddSchedule{"x", nil}, bookahead.ErrInvalid, []string{"Kind"}},
		{"a pool of nothing", AddSchedule{"x", Pool{}}, bookahead.ErrInvalid, []string{"Pool.Units 0", "less than 1"}},
		{"no servers", AddSchedule{"x", Servers{Count: -2}}, bookahead.ErrInvalid, []string{"Servers.Count -2", "less than 1"}},
		{"a broker of nothing", AddSchedule{"x", Broker{}}, bookahead.ErrInvalid, []string{"Of"}},
		{"a broker of a broker", AddSchedule{"x", Broker{Of: []string{"pq"}}}, bookahead.ErrInvalid, []string{"Of[0]", "pq", "broker"}},
		{"a broker of one twice", AddSchedule{"x", Broker{Of: []string{"p", "p"}}}, bookahead.ErrInvalid, []string{"Of[1]", "twice"}},
		{"a broker of nodes and a pool", AddSchedule{"x", Broker{Of: []string{"p", "n"}}}, bookahead.ErrInvalid, []string{"Of[1]", "one kind"}},
		{"a broker of itself", AddSchedule{"x", Broker{Of: []string{"x"}}}, bookahead.ErrInvalid, []string{"Of[0]", "no schedule"}},
		{"a policy that is none", AddSchedule{"x", Broker{Of: []string{"p"}, Policy: "best"}}, bookahead.ErrInvalid, []string{"Policy", "best"}},
		{"servers preferred by none", AddSchedule{"x", Servers{Count: 1, Prefer: "odd"}}, bookahead.ErrInvalid, []string{"Prefer", "odd"}},
		{"a commit of no booking", Commit{9}, bookahead.ErrNotFound, nil},
		{"a commit of no hold", Commit{2}, bookahead.ErrNotFound, nil},
		{"a cancel of no booking", Cancel{0}, bookahead.ErrNotFound, nil},
		{"a cancel of one that is over", Cancel{3}, bookahead.ErrNotFound, nil},
		{"an end of one that has not begun", End{2}, bookahead.ErrInvalid, []string{"End.ID", "2", "not running"}},
		{"an end of one that is over", End{3}, bookahead.ErrNotFound, nil},
		{"an overrun of one that has not begun", Overrun{ID: 2, Until: 50}, bookahead.ErrInvalid, []string{"Overrun.ID", "2", "not running"}},
		{"an overrun into the past", Overrun{ID: 1, Until: 20}, bookahead.ErrInvalid, []string{"Until", "20", "not after the end"}},
		{"a change of one that is over", Change{ID: 3, To: asks(Part{On: "p", Units: 1, Duration: 5})}, bookahead.ErrNotFound, nil},
		{"a change of a running one to end by now", Change{ID: 1, To: asks(Part{On: "p", Units: 1, Duration: 10})}, bookahead.ErrInvalid, []string{"Duration", "10", "by now"}},
		{"a change of a running one to elsewhere", Change{ID: 1, To: asks(Part{On: "q", Units: 1, Duration: 20})}, bookahead.ErrInvalid, []string{"On", "q", "begun"}},
		{"a change of a running one to two parts", Change{ID: 1, To: asks(Part{On: "p", Units: 1, Duration: 20}, Part{On: "p", Units: 1, Duration: 20})}, bookahead.ErrInvalid, []string{"Shapes", "1 parts"}},
		{"a change to nonsense", Change{ID: 2}, bookahead.ErrInvalid, []string{"Shapes"}},
		{"a clock that goes back", Advance{9}, bookahead.ErrInvalid, []string{"Advance.Now", "9", "10"}},
		{"a clock over the end of the axis", Advance{bookahead.MaxTime}, bookahead.ErrInvalid, []string{"Advance.Now", "near"}},
	}
}

// TestBadInput checks that bad commands are refused with the right kind of error, which names the field,
// and change nothing.
func TestBadInput(t *testing.T) {
	d := opened(t, Config{Keep: 1000})
	must(t, d, AddSchedule{"near", Pool{Units: 1, Horizon: 100}})
	must(t, d, Book{Request: asks(Part{On: "p", Units: 1, Duration: 20})})
	r := asks(Part{On: "p", Units: 1, Duration: 10})
	r.Ready = 30
	must(t, d, Book{Key: "k", Request: r})
	must(t, d, Book{Request: asks(Part{On: "q", Units: 1, Duration: 5})})
	must(t, d, Advance{10})
	for _, c := range badCommands() {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			before := d.Clone()
			_, err := d.Decide(c.command)
			require.ErrorIs(t, err, c.kind)
			_, err = d.Do(c.command)
			require.ErrorIs(t, err, c.kind)
			if c.kind != bookahead.ErrInvalid {
				require.Equal(t, c.kind, err)
			}
			for _, text := range c.about {
				require.ErrorContains(t, err, text)
			}
			require.NoError(t, alike(&before.b, &d.b))
		})
	}
}

// TestTextsOfAnyBytes checks that texts are kept as they are.
func TestTextsOfAnyBytes(t *testing.T) {
	d := opened(t, Config{})
	odd := "\x00\xff\xfe line\n\u202e" + strings.Repeat("\x80", MaxText-20)
	r := asks(Part{On: "p", Units: 1, Duration: 5})
	r.Owner, r.Title, r.Labels = odd, odd, []string{odd, ""}
	k := must(t, d, Book{Key: odd, Request: r})
	require.Equal(t, []string{odd, odd, odd, odd}, []string{k.Key, k.Owner, k.Title, k.Labels[0]})
	again := must(t, d, Book{Key: odd, Request: r})
	require.Equal(t, k, again)
}

// TestBadConfig checks that New refuses times that are negative.
func TestBadConfig(t *testing.T) {
	for _, c := range []Config{{Origin: -1}, {Keep: -1}} {
		_, err := New(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
}
