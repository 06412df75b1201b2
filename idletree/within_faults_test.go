package idletree

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// faulty is a view with a fault.
type faulty struct {
	*Within
	search func(v *Within, r bookahead.Request) (bookahead.Offer, error)
	query  func(v *Within, a *bookahead.Availability)
	frame  func(v *Within, f *bookahead.Frame)
	among  func(v *Within, named []int, w bookahead.Interval) (bookahead.Availability, error)
}

func (x faulty) Search(r bookahead.Request) (bookahead.Offer, error) {
	if x.search == nil {
		return x.Within.Search(r)
	}
	return x.search(x.Within, r)
}

func (x faulty) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	a, err := x.Within.RangeQuery(w)
	if x.query != nil && err == nil && !a.Window.Empty() {
		x.query(x.Within, &a)
	}
	return a, err
}

func (x faulty) Among(named []int, w bookahead.Interval) (bookahead.Availability, error) {
	if x.among != nil {
		return x.among(x.Within, named, w)
	}
	return x.Within.Among(named, w)
}

func (x faulty) Frame() bookahead.Frame {
	f := x.Within.Frame()
	if x.frame != nil {
		x.frame(x.Within, &f)
	}
	return f
}

// ask is a Search whose request has been changed.
func ask(change func(v *Within, r *bookahead.Request)) func(*Within, bookahead.Request) (bookahead.Offer, error) {
	return func(v *Within, r bookahead.Request) (bookahead.Offer, error) {
		change(v, &r)
		return v.Search(r)
	}
}

// otherwise is a Search in a view that has been changed.
func otherwise(change func(v *Within)) func(*Within, bookahead.Request) (bookahead.Offer, error) {
	return func(v *Within, r bookahead.Request) (bookahead.Offer, error) {
		other := *v
		other.regions.list = slices.Clone(v.regions.list)
		change(&other)
		other.regions.index()
		return other.Search(r)
	}
}

// Each of these faults is found.
func TestFaultsOfViewsAreFound(t *testing.T) {
	for name, fault := range map[string]faulty{
		"starts a tick late": {search: ask(func(_ *Within, r *bookahead.Request) {
			if !r.Fixed() {
				r.Ready++
			}
		})},
		"does not care for the deadline":        {search: ask(func(_ *Within, r *bookahead.Request) { r.Deadline = 0 })},
		"does not care for the servers named":   {search: ask(func(_ *Within, r *bookahead.Request) { r.Servers = nil })},
		"places for a tick less than asked for": {search: ask(func(_ *Within, r *bookahead.Request) { r.Duration = max(1, r.Duration-1) })},
		"asks the tree":                         {search: func(v *Within, r bookahead.Request) (bookahead.Offer, error) { return v.x.Search(r) }},
		"takes the last group that has room":    {search: otherwise(func(v *Within) { slices.Reverse(v.regions.list); v.counts = nil })},
		"takes all groups for one": {search: otherwise(func(v *Within) {
			all := slices.Concat(v.regions.list...)
			slices.Sort(all)
			v.regions.list, v.counts = [][]int{slices.Compact(all)}, nil
		})},
		"forgets the last group": {search: otherwise(func(v *Within) { v.regions.list = v.regions.list[:max(0, len(v.regions.list)-1)]; v.counts = nil })},
		"lets adjacent servers leave their group": {search: otherwise(func(v *Within) {
			if v.adjacent {
				v.regions.list, v.counts = nil, nil
			}
		})},
		"takes any servers of the group": {search: otherwise(func(v *Within) {
			if v.regions.list != nil {
				v.adjacent = false
			}
		})},
		"takes the highest of a row": {search: func(v *Within, r bookahead.Request) (bookahead.Offer, error) {
			o, err := v.Search(r)
			for v.adjacent && err == nil {
				next := bookahead.Request{Ready: o.Start, Duration: r.Duration, Deadline: o.End, Units: r.Units}
				for k := o.Servers[0] + 1; k <= o.Servers[len(o.Servers)-1]+1; k++ {
					next.Servers = append(next.Servers, k)
				}
				higher, no := v.Search(next)
				if no != nil || r.Servers != nil {
					break
				}
				o = higher
			}
			return o, err
		}},
		"has an index that counts too few": {search: otherwise(func(v *Within) {
			if v.counts != nil {
				v.counts = &counts{regions: &v.regions}
				v.counts.count(&v.x.tree().fleet)
				for _, free := range v.counts.free {
					free.Change(rest(v.x.Frame().Now), -1)
				}
			}
		})},
		"trusts the index": {search: func(v *Within, r bookahead.Request) (bookahead.Offer, error) {
			o, err := v.Search(r)
			if v.counts == nil || r.Servers != nil || err != nil {
				return o, err
			}
			for _, free := range v.counts.free {
				t, ok := free.Search(max(r.Ready, v.x.Frame().Now), o.Start, bookahead.Time(r.Duration), r.Units)
				if ok && t < o.Start {
					o.Start = t
				}
			}
			return o, err
		}},
		"adds the groups up": {query: func(v *Within, a *bookahead.Availability) {
			all, _ := v.x.RangeQuery(a.Window)
			a.Free = all.Free
		}},
		"names those of the largest group": {among: func(v *Within, named []int, w bookahead.Interval) (bookahead.Availability, error) {
			a, err := v.RangeQuery(w)
			a.Servers = slices.DeleteFunc(a.Servers, func(k int) bool { return !slices.Contains(named, k) })
			a.Free = int64(len(a.Servers))
			return a, err
		}},
		"has one free server too many": {query: func(_ *Within, a *bookahead.Availability) { a.Free++ }},
		"names no servers":             {query: func(_ *Within, a *bookahead.Availability) { a.Servers = nil }},
		"counts closed servers": {frame: func(v *Within, f *bookahead.Frame) {
			for _, region := range v.regions.list {
				f.Capacity = max(f.Capacity, int64(len(region)))
			}
		}},
		"has the capacity of the tree": {frame: func(v *Within, f *bookahead.Frame) { f.Capacity = v.x.Frame().Capacity }},
	} {
		found := ""
		for seed := uint64(0); seed < 400 && found == ""; seed++ {
			found = laid(t, seed, smallLaid, func(v *Within) searcher {
				fault.Within = v
				return fault
			})
		}
		require.NotEmpty(t, found, "nobody notices a view that %s", name)
	}
}
