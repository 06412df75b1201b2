package scheduletest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// scope runs all short sequences of operations over a tiny domain, by length: first all
// of one operation, then all of two. Random runs are long, and miss the one operation
// that must come right behind another; here no order is left out.
//
// Two sequences that lead to equal memory go on alike, so that only one of them is gone
// on with. A state is made by repeating the operations of the first sequence that led
// to it on a fresh schedule: Clone and Snapshotter are themselves under test.
type scope struct {
	domain
	machine
	t      *tape
	walker *walker
	states []state // in the order in which they were met
	met    map[fingerprint]int32
	done   int // operations, without those that are repeated
}

// state is what a sequence leads to.
type state struct {
	print fingerprint
	from  int32 // the state one operation before
	by    deed  // that operation
	next  []way // to all states one operation later; nil if they were not tried
}

// way leads to a state, by so many operations alike.
type way struct{ to, times int32 }

// reach is how far a scope got.
type reach struct {
	length    int    // all sequences of up to so many operations were run
	sequences uint64 // so many are they
	states    int    // so many states they lead to
	begun     int    // in so many of the last states, all operations were run as well
	last      int
}

func (r reach) String() string {
	return fmt.Sprintf("all %d sequences of up to %d operations, which lead to %d states, agree with the oracle, "+
		"and those of %d if they begin with %d of %d of the longest",
		r.sequences, r.length, r.states, r.length+1, r.begun, r.last)
}

// small runs sequences of operations until it has done a number of them.
func small(t rapid.TB, target Target, budget int) reach {
	x := &scope{domain: newDomain(target), machine: machine{target: target}, t: &tape{TB: t}, walker: newWalker(), met: map[fingerprint]int32{}}
	defer x.t.played()
	x.replay(0)
	print, ok := x.walker.fingerprint(x.worlds)
	x.meet(state{print: print}, ok)
	rng := rand.New(rand.NewPCG(1, 1))
	for from, length := 0, 0; ; length++ {
		to := len(x.states)
		for i, k := range rng.Perm(to - from) { // a part of them is a fair one
			if x.done >= budget {
				return reach{length, x.sequences(length), to, i, to - from}
			}
			x.goOn(int32(from + k))
		}
		from = to
	}
}

// goOn runs every operation in a state.
func (x *scope) goOn(k int32) {
	x.replay(k)
	offers := x.searchAll()
	same := false // the worlds are in that state
	for _, d := range x.deeds() {
		if !same {
			x.replay(k)
		}
		lines := len(x.t.lines)
		x.run(d, offers)
		x.done++
		print, ok := x.walker.fingerprint(x.worlds)
		if same = ok && print == x.states[k].print; same {
			x.t.rewind(lines)
		}
		to, known := x.met[print]
		if !known || !ok {
			to = x.meet(state{print: print, from: k, by: d}, ok)
		}
		x.states[k].leads(to)
	}
}

// meet enters a state in which the worlds are, so that it is found again if it can be
// told from others, and checks it. The worlds are good for nothing afterwards: queries
// may have written caches.
func (x *scope) meet(s state, found bool) int32 {
	k := int32(len(x.states))
	x.states = append(x.states, s)
	if found {
		x.met[s.print] = k
	}
	x.t.quiet = true
	for _, w := range x.worlds {
		x.askAll(w)
	}
	x.t.quiet = false
	return k
}

// leads adds a way.
func (s *state) leads(to int32) {
	for i := range s.next {
		if s.next[i].to == to {
			s.next[i].times++
			return
		}
	}
	s.next = append(s.next, way{to, 1})
}

// sequences counts the sequences of up to so many operations.
func (x *scope) sequences(length int) uint64 {
	total, ends := uint64(0), map[int32]uint64{0: 1}
	for range length {
		longer := map[int32]uint64{}
		for k, n := range ends {
			for _, w := range x.states[k].next {
				longer[w.to] += n * uint64(w.times)
				total += n * uint64(w.times)
			}
		}
		ends = longer
	}
	return total
}

// replay makes a state.
func (x *scope) replay(k int32) {
	var deeds []deed
	for ; k > 0; k = x.states[k].from {
		deeds = append(deeds, x.states[k].by)
	}
	x.t.rewind(0)
	ops := 0
	x.machine = *newMachine(x.t, x.target, x.config, &ops)
	for _, d := range slices.Backward(deeds) {
		x.run(d, nil)
	}
}

// searchAll returns what Search offers for each request in each world.
func (x *scope) searchAll() [][]bookahead.Offer {
	offers := make([][]bookahead.Offer, len(x.worlds))
	for i, w := range x.worlds {
		for _, r := range x.wishes {
			o, _ := w.s.Search(r.at(w.o.now()))
			offers[i] = append(offers[i], o)
		}
	}
	return offers
}

// zero returns an empty schedule that a snapshot of s can be read into.
func (x *scope) zero(s bookahead.Schedule) bookahead.Snapshotter {
	if !x.target.Made {
		return reflect.New(reflect.TypeOf(s).Elem()).Interface().(bookahead.Snapshotter)
	}
	other, err := x.target.New(Config{Capacity: 3, Origin: 2, Horizon: 40})
	sameError(x.t, err, nil)
	return other.(bookahead.Snapshotter)
}
