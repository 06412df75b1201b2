package route

import "github.com/bookahead/bookahead/internal/effort"

// arrivals is step 2: it finds place.arrive and place.near. It returns false if the source
// cannot send in time, or if the search must stop.
//
// A round looks at the links of the nodes that have gained slots in the round before. On
// the network of earliest.go, with the slots gained:
//
//	round     S   X   V   Y   T
//	begin     0…
//	1             1
//	2                 2               X → T is taken in slot 1
//	3             3       4           V → X, which is a loop
//	4                         3, 4    over X and over Y; X → V is taken in slot 3
//
// A path without a loop has fewer links than there are nodes. So one round less than there
// are nodes suffices: P2 does not ask for slots that only longer ways attain. No path without a
// loop comes back to the source, so links to the source are not looked at.
func (s *search) arrivals() bool {
	for v := range s.places {
		if v%effort.Chunk == 0 && !s.j.meter.Go(min(effort.Chunk, len(s.places)-v)) {
			return false
		}
		p := &s.places[v]
		*p = place{arrive: p.arrive[:0], near: never, followed: p.followed[:0]}
	}
	s.deadlines()
	source := int32(s.j.Source)
	home := &s.places[source]
	if home.latest <= s.j.ready {
		return false
	}
	home.arrive = append(home.arrive, span{s.j.ready, home.latest})
	home.near = 0
	wave, after := append(s.scratch.wave[:0], source), s.scratch.after[:0]
	for range s.n.nodes - 1 {
		if len(wave) == 0 || s.ended() {
			break
		}
		for _, u := range wave {
			s.places[u].pending = false
		}
		for _, u := range wave {
			for _, l := range s.n.out.of(int(u)) {
				v := s.n.to[l]
				if v == source {
					continue
				}
				grown := s.relax(u, v, l)
				if grown && !s.places[v].pending {
					s.places[v].pending = true
					after = append(after, v)
				}
			}
		}
		wave, after = after, wave[:0]
	}
	s.scratch.wave, s.scratch.after = wave, after
	return !s.ended()
}

// deadlines finds place.latest. A plan that ends with the known plan is still better if its
// delay is smaller, so the end of the known plan is in time:
//
//	known ends at 30, the burst takes 3 slots, the work 4 ticks
//	run     [26, 30)
//	burst   [23, 26)    its first bit is at the cluster in slot 23 at the latest,
//	                    and in slot 17 where the cluster is 6 away: latest is 18
//
// Of several clusters the cluster with the latest slot counts. latest is 0 where no cluster can
// be reached in time.
func (s *search) deadlines() {
	for m := range s.n.clusters {
		room := min(s.known.end-int64(s.n.now), s.j.end) - s.j.burst
		if s.j.takes[m] == 0 || room < s.j.takes[m] {
			continue
		}
		last := room - s.j.takes[m] // 23 in the picture
		for v, away := range s.n.reach(s.j, m).away {
			if v%effort.Chunk == 0 && !s.j.meter.Go(min(effort.Chunk, s.n.nodes-v)) {
				return
			}
			if away == unreachable || last < away {
				continue
			}
			p := &s.places[v]
			// Without a known plan and a deadline, last is so great that later sums might
			// overflow.
			p.latest = max(p.latest, min(last-away, never/4)+1)
		}
	}
}

// relax adds the arrivals at v over a link from u. It reports whether the links of v
// must be looked at again, since v has gained slots or a smaller near:
//
//	S ──d=5──► V             V in 5, 6, 7, ... with near 5
//	S ──d=1──► X ──d=1──► V  V in 14 only, which is no new slot; but near is 2 now
//
// Where the source waits for a confirmation, a near that is too great would put off all
// bursts over V, and break P3 (TestASmallerDelayIsPassedOn).
func (s *search) relax(u, v, link int32) bool {
	l, starts := &s.n.links[link], s.starts(link)
	from, to := &s.places[u], &s.places[v]
	if !s.words(2 * int64(len(from.arrive)+len(starts))) {
		return false
	}
	over := meet(s.scratch.spans[:0], from.arrive, starts, 0)
	s.scratch.spans = over
	over = later(over, int64(l.Delay), to.latest)
	if len(over) == 0 {
		return false
	}
	grown := false
	near := from.near + int64(l.Delay)
	if near < to.near {
		to.near = near
		grown = true
	}
	if !covers(to.arrive, over) {
		s.scratch.union = join(s.scratch.union[:0], to.arrive, over)
		to.arrive = append(to.arrive[:0], s.scratch.union...)
		grown = true
	}
	return grown
}
