package sim

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// poolsOracle simulates a cluster on pools tick by tick: a sum for each resource and tick, and the
// cells of a clusterOracle for the gangs that run. It decides when something has happened.
type poolsOracle struct {
	clusterOracle
	sums     [][]int64 // by resource and tick, of gangs that run or are booked
	broken   []int
	promised map[int]bool           // batch gangs
	off      map[int]bookahead.Time // those that have found no nodes, and until when
}

func simulatePools(x trial) *poolsOracle {
	o := &poolsOracle{clusterOracle: *newClusterOracle(x), promised: map[int]bool{}, off: map[int]bookahead.Time{}}
	for range x.given[0] {
		o.sums = append(o.sums, make([]int64, clusterTicks))
	}
	for ; slices.ContainsFunc(o.state, func(s state) bool { return s != stopped }); o.now++ {
		o.tick()
	}
	slices.Sort(o.broken)
	return o
}

// wants returns how much of a resource a gang takes.
func (o *poolsOracle) wants(i, r int) int64 {
	on := o.gangs[i].On
	sum := on.Tasks * on.Each[r]
	if on.Head != nil {
		sum += on.Head[r]
	}
	return sum
}

// short reports whether a pool has less than is booked and wanted at a tick.
func (o *poolsOracle) short(r int, t bookahead.Time, wanted int64) bool {
	open := int64(0)
	for k, v := range o.given {
		if !o.shut(k, t) {
			open += v[r]
		}
	}
	return o.sums[r][t]+wanted > open
}

// anyShort reports whether a pool is short for a gang at any tick of its time from a start.
func (o *poolsOracle) anyShort(i int, start bookahead.Time, again bool) bool {
	for r := range o.sums {
		wanted := o.wants(i, r)
		if wanted == 0 {
			continue
		}
		if again { // it is in the sums
			wanted = 0
		}
		for t := start; t < start+bookahead.Time(o.gangs[i].Estimate); t++ {
			if o.short(r, t, wanted) {
				return true
			}
		}
	}
	return false
}

// add adds the amounts that a gang takes between two ticks to the sums, so many times.
func (o *poolsOracle) add(i int, from, to bookahead.Time, times int64) {
	for r := range o.sums {
		for t := from; t < to; t++ {
			o.sums[r][t] += times * o.wants(i, r)
		}
	}
}

// place books a gang on the pools, at the first start between two.
func (o *poolsOracle) place(i int, first, last bookahead.Time) (bookahead.Time, bool) {
	for t := first; t <= last; t++ {
		if !o.anyShort(i, t, false) {
			o.add(i, t, t+bookahead.Time(o.gangs[i].Estimate), 1)
			return t, true
		}
	}
	return 0, false
}

// begin gives a gang nodes from now on, if there are any.
func (o *poolsOracle) begin(i int) bool {
	if !o.fits(i, o.now) {
		return false
	}
	o.change(i, o.now, o.now+bookahead.Time(o.gangs[i].Estimate), -1)
	o.state[i] = begun
	o.out[i].Provider, o.out[i].Start, o.out[i].End = 0, o.now, o.now+bookahead.Time(o.gangs[i].Run)
	return true
}

func (o *poolsOracle) tick() {
	ended := o.finish()
	news := slices.ContainsFunc(o.Outages, func(x Outage) bool {
		return x.Known == o.now || x.Start == o.now || x.over() == o.now
	})
	out := append(o.stop(), o.lift()...)
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(slices.Index(o.order, a), slices.Index(o.order, b)) })
	for _, i := range out {
		o.book(i, o.out[i].Start)
	}
	came := o.takeIn()
	began := o.arrive()
	if ended || news || came || began {
		o.decide()
	}
}

func (o *poolsOracle) finish() (any bool) {
	for i := range o.gangs {
		if o.state[i] == begun && o.out[i].End == o.now {
			o.state[i] = stopped
			o.change(i, o.now, o.end(i), 1)
			o.add(i, o.now, o.end(i), -1)
			any = true
		}
	}
	return any
}

// stop stops those that run on closed nodes, and returns the AR gangs.
func (o *poolsOracle) stop() (out []int) {
	for _, i := range o.order {
		if o.state[i] != begun || !o.hit(i, o.now, o.now+1) {
			continue
		}
		o.change(i, o.now, o.end(i), 1)
		o.add(i, o.now, o.end(i), -1)
		o.out[i].Displaced++
		if o.gangs[i].AR {
			out = append(out, i)
			continue
		}
		o.state[i] = waits
		o.out[i].Provider, o.out[i].Start, o.out[i].End = -1, 0, 0
	}
	return out
}

// lift takes out booked gangs where a pool is short, from the last that came in.
func (o *poolsOracle) lift() (out []int) {
	for _, i := range slices.Backward(o.order) {
		if o.state[i] == placed && o.anyShort(i, o.out[i].Start, true) {
			o.add(i, o.out[i].Start, o.end(i), -1)
			o.out[i].Displaced++
			out = append(out, i)
		}
	}
	return out
}

func (o *poolsOracle) takeIn() (any bool) {
	for _, i := range o.order {
		if o.comes(i) != o.now {
			continue
		}
		any = true
		switch {
		case o.gangs[i].AR:
			o.book(i, o.gangs[i].Ready)
			if o.state[i] == placed {
				o.out[i].Promised = o.out[i].Start
			}
		case o.everFits(i):
			o.state[i] = waits
		default:
			o.state[i], o.out[i].Rejected = stopped, true
		}
	}
	return any
}

