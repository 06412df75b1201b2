package main

import (
	"fmt"

	"github.com/bookahead/bookahead/bench"
	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/bench/workload"
)

// agree returns an error if two structures that promise the same answers do not
// give them; it names the first booking at which they part.
func agree(structures []bench.Structure, bookings []workload.Booking, results []replay.Result) error {
	first := map[string]int{} // by promise: the structure that the others must agree with
	for i, st := range structures {
		k, seen := first[st.Answers]
		if st.Answers == "" || !seen {
			first[st.Answers] = i
			continue
		}
		for n, o := range results[i].Outcomes {
			if want := results[k].Outcomes[n]; o != want {
				return fmt.Errorf("STRUCTURES DISAGREE: %s and %s both promise the answers %q, "+
					"but booking %d (submitted at %d: %+v) is %v by the former and %v by the latter",
					structures[k].Name, st.Name, st.Answers, n+1, bookings[n].Submit, bookings[n].Request, want, o)
			}
		}
	}
	return nil
}
