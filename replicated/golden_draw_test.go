package replicated

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
)

// goldenDraw draws entries for a machine of its own. The machine has carried out the entries before, so most commands
// are about something that exists.
type goldenDraw struct {
	*feed
	n        func(int) int
	opens    []desk.Command // AddSchedule commands, one a call
	sessions []*goldenSession
	keyed    []desk.Command // bookings with a key; retries are drawn from them
}

type goldenSession struct {
	id     SessionID
	number uint64
	last   call
}

func newGoldenDraw(t testing.TB, seed uint64) *goldenDraw {
	d := &goldenDraw{feed: newFeed(t, goldenConfig()), n: seeded(seed)}
	d.opens = goldenSchedules()
	return d
}

func (d *goldenDraw) one(n int) bool { return d.n(n) == 0 }

func oneOf[E any](d *goldenDraw, list ...E) E { return list[d.n(len(list))] }

// ahead draws a tick, at or behind the clock.
func (d *goldenDraw) ahead(n int) bookahead.Time { return d.desk.Now() + bookahead.Time(d.n(n)) }

// goldenSchedules returns commands that add schedules of each kind, with each policy.
func goldenSchedules() (list []desk.Command) {
	add := func(name string, k desk.Kind) { list = append(list, desk.AddSchedule{Name: name, Kind: k}) }
	add("pool", desk.Pool{Units: 4})
	add("line", desk.Pool{Units: 3, Horizon: 60})
	for _, prefer := range []string{"", "lowest", "best", "worst"} {
		add("lab "+prefer, desk.Servers{Count: 4, Prefer: prefer})
	}
	for _, policy := range []string{"", "best", "fewest", "spread"} {
		add("farm "+policy, desk.Nodes{
			Horizon: 80, Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{2, 8}, {2, 8}, {0, 16}, {1, 4}},
			Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}}, Sets: map[string][]int{"big": {0, 1, 2}}, Policy: policy,
		})
	}
	for _, policy := range []string{"first", "least-loaded", "shortest-queue"} {
		add("any "+policy, desk.Broker{Of: []string{"pool", "lab best", "line"}, Policy: policy})
		add("farms "+policy, desk.Broker{Of: []string{"farm best", "farm "}, Policy: policy})
	}
	return list
}

var goldenPlain = []string{"pool", "pool", "line", "lab ", "lab lowest", "lab best", "lab worst"}

// entry draws an entry.
func (d *goldenDraw) entry() entry {
	e := entry{version: Version, now: -1, jump: 30, room: 10, memory: 1 << 20}
	if !d.hasAgreed.Load() {
		e.settings = d.own
	}
	if d.one(3) {
		e.now = d.ahead(4)
	}
	odd := d.n(150)
	if len(d.opens) > 0 {
		odd = -1 // no odd call beside a schedule: a refused AddSchedule is never drawn again
	}
	switch odd {
	case 0:
		e.now = max(0, d.ahead(1)-3)
	case 1, 2:
		e.now, e.jump = d.ahead(60), 20
	case 3:
		e.now, e.jump = d.ahead(60), -1
	case 4, 5, 6:
		e.room, e.memory = 4, 16384
	}
	switch {
	case d.sealed():
		e.calls = append(e.calls, call{op: unseal})
	case d.one(200):
		e.calls = append(e.calls, call{op: seal})
	}
	if len(d.sessions) < 8 {
		e.calls = append(e.calls, call{op: openSession})
		return e
	}
	used := slices.Clone(d.sessions)
	for range 1 + d.n(3) {
		i := d.n(len(used))
		s := used[i]
		used = slices.Delete(used, i, i+1) // of two calls in a session, the fingerprint would have only the second answer
		if s.number == 0 || !d.one(15) {
			s.number += uint64(1 + d.n(2))
			s.last = call{op: doCommand, session: s.id, number: s.number, body: d.body()}
		}
		e.calls = append(e.calls, s.last)
	}
	return e
}

