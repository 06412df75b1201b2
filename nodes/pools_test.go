package nodes

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// BenchmarkPools counts how often two pools, one of all GPUs and one of all cores, say yes where no
// nodes hold the job. Jobs of gang are booked ahead on a machine, each at its earliest start, and the
// pools take the same. Then both are asked for further jobs of a kind, which are ready anywhere as well:
//
//	accepted-%       jobs that the pools can start at the ready time, of all that are asked for
//	wrong-%          jobs that the nodes cannot start then, of those accepted
//	wrong-shared-%   the same, if a node may take several tasks of a job
//	early-%          jobs that the pools start earlier than the nodes can, of all that are asked for
//	broken-%         where the pools alone book, and nodes are chosen at the start of a job: jobs that
//	                 find too few nodes at their start, of all that start in the middle
//
// The load is the GPU time that the jobs ask for in two weeks, as a share of all GPU time of two weeks.
// They ask for a little less of the core time. Where jobs have to wait, some are booked after the
// two weeks: booked-% is the share of the GPU time that is booked in the middle of them.
//
// The figures are the same in each run. 2 000 nodes take most of the time: -short leaves them out.
func BenchmarkPools(b *testing.B) {
	type size struct {
		nodes  int
		states uint64 // the more nodes, the less one differs from another
	}
	sizes := []size{{100, 8}, {500, 4}, {2_000, 1}}
	if testing.Short() {
		sizes = []size{{100, 1}}
	}
	for _, load := range []float64{0.5, 0.7, 0.9} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("load=%g/nodes=%d", load, size.nodes), func(b *testing.B) {
				var states []*mirrored
				for seed := range size.states {
					states = append(states, mirror(b, size.nodes, load, seed))
				}
				for _, kind := range []string{"cores", "part", "whole", "rack"} {
					b.Run("kind="+kind, func(b *testing.B) { benchmarkPools(b, states, kind) })
				}
			})
		}
	}
}

// asked is how many jobs of a kind each state is asked for.
const asked = 500

func benchmarkPools(b *testing.B, states []*mirrored, kind string) {
	var c toll
	for b.Loop() {
		c = toll{}
		for _, x := range states {
			x.ask(b, kind, &c)
		}
	}
	held, broken, booked := 0, 0, 0.0
	for _, x := range states {
		held += x.held[kind]
		broken += x.broken[kind]
		booked += x.booked / float64(len(states))
	}
	percent := func(unit string, part, whole int) { b.ReportMetric(100*float64(part)/float64(whole), unit) }
	percent("accepted-%", c.accepted, c.asked)
	percent("wrong-%", c.wrong, c.accepted)
	percent("wrong-shared-%", c.shared, c.accepted)
	percent("early-%", c.early, c.asked)
	percent("broken-%", broken, held)
	b.ReportMetric(100*booked, "booked-%")
	b.ReportMetric(0, "ns/op")
}

// jobKind returns the kind of a job of gang: cores only, a part of a node, whole nodes, or any of these in
// one rack.
func jobKind(r Request) string {
	switch {
	case r.Within != "":
		return "rack"
	case r.Each[0] == 0:
		return "cores"
	case r.Each[0] < 8:
		return "part"
	default:
		return "whole"
	}
}

// era is the time in which jobs are ready. Only its middle half is measured, where a window has as
// many jobs before it as behind it.
const era = 14 * day

var eraMiddle = bookahead.Interval{Start: era / 4, End: era * 3 / 4}

// mirrored is a machine that is booked ahead, and the pools of its sums.
type mirrored struct {
	seed         uint64
	jobs         *gang
	machine      *Machine
	pools        pools
	booked       float64        // the share of the GPU time in the middle that is booked
	held, broken map[string]int // by kind: jobs that the pools alone hold in the middle; see broken-%
}

func mirror(b *testing.B, n int, load float64, seed uint64) *mirrored {
	x := &mirrored{seed: seed, jobs: &gang{nodes: n}, held: map[string]int{}, broken: map[string]int{}}
	x.machine, x.pools = x.empty(b)
	x.fill(load, func(r Request) {
		res, err := x.machine.Reserve(r)
		if err != nil {
			b.Fatal(err)
		}
		x.pools.book(b, fixedAt(r, res.Start))
		inside := res.Interval.Intersect(eraMiddle)
		x.booked += float64(r.Tasks*r.Each[0]) * float64(max(0, inside.Len()))
	})
	x.booked /= float64(8*n) * float64(eraMiddle.Len())
	x.bindLate(b, load)
	return x
}

