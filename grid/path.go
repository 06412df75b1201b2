package grid

import "github.com/bookahead/bookahead"

// Link is a stretch of a path through a network.
type Link struct {
	On Member
	// Delay is how long what enters the link takes to its end, in ticks.
	Delay bookahead.Duration
}

// Along returns the parts of a transfer along a path: each link is in use as long
// as p says, and later by the delays of the links before it (Stevens et al., §4.1,
// as route.Network books it). What p is on does not matter. To have what follows
// wait for the last bit, let it start at p.Offset + p.Duration + the sum of the
// delays. O(l) for l links.
func Along(path []Link, p Part) []Part {
	parts := make([]Part, len(path))
	for i, l := range path {
		p.On = l.On
		parts[i] = p
		p.Offset += l.Delay
	}
	return parts
}