// give is the give of feed. It also notes which sessions are open.
func (d *goldenDraw) give(t testing.TB, e entry) {
	for _, a := range d.feed.give(t, e) {
		if a.session != 0 {
			d.sessions = append(d.sessions, &goldenSession{id: a.session})
		}
	}
	d.sessions = slices.DeleteFunc(d.sessions, func(s *goldenSession) bool { return d.feed.sessions.at[s.id] == 0 })
}

// body draws a sensible command, as bytes.
func (d *goldenDraw) body() []byte {
	for {
		b, err := desk.MarshalCommand(d.command())
		if err == nil {
			return b
		}
	}
}

// command draws a command.
func (d *goldenDraw) command() desk.Command {
	if len(d.opens) > 0 {
		c := d.opens[0]
		d.opens = d.opens[1:]
		return c
	}
	switch k := d.n(100); {
	case k < 42:
		return d.book()
	case k < 47:
		return d.series()
	case k < 50:
		return d.goOn()
	case k < 52:
		return desk.CancelSeries{ID: d.seriesID(), From: d.ahead(20)}
	case k < 56:
		return desk.Commit{ID: d.id(desk.Held)}
	case k < 63:
		return desk.Change{ID: d.id(desk.Booked, desk.Running, desk.Held, desk.Waiting), To: d.varied(), Force: d.force()}
	case k < 70:
		return desk.Cancel{ID: d.id(desk.Booked, desk.Running, desk.Held, desk.Waiting)}
	case k < 73:
		return desk.End{ID: d.id(desk.Running)}
	case k < 77:
		return desk.Overrun{ID: d.id(desk.Running), Until: d.ahead(15) + 2, Force: d.force()}
	case k < 82:
		return d.closes()
	case k < 84:
		return d.reopen()
	case k < 86:
		return d.extend()
	case k < 88:
		return desk.Advance{Now: d.ahead(4)}
	case k < 91:
		return d.terms()
	case k < 94:
		return d.quota()
	case k < 96:
		return desk.DropQuota{Name: d.quotaName()}
	}
	c := desk.Batch{}
	for range 1 + d.n(3) {
		one := d.command()
		if _, nested := one.(desk.Batch); !nested {
			c.Commands = append(c.Commands, one)
		}
	}
	return c
}

func (d *goldenDraw) force() desk.Force {
	return oneOf(d, desk.Nobody, desk.Nobody, desk.Lower, desk.Anybody)
}

// id draws a booking in one of the states.
func (d *goldenDraw) id(states ...desk.State) desk.BookingID {
	var ids []desk.BookingID
	last := desk.BookingID(0)
	for b := range d.desk.Bookings(desk.Filter{}, bookahead.Effort{}) {
		last = max(last, b.ID)
		if slices.Contains(states, b.State) {
			ids = append(ids, b.ID)
		}
	}
	if len(ids) == 0 || d.one(30) {
		return last
	}
	return oneOf(d, ids...)
}

func (d *goldenDraw) book() desk.Command {
	if len(d.keyed) > 0 && d.one(20) {
		return oneOf(d, d.keyed...)
	}
	c := desk.Book{Request: d.request(), Force: d.force()}
	switch d.n(4) {
	case 0:
		c.Hold = d.ahead(20) + 1
	case 1:
		c.Wait = d.ahead(40) + 1
		if c.Deadline != 0 && d.one(2) {
			c.Shapes = append(c.Shapes, tooLate(&c.Request))
		}
	}
	if d.one(6) {
		c.Key = fmt.Sprint("key ", d.n(60))
		d.keyed = append(d.keyed, c)
	}
	return c
}

// tooLate returns a shape that cannot end by the deadline, though its step could begin later than that of most shapes: the
// booking does not wait for it.
func tooLate(r *desk.Request) desk.Shape {
	return desk.Shape{{On: "pool", Units: 1, Duration: 1, Offset: bookahead.Duration(r.Deadline - r.Ready)}}
}

