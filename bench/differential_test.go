package bench_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/structures"
)

// TestStructuresAgree makes the same random calls on all structures that
// promise the same answers.
func TestStructuresAgree(t *testing.T) {
	promises := map[string][]structures.Structure{}
	for _, st := range structures.Compared() {
		if st.Answers != "" {
			promises[st.Answers] = append(promises[st.Answers], st)
		}
	}
	for promise, same := range promises {
		t.Run(promise, rapid.MakeCheck(func(t *rapid.T) { agree(t, same) }))
	}
}

const origin bookahead.Time = 5

// side holds one schedule of each structure, side by side.
type side struct {
	*rapid.T
	structures []structures.Structure
	schedules  []bookahead.Schedule
	capacity   int
	servers    bool  // the structures book servers, not units
	all        []int // the numbers of all servers
	horizon    int
	now        bookahead.Time
	issued     bookahead.ID // the ID of the last reservation
}

// answer is the result of a call.
type answer struct {
	value any
	kind  error // see kind
}

// same makes a call on each schedule. It returns the answer, which must be the same.
func (p *side) same(call func(bookahead.Schedule) (any, error)) answer {
	p.Helper()
	var first answer
	for i, s := range p.schedules {
		value, err := call(s)
		a := answer{value, kind(err)}
		if i == 0 {
			first = a
		}
		require.Equal(p, first, a, "%s and %s differ", p.structures[0].Name, p.structures[i].Name)
	}
	return first
}

// kind returns the error of the interface that err wraps: the structures may word it
// differently. Any other err is returned as it is.
func kind(err error) error {
	for _, kind := range []error{bookahead.ErrUnavailable, bookahead.ErrNotFound, bookahead.ErrInvalid} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return err
}

func (p *side) draw(label string, low, high int) int {
	return rapid.IntRange(low, high).Draw(p.T, label)
}

// tick draws a time from a little before now to a little beyond the horizon.
func (p *side) tick(label string) bookahead.Time {
	return p.now + bookahead.Time(p.draw(label, -5, p.horizon+5))
}

// request draws a request, which is invalid now and then.
func (p *side) request() bookahead.Request {
	r := bookahead.Request{
		Ready:    p.tick("ready"),
		Duration: bookahead.Duration(p.draw("duration", 0, 60)),
		Units:    int64(p.draw("units", 0, p.capacity+1)),
	}
	if p.servers && p.draw("named", 0, 3) == 0 {
		all := rapid.Permutation(p.all).Draw(p.T, "servers")
		r.Servers = all[:p.draw("number named", 0, len(all))]
	}
	if slack := p.draw("slack", -2, 100); slack > -2 {
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(slack)
	}
	return r
}

func agree(t *rapid.T, same []structures.Structure) {
	p := &side{T: t, structures: same, now: origin}
	p.capacity = rapid.SampledFrom([]int{1, 16, 1000}).Draw(t, "capacity")
	p.servers = same[0].Servers
	if p.servers {
		p.capacity = rapid.SampledFrom([]int{1, 16, 130}).Draw(t, "servers")
		for k := range p.capacity {
			p.all = append(p.all, k)
		}
	}
	p.horizon = rapid.SampledFrom([]int{300, 5000}).Draw(t, "horizon")
	for _, st := range same {
		s, err := st.New(int64(p.capacity), structures.Config{Origin: origin, Horizon: bookahead.Duration(p.horizon)})
		require.NoError(t, err, st.Name)
		p.schedules = append(p.schedules, s)
	}
	for range p.draw("operations", 1, 200) {
		p.do(rapid.SampledFrom([]string{
			"reserve", "reserve", "reserve", "release", "release", "search", "offers", "range query", "advance",
		}).Draw(t, "operation"))
	}
	const step = 7
	for start := p.now; start < p.now+bookahead.Time(p.horizon); start += step {
		p.free(bookahead.Interval{Start: start, End: start + step})
	}
}

func (p *side) do(operation string) {
	switch operation {
	case "reserve":
		p.reserve()
	case "release":
		p.release()
	case "search":
		p.search()
	case "offers":
		p.offers()
	case "range query":
		p.rangeQuery()
	case "advance":
		p.advance()
	}
}

func (p *side) reserve() {
	r := p.request()
	a := p.same(func(s bookahead.Schedule) (any, error) { return s.Reserve(r) })
	if a.kind == nil {
		p.issued = a.value.(bookahead.Reservation).ID
	}
}

// release draws an ID of a reservation that is booked, has ended, or never was.
func (p *side) release() {
	id := bookahead.ID(p.draw("id", 0, int(p.issued)+1))
	p.same(func(s bookahead.Schedule) (any, error) { return nil, s.Release(id) })
}

func (p *side) search() {
	r := p.request()
	p.same(func(s bookahead.Schedule) (any, error) { return s.Search(r) })
}

func (p *side) offers() {
	r := p.request()
	p.same(func(s bookahead.Schedule) (any, error) {
		var some []bookahead.Offer
		for o := range bookahead.Offers(s, r) {
			some = append(some, o)
			if len(some) == 5 {
				break
			}
		}
		return some, nil
	})
}

func (p *side) rangeQuery() {
	start := p.tick("start")
	p.free(bookahead.Interval{Start: start, End: start + bookahead.Time(p.draw("length", 0, 200))})
}

func (p *side) free(w bookahead.Interval) {
	p.same(func(s bookahead.Schedule) (any, error) { return s.RangeQuery(w) })
}

func (p *side) advance() {
	now := p.now + bookahead.Time(p.draw("advance", -1, 40))
	if p.same(func(s bookahead.Schedule) (any, error) { return nil, s.Advance(now) }).kind == nil {
		p.now = now
	}
}

// TestServersAgreeOnStarts: structures may choose different servers. Here one of them
// chooses for all, so that the same servers are booked everywhere. Then all structures
// agree on every earliest start and every count of free servers.
func TestServersAgreeOnStarts(t *testing.T) {
	var exact []structures.Structure
	for _, st := range structures.Compared() {
		rounds := st.Slotted() && st.Widths[0] > 1
		if st.Servers && !rounds {
			exact = append(exact, st)
		}
	}
	require.Greater(t, len(exact), 3)
	rapid.Check(t, func(t *rapid.T) {
		p := &side{T: t, structures: exact, now: origin, capacity: 12, horizon: 300}
		for _, st := range exact {
			s, err := st.New(int64(p.capacity), structures.Config{Origin: origin, Horizon: 300})
			require.NoError(t, err, st.Name)
			p.schedules = append(p.schedules, s)
		}
		for range p.draw("operations", 1, 60) {
			p.do(rapid.SampledFrom([]string{"release", "range query", "advance"}).Draw(t, "operation"))
			r := p.request()
			p.same(func(s bookahead.Schedule) (any, error) {
				o, err := s.Search(r)
				return o.Interval, err
			})
			chooser := p.schedules[p.draw("who chooses", 0, len(p.schedules)-1)]
			if o, err := chooser.Search(r); err == nil {
				a := p.same(func(s bookahead.Schedule) (any, error) { return s.Reserve(o.Request()) })
				require.NoError(t, a.kind)
				p.issued = a.value.(bookahead.Reservation).ID
			}
		}
	})
}
