package scheduletest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// reach is how far a scope has come.
type reach struct {
	length    int    // of the sequences that were all run
	sequences uint64 // the sequences of that length, or shorter
	states    int    // the states to which these sequences lead
	begun     int    // of the last states, those in which every operation was run as well
	last      int    // states to which no shorter sequence leads
}

func (r reach) String() string {
	return fmt.Sprintf("all %d sequences of up to %d operations, which lead to %d states, agree with the oracle; "+
		"so do those of %d operations, for %d of %d states before the last one",
		r.sequences, r.length, r.states, r.length+1, r.begun, r.last)
}

// small runs sequences until it has run budget operations.
func small(t rapid.TB, target Target, budget int) reach {
	x := &scope{
		domain: newDomain(target), machine: machine{target: target},
		t: &tape{TB: t}, walker: newWalker(), met: map[fingerprint]int32{},
	}
	defer x.logPanic()
	x.replay(0)
	x.meet(0, operation{})
	rng := rand.New(rand.NewPCG(1, 1))
	for from, length := 0, 0; ; length++ {
		to := len(x.states)
		for i, k := range rng.Perm(to - from) { // in any order, so that the first few are a fair sample
			if x.ran >= budget {
				return reach{length, x.sequences(length), to, i, to - from}
			}
			x.goOn(int32(from + k))
		}
		from = to
	}
}

// logPanic logs the sequence that ends in a panic.
func (x *scope) logPanic() {
	cause := recover()
	if cause == nil {
		return
	}
	if !x.t.Failed() {
		x.t.print()
		x.t.TB.Logf("a panic ends %v", x.running)
	}
	panic(cause)
}

// goOn runs every operation in a state.
func (x *scope) goOn(k int32) {
	x.replay(k)
	offers := x.offers()
	same := false // the worlds are still in the state
	for _, p := range x.operations() {
		if !same {
			x.replay(k)
		}
		lines := len(x.t.lines)
		x.run(p, offers)
		to := x.meet(k, p)
		x.ran += 1 + len(x.walker.form)>>16
		x.states[k].leads(to)
		same = to == k
		if same {
			x.t.rewind(lines)
		}
	}
}

// meet returns the state of the worlds after an operation. If the state is new, meet checks it.
// The worlds are of no use afterwards, because queries may have written caches.
func (x *scope) meet(from int32, by operation) int32 {
	mark, ok := x.walker.fingerprint(x.worlds)
	old, known := x.met[mark]
	if ok && known {
		return old
	}
	k := int32(len(x.states))
	x.states = append(x.states, state{mark: mark, from: from, by: by})
	if ok {
		x.met[mark] = k
	}
	lines := len(x.t.lines)
	for i, w := range x.worlds {
		x.t.rewind(lines)
		x.begin(operation{act: askAll, world: uint8(i)})
		x.t.queries(func() { x.askAll(w) })
	}
	return k
}

// leads adds a way.
func (s *state) leads(to int32) {
	i := slices.IndexFunc(s.next, func(w way) bool { return w.to == to })
	if i < 0 {
		s.next = append(s.next, way{to, 1})
		return
	}
	s.next[i].times++
}

// sequences counts the sequences of up to length operations.
func (x *scope) sequences(length int) uint64 {
	total := uint64(0)
	ends := map[int32]uint64{0: 1} // how many sequences lead to each state
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
	var sequence []operation
	for k > 0 {
		sequence = append(sequence, x.states[k].by)
		k = x.states[k].from
	}
	x.t.rewind(0)
	x.machine = *newMachine(x.t, x.target, x.config, new(int))
	for _, p := range slices.Backward(sequence) {
		x.run(p, nil)
	}
}

// offers returns the offers of Search, for each request in each world.
func (x *scope) offers() [][]bookahead.Offer {
	all := make([][]bookahead.Offer, len(x.worlds))
	for i, w := range x.worlds {
		for _, r := range x.requests {
			o, _ := w.s.Search(r.at(w.o.Now()))
			all[i] = append(all[i], o)
		}
	}
	return all
}