func isTooLate(r *desk.Request, s desk.Shape) bool {
	return r.Deadline != 0 && s[0].Offset == bookahead.Duration(r.Deadline-r.Ready)
}

// request draws a request with one to three shapes.
func (d *goldenDraw) request() desk.Request {
	r := desk.Request{
		Owner: oneOf(d, "ann", "bob", "eve"), Title: oneOf(d, "", "run"), Priority: int64(d.n(4)),
		Labels: oneOf(d, nil, nil, []string{"blue"}, []string{"red", "blue"}),
		Ready:  d.ahead(12),
	}
	for range oneOf(d, 1, 1, 1, 2, 3) {
		r.Shapes = append(r.Shapes, d.shape())
	}
	if d.one(2) { // often too early for free room
		r.Deadline = r.Ready + bookahead.Time(4+d.n(24))
	}
	return r
}

func (d *goldenDraw) shape() (s desk.Shape) {
	for i := range oneOf(d, 1, 1, 1, 2, 2, 3) {
		p := d.part()
		if i > 0 && d.one(2) {
			least := bookahead.Duration(d.n(4))
			p.After = &desk.Gap{Least: least, Most: least + bookahead.Duration(oneOf(d, 0, 2, 9, 1000))}
		} else if d.one(3) {
			p.Offset = bookahead.Duration(d.n(5))
		}
		s = append(s, p)
	}
	return s
}

func (d *goldenDraw) part() desk.Part {
	p := desk.Part{Units: int64(1 + d.n(3)), Duration: bookahead.Duration(2 + d.n(20))}
	switch d.n(6) {
	case 0:
		p.On = "any " + oneOf(d, "first", "least-loaded", "shortest-queue")
	case 1:
		p.On, p.Tasks = "farms "+oneOf(d, "first", "least-loaded", "shortest-queue"), d.tasks()
	case 2:
		p.On, p.Tasks = "farm "+oneOf(d, "", "best", "fewest", "spread"), d.tasks()
	default:
		p.On = oneOf(d, goldenPlain...)
		if p.On[:3] == "lab" && d.one(3) {
			p.Servers = oneOf(d, []int{0, 1, 2}, []int{1, 2, 3}, []int{3, 0, 1})
		}
	}
	return p
}

func (d *goldenDraw) tasks() *nodes.Request {
	r := &nodes.Request{Each: oneOf(d, nodes.Vector{1, 1}, nodes.Vector{0, 4}, nodes.Vector{1, 4}, nodes.Vector{0, 3})}
	switch d.n(9) {
	case 0:
		r.PerNode = int64(1 + d.n(2))
	case 1:
		r.Within = "rack"
	case 2:
		r.Nodes = oneOf(d, []int{0, 1, 2}, []int{1, 2, 3})
	case 3:
		r.Except = oneOf(d, []int{0}, []int{2})
	case 4:
		r.Head = oneOf(d, nodes.Vector{1, 0}, nodes.Vector{0, 5})
	case 5:
		r.Together = "rack"
	case 6:
		r.Set = "big"
	}
	return r
}

// varied draws a request for a Change: a new one, or nearly the request of a booking.
func (d *goldenDraw) varied() desk.Request {
	b, err := d.desk.Booking(d.id(desk.Booked, desk.Running, desk.Held))
	if err != nil || d.one(3) {
		return d.request()
	}
	r := b.Request
	r.Shapes = []desk.Shape{slices.Clone(r.Shapes[b.Shape])}
	p := &r.Shapes[0][d.n(len(r.Shapes[0]))]
	switch d.n(5) {
	case 0:
		p.Units = max(1, p.Units+int64(oneOf(d, -1, 1)))
	case 1:
		p.Duration = max(1, p.Duration+bookahead.Duration(oneOf(d, -2, 3)))
	case 2:
		r.Owner, r.Priority = oneOf(d, "ann", "bob", "eve"), int64(d.n(4))
	case 3:
		r.Ready = d.ahead(25)
	}
	return r
}
