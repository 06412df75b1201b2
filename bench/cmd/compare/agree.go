package main

import (
	"fmt"

	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/internal/structures"
)

// promises holds the longest replay so far for each promise: the others that make the
// same promise must agree with it.
type promises map[string]answers

type answers struct {
	structure string
	outcomes  []replay.Outcome
}

// check returns an error if a structure does not give the answers that it
// promises; it names the first booking at which two structures part. A replay that
// was cut short is compared as far as it went.
func (p promises) check(st structures.Structure, bookings []workload.Booking, outcomes []replay.Outcome) error {
	if st.Answers == "" {
		return nil
	}
	former := p[st.Answers]
	for n := range min(len(former.outcomes), len(outcomes)) {
		o, want := outcomes[n], former.outcomes[n]
		if o != want {
			return fmt.Errorf("STRUCTURES DISAGREE: %s and %s both promise the answers %q, "+
				"but booking %d (submitted at %d: %+v) is %v by the former and %v by the latter",
				former.structure, st.Name, st.Answers, n+1, bookings[n].Submit, bookings[n].Request, want, o)
		}
	}
	if len(outcomes) > len(former.outcomes) {
		p[st.Answers] = answers{st.Name, outcomes}
	}
	return nil
}
