package sim

import (
	"slices"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// pooled books the sums of resources ahead, and nodes for gangs that begin.
//
//	            now                   at its start
//	gpus        ░░░░░░░░██████        a pool of all GPUs
//	cores       ░░░░░░░░██████        a pool of all cores
//	running     ──────────────        the nodes of the gangs that run: it gets some here,
//	                                  or there are none, though both pools have room
type pooled struct {
	pools   []*carts.Indexed // by resource; nil for one of which no node has any
	total   nodes.Vector     // when all nodes are open
	running *nodes.Machine   // holds the gangs that run, and no others
	open    *nodes.Machine   // holds none, with the same closures
}

// newPooled returns pools as large as the sums over the nodes of m, which is empty.
func newPooled(m *nodes.Machine) (*pooled, error) {
	p := &pooled{running: m.Clone(), open: m.Clone(), total: make(nodes.Vector, resources(m))}
	capacity, err := p.capacity()
	if err != nil {
		return nil, err
	}
	for _, s := range capacity {
		for r, n := range s.has {
			p.total[r] = max(p.total[r], n)
		}
	}
	f := m.Frame()
	c := carts.Config{Origin: f.Now}
	if f.Horizon < bookahead.MaxTime {
		c.Horizon = bookahead.Duration(f.Horizon - f.Now)
	}
	p.pools = make([]*carts.Indexed, len(p.total))
	for r, n := range p.total {
		if n == 0 {
			continue
		}
		p.pools[r], err = carts.NewIndexed(n, c)
		if err != nil {
			return nil, err
		}
	}
	return p, p.shut()
}

// resources returns how many resources a machine has: the length of the vectors that it accepts.
func resources(m *nodes.Machine) int {
	for n := 1; n < nodes.MaxResources; n++ {
		_, err := m.Tasks(unit(n, 0), 0)
		if err == nil {
			return n
		}
	}
	return nodes.MaxResources
}

// unit returns a vector of n resources with 1 of resource r.
func unit(n, r int) nodes.Vector {
	v := make(nodes.Vector, n)
	v[r] = 1
	return v
}

// stretch is a time in which the same nodes are open.
type stretch struct {
	bookahead.Interval
	has nodes.Vector // of all open nodes together
}

// capacity returns the stretches from now on. It takes a clone through the time, as a machine knows
// no more than its horizon.
func (p *pooled) capacity() ([]stretch, error) {
	ahead := p.open.Clone()
	edges := []bookahead.Time{ahead.Frame().Now, bookahead.MaxTime}
	for c := range ahead.Closures() {
		edges = append(edges, max(c.Start, edges[0]), c.End)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	list := make([]stretch, len(edges)-1)
	for k := range list {
		s := &list[k]
		s.Start, s.End, s.has = edges[k], edges[k+1], make(nodes.Vector, len(p.total))
		err := ahead.Advance(s.Start)
		if err != nil {
			return nil, err
		}
		for r := range s.has {
			view, err := ahead.Tasks(unit(len(s.has), r), 0)
			if err != nil {
				return nil, err
			}
			free, err := view.RangeQuery(bookahead.Interval{Start: s.Start, End: s.Start + 1})
			if err != nil {
				return nil, err
			}
			s.has[r] = free.Free
		}
	}
	return list, nil
}

// shut closes in each pool the amounts of the nodes that are closed, and no others. A node that two
// outages close is closed once.
func (p *pooled) shut() error {
	capacity, err := p.capacity()
	if err != nil {
		return err
	}
	for r, pool := range p.pools {
		if pool == nil {
			continue
		}
		for _, c := range slices.Collect(pool.Closures()) {
			err := pool.End(c.ID, p.open.Frame().Now)
			if err != nil {
				return err
			}
		}
		for _, s := range capacity {
			if s.has[r] == p.total[r] {
				continue
			}
			_, err := pool.Close(bookahead.Closure{Interval: s.Interval, Units: p.total[r] - s.has[r]})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pooled) Close(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := p.running.Close(c)
	if err == nil {
		_, err = p.open.Close(c)
	}
	if err == nil {
		err = p.shut()
	}
	return c, err
}

func (p *pooled) EndClosure(id bookahead.ClosureID, at bookahead.Time) error {
	err := p.running.EndClosure(id, at)
	if err == nil {
		err = p.open.EndClosure(id, at)
	}
	if err == nil {
		err = p.shut()
	}
	return err
}

func (p *pooled) advance(now bookahead.Time) error {
	err := p.running.Advance(now)
	if err == nil {
		err = p.open.Advance(now)
	}
	return err
}

func (p *pooled) schedules() (list []plan.Schedule) {
	for k, pool := range p.pools {
		if pool != nil {
			list = append(list, plan.Schedule{Name: strconv.Itoa(k), Pool: pool})
		}
	}
	return list
}

// shape has a part for each resource that the gang takes. A gang that takes more than there is asks for all and one more.
func (p *pooled) shape(g *Gang) (s plan.Shape) {
	for k := range p.pools {
		n, ok := p.sum(g.On, k)
		if !ok {
			n = p.total[k] + 1
		}
		if n > 0 {
			s = append(s, plan.Part{On: strconv.Itoa(k), Units: n, Duration: g.Estimate})
		}
	}
	return s
}

// book books the sums at the earliest start at which all pools have room.
func (p *pooled) book(r nodes.Request) (booking, error) {
	job := grid.Job{Ready: r.Ready, Deadline: r.Deadline}
	var b booking
	for k := range p.pools {
		n, ok := p.sum(r, k)
		if !ok {
			return booking{}, bookahead.ErrUnavailable
		}
		if n > 0 {
			job.Parts = append(job.Parts, grid.Part{On: p.pools[k], Duration: r.Duration, Units: n})
			b.firm = append(b.firm, firm{on: strconv.Itoa(k)})
		}
	}
	a, err := grid.CoAllocate(job)
	if err != nil {
		return booking{}, err
	}
	b.Interval = a.Parts[0].Interval
	for k, part := range a.Parts {
		b.firm[k].id = part.ID
	}
	return b, nil
}

// sum returns how much of a resource a gang takes, and false if that is more than there is.
func (p *pooled) sum(r nodes.Request, k int) (int64, bool) {
	rest := p.total[k]
	if r.Head != nil {
		rest -= r.Head[k]
	}
	if rest < 0 || r.Each[k] > 0 && r.Tasks > rest/r.Each[k] {
		return 0, false
	}
	return p.total[k] - rest + r.Tasks*r.Each[k], true
}

// begin books nodes on the machine of the gangs that run.
func (p *pooled) begin(b booking, r nodes.Request) (booking, error) {
	res, err := p.running.Reserve(r)
	return booking{res, b.firm}, err
}

func (p *pooled) leave(b booking) error {
	if b.ID == 0 { // it has no nodes yet
		return nil
	}
	return p.running.Release(b.ID)
}

// displaces reports whether the booking lies where a pool is overbooked, whatever the outage is.
func (p *pooled) displaces(_ *Outage, b booking) bool {
	return slices.ContainsFunc(b.firm, func(f firm) bool {
		k, _ := strconv.Atoi(f.on)
		return p.pools[k].Overbooks(f.id)
	})
}

func (p *pooled) room(r nodes.Request) (bookahead.Time, error) {
	o, err := p.running.Search(r)
	return o.Start, err
}