// book places an AR gang, or rejects it.
func (o *poolsOracle) book(i int, from bookahead.Time) {
	g := &o.gangs[i]
	from = max(from, o.now)
	last := g.Due - bookahead.Time(g.Estimate)
	if from <= last {
		o.out[i].Attempts++
	}
	start, ok := o.place(i, from, last)
	if !ok {
		o.reject(i)
		return
	}
	o.state[i] = placed
	o.out[i].Provider, o.out[i].Start, o.out[i].End = 0, start, start+bookahead.Time(g.Run)
}

func (o *poolsOracle) reject(i int) {
	o.state[i] = stopped
	o.out[i].Rejected, o.out[i].Provider, o.out[i].Start, o.out[i].End = true, -1, 0, 0
}

// arrive starts AR gangs, or books those anew for which there are no nodes: from the first tick on at
// which there are, beside those that run.
func (o *poolsOracle) arrive() (any bool) {
	for i := range o.gangs {
		if o.state[i] != placed || o.out[i].Start != o.now {
			continue
		}
		any = true
		if o.begin(i) {
			continue
		}
		if o.out[i].Displaced == 0 && !slices.Contains(o.broken, i) {
			o.broken = append(o.broken, i)
		}
		o.add(i, o.now, o.end(i), -1)
		last := o.gangs[i].Due - bookahead.Time(o.gangs[i].Estimate)
		from := o.now
		for from <= last && !o.fits(i, from) {
			from++
		}
		if from <= last {
			o.book(i, from)
		} else {
			o.reject(i)
		}
	}
	return any
}

// decide goes through the queue until nothing changes. A gang that finds no nodes at its start is put off to the first tick at
// which there are some beside those that run, or for as long as there are none, and the queue is gone through again.
func (o *poolsOracle) decide() {
	for i := range o.off {
		if o.state[i] != waits || o.fits(i, o.now) {
			delete(o.off, i)
		}
	}
	for again := true; again; {
		again = o.pass()
	}
}

// pass reports whether a gang was put off.
func (o *poolsOracle) pass() (again bool) {
	o.renew()
	var starts []int
	for _, i := range o.queue() {
		if at, ok := o.kept[i]; ok && at == o.now {
			starts = append(starts, i)
		}
	}
	for o.round(&starts) {
	}
	for i, start := range o.kept {
		o.add(i, start, o.whole(i, start), -1)
		if start > o.now {
			o.promised[i] = true
			if o.out[i].Promised == Never {
				o.out[i].Promised = start
			}
		}
	}
	for _, i := range starts {
		if o.begin(i) {
			o.add(i, o.now, o.end(i), 1)
			delete(o.kept, i)
			delete(o.promised, i)
			continue
		}
		delete(o.kept, i)
		delete(o.promised, i)
		o.off[i] = o.now
		for o.off[i] < clusterTicks-100 && !o.fits(i, o.off[i]) {
			o.off[i]++
		}
		if o.Local.Backfill == plan.None() {
			break
		}
		again = true
	}
	for i := range o.kept {
		if !o.promised[i] {
			delete(o.kept, i) // a proposal is no promise
		}
	}
	return again
}

// renew puts the promises back onto the sums, by start, and no earlier than now.
func (o *poolsOracle) renew() {
	list := o.queue()
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(o.kept[a], o.kept[b]) })
	var out []int
	for _, i := range list {
		start, ok := o.kept[i]
		start = max(start, o.now)
		switch {
		case !ok:
		case o.anyShort(i, start, false):
			out = append(out, i)
			delete(o.kept, i)
		default:
			o.kept[i] = start
			o.add(i, start, o.whole(i, start), 1)
		}
	}
	for _, i := range o.queue() {
		if slices.Contains(out, i) {
			o.promise(i)
			o.promised[i] = o.kept[i] != 0
		}
	}
}

func (o *poolsOracle) promise(i int) {
	start, ok := o.place(i, max(o.now, o.off[i]), clusterTicks-101)
	if ok {
		o.kept[i] = start
	}
}

// round goes through the queue once, and reports whether a promise has become earlier.
func (o *poolsOracle) round(starts *[]int) (moved bool) {
	most, overtake := promises(o.Local.Backfill)
	waiting := 0
	for _, i := range o.queue() {
		if slices.Contains(*starts, i) {
			continue
		}
		old, ok := o.kept[i]
		switch {
		case ok:
			o.add(i, old, o.whole(i, old), -1)
			start, found := o.place(i, max(o.now, o.off[i]), old-1)
			if !found {
				start = old
				o.add(i, old, o.whole(i, old), 1)
			}
			o.kept[i] = start
			o.promised[i] = true
			moved = moved || found
		case waiting < most:
			o.promise(i)
		case o.off[i] <= o.now:
			if start, ok := o.place(i, o.now, o.now); ok {
				o.kept[i] = start
			}
		}
		if at, ok := o.kept[i]; ok && at == o.now {
			*starts = append(*starts, i)
			continue
		}
		if !overtake {
			return false
		}
		waiting++
	}
	return moved
}