func (x *mirrored) empty(b *testing.B) (*Machine, pools) {
	m, err := New(x.jobs.config(Policy{}))
	if err != nil {
		b.Fatal(err)
	}
	var p pools
	for i, each := range m.given[0] {
		p[i], err = carts.NewIndexed(each*int64(len(m.given)), carts.Config{})
		if err != nil {
			b.Fatal(err)
		}
	}
	return m, p
}

// fill books jobs that are ready anywhere in the era, until they ask for a share of its GPU time.
func (x *mirrored) fill(load float64, book func(Request)) {
	x.jobs.rng = rand.New(rand.NewPCG(x.seed, 1))
	for rest := load * era * float64(8*x.jobs.nodes); rest > 0; {
		r := x.jobs.job(bookahead.Time(x.jobs.rng.Int64N(era)))
		book(r)
		rest -= float64(r.Tasks*r.Each[0]) * float64(r.Duration)
	}
}

// bindLate books the same jobs in pools alone, each at its earliest start. Then the jobs start in turn, on
// free nodes. A job that finds too few is dropped, and makes room for others.
func (x *mirrored) bindLate(b *testing.B, load float64) {
	m, p := x.empty(b)
	var plan []Request
	x.fill(load, func(r Request) {
		t, err := p.search(r)
		if err != nil {
			b.Fatal(err)
		}
		r = fixedAt(r, t)
		p.book(b, r)
		plan = append(plan, r)
	})
	slices.SortStableFunc(plan, func(r, s Request) int { return cmp.Compare(r.Ready, s.Ready) })
	for _, r := range plan {
		err := m.Advance(r.Ready)
		if err != nil {
			b.Fatal(err)
		}
		_, err = m.Reserve(r)
		if !eraMiddle.Contains(r.Ready) {
			continue
		}
		x.held[jobKind(r)]++
		if errors.Is(err, bookahead.ErrUnavailable) {
			x.broken[jobKind(r)]++
		}
	}
}

// toll is the outcome for jobs of a kind.
type toll struct{ asked, accepted, wrong, shared, early int }

// ask asks the machine and the pools for jobs of a kind that are ready in the middle, and books none.
func (x *mirrored) ask(b *testing.B, kind string, c *toll) {
	x.jobs.rng = rand.New(rand.NewPCG(x.seed, 2))
	for n := 0; n < asked; {
		r := x.jobs.job(eraMiddle.Start + bookahead.Time(x.jobs.rng.Int64N(int64(eraMiddle.Len()))))
		if jobKind(r) != kind {
			continue
		}
		n++
		x.compare(b, r, c)
	}
	c.asked += asked
}

func (x *mirrored) compare(b *testing.B, r Request, c *toll) {
	early, err := x.pools.search(r)
	if err != nil {
		b.Fatal(err)
	}
	o, err := x.machine.Search(r)
	if err != nil {
		b.Fatal(err)
	}
	switch {
	case early > o.Start:
		b.Fatalf("%+v starts at %d on the nodes, and later in the pools, at %d", r, o.Start, early)
	case early < o.Start:
		c.early++
	}
	if early > r.Ready {
		return
	}
	c.accepted++
	if o.Start == r.Ready {
		return
	}
	c.wrong++
	r = fixedAt(r, r.Ready)
	r.PerNode = 0
	_, err = x.machine.Search(r)
	if errors.Is(err, bookahead.ErrUnavailable) {
		c.shared++
	}
}

// fixedAt returns r with one start.
func fixedAt(r Request, t bookahead.Time) Request {
	r.Ready, r.Deadline = t, t+bookahead.Time(r.Duration)
	return r
}

// pools are the sums of a machine: the GPUs of all nodes, and their cores.
type pools [2]*carts.Indexed

// search returns the earliest start at which both pools have enough for r. They take turns until
// neither moves the start.
func (p pools) search(r Request) (bookahead.Time, error) {
	for t := r.Ready; ; {
		before := t
		for i, each := range r.Each {
			if each == 0 {
				continue
			}
			o, err := p[i].Search(bookahead.Request{Ready: t, Deadline: r.Deadline, Duration: r.Duration, Units: r.Tasks * each})
			if err != nil {
				return 0, err
			}
			t = o.Start
		}
		if t == before {
			return t, nil
		}
	}
}

// book takes the amounts of r, at its only start.
func (p pools) book(b *testing.B, r Request) {
	for i, each := range r.Each {
		if each == 0 {
			continue
		}
		_, err := p[i].Reserve(bookahead.At(r.Ready, r.Duration, r.Tasks*each))
		if err != nil {
			b.Fatal(err)
		}
	}
}
