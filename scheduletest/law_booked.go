package scheduletest

import (
	"errors"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// bookedFromTheStart makes a schedule that holds reservations from the start, some of which run
// at the origin. The schedule then runs beside an oracle with the same reservations. A list with
// one wrong offer must be refused.
func bookedFromTheStart(t *rapid.T, target Target) {
	if target.Booked == nil {
		return // the target cannot do this
	}
	c := drawConfig(t, target)
	o, err := oracle.New(target.rules(c))
	sameError(t, err, nil)
	var offers []bookahead.Offer
	for range rapid.IntRange(0, 12).Draw(t, "booked") {
		if offer, ok := drawBooked(t, o); ok {
			o.Book(offer)
			offers = append(offers, offer)
		}
	}
	s, err := target.Booked(c, lendOffers(offers))
	if err != nil {
		t.Fatalf("%+v with %v from the start: %v", c, offers, err)
	}
	t.Logf("%+v with %v from the start", c, offers)
	m := &machine{target: target, Config: c, worlds: []world{{s, o}}, ops: new(int)}
	m.verify(t)
	m.listOf(t, m.worlds[0], always)

	k := rapid.IntRange(0, len(offers)).Draw(t, "place")
	for _, bad := range badOffers(target, o, offers) {
		if s, err := target.Booked(c, slices.Insert(lendOffers(offers), k, bad)); !errors.Is(err, bookahead.ErrInvalid) {
			t.Fatalf("%+v with %v from the start, of which %v is wrong: %v, %v", c, offers, bad, s, err)
		}
	}
	m.repeat(t)
}

// lendOffers returns offers with servers of their own.
func lendOffers(offers []bookahead.Offer) []bookahead.Offer {
	lent := slices.Clone(offers)
	for i := range lent {
		lent[i].Servers = slices.Clone(lent[i].Servers)
	}
	return lent
}

// drawBooked draws an offer that fits beside the reservations of the oracle, and may have begun
// before the origin. It returns false if nothing fits in the window that it draws.
func drawBooked(t *rapid.T, o *oracle.Oracle) (bookahead.Offer, bool) {
	start := max(0, o.Now()+drawTime(t, -12, span, "start"))
	end := max(start, o.Now()) + drawTime(t, 1, 12, "length")
	_, servers, free := o.Share(bookahead.Request{}, bookahead.Interval{Start: max(start, o.Now()), End: end}, nil)
	if end > o.Until() || free == 0 {
		return bookahead.Offer{}, false
	}
	n := rapid.Int64Range(1, free).Draw(t, "units")
	if servers != nil {
		servers = rapid.Permutation(servers).Draw(t, "servers")[:n]
		slices.Sort(servers)
	}
	return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: end}, Units: n, Servers: servers}, true
}

// badOffers returns offers that a schedule must refuse to hold from the start, beside some good
// offers.
func badOffers(target Target, o *oracle.Oracle, good []bookahead.Offer) (list []bookahead.Offer) {
	f := o.Frame()
	var all []int // all servers, of which a good offer names as many as it has units
	for k := range f.Servers {
		all = append(all, k)
	}
	add := func(start, end bookahead.Time, units int64, servers []int) {
		list = append(list, bookahead.Offer{Interval: bookahead.Interval{Start: start, End: end}, Units: units, Servers: servers})
	}
	one := all[:min(len(all), 1)]
	add(f.Now, f.Now, 1, one)
	add(f.Now+2, f.Now+1, 1, one)
	add(f.Now-1, f.Now, 1, one)
	add(-1, f.Now+1, 1, one)
	add(f.Now, f.Now+1, 0, all[:0])
	add(f.Now, f.Now+1, -1, all[:0])
	if f.Horizon < bookahead.MaxTime {
		add(f.Horizon-1, f.Horizon+1, 1, one)
	}
	if len(good) > 0 { // overbooked
		start := max(good[0].Start, f.Now)
		add(start, start+1, f.Capacity, all)
	}
	if !target.Servers {
		if f.Capacity < math.MaxInt64 {
			add(f.Now, f.Now+1, f.Capacity+1, nil)
		}
		add(f.Now, f.Now+1, 1, []int{0})
		return list
	}
	for _, servers := range [][]int{nil, {}, {0, 1}, {-1}, {f.Servers}} {
		add(f.Now, f.Now+1, 1, servers)
	}
	add(f.Now, f.Now+1, 2, []int{0, 0})
	add(f.Now, f.Now+1, f.Capacity+1, append(all, f.Servers))
	return list
}
