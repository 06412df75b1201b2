package idletree

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead/internal/limits"
)

// Layout says how the servers of a reservation must lie together.
type Layout struct {
	// Adjacent asks for servers whose indices are consecutive: slots of a spectrum, seats, berths.
	Adjacent bool
	// Groups asks for servers that are all in one group, such as a rack or a row of seats. A group
	// names servers by index, in any order. Groups may overlap. If several groups have room at the
	// same start, the first of them is used. Nil asks for no group.
	Groups [][]int
}

// regions are sets of servers: a reservation must lie in one of them. They are the groups of a Layout
// or, if servers must be adjacent, the stretches of consecutive indices of each group:
//
//	groups      0 1 2 7 8 9    3 4 5 6
//	stretches   0-2   7-9      3-6
type regions struct {
	list [][]int // each ascends; nil if there are no groups: all servers are one region
	// of lists the regions of each server: those of server k are of[first[k]:first[k+1]].
	first, of []int32
}

// regions returns the regions for n servers. The error wraps bookahead.ErrInvalid.
func (l Layout) regions(n int) (g regions, err error) {
	if len(l.Groups) == 0 && (l.Groups != nil || !l.Adjacent) {
		return regions{}, limits.Invalid("Layout.Groups", l.Groups, "names no group")
	}
	if l.Groups != nil {
		g.list = [][]int{} // not nil: if no group has a server, no server may be used
	}
	for i, group := range l.Groups {
		group = slices.Sorted(slices.Values(group))
		field := fmt.Sprintf("Layout.Groups[%d]", i)
		for j, k := range group {
			switch {
			case k < 0:
				return regions{}, limits.Invalid(field, k, "is negative")
			case k >= n:
				return regions{}, limits.Invalid(field, k, fmt.Sprintf("is not below the %d servers that there are", n))
			case j > 0 && k == group[j-1]:
				return regions{}, limits.Invalid(field, k, "is named twice")
			}
		}
		if !l.Adjacent {
			g.list = append(g.list, group)
			continue
		}
		for len(group) > 0 {
			end := 1
			for end < len(group) && group[end] == group[end-1]+1 {
				end++
			}
			g.list = append(g.list, group[:end])
			group = group[end:]
		}
	}
	g.index()
	return g, nil
}

// index fills first and of. It counts the regions of each server k in first[k+2], adds these counts up,
// and then uses first[k+1] as the place at which the next region of k is entered. In the end first[k+1]
// is where the regions of k end, and so where those of k+1 begin.
func (g *regions) index() {
	servers, all := 0, 0
	for _, region := range g.list {
		all += len(region)
		if len(region) > 0 {
			servers = max(servers, region[len(region)-1]+1)
		}
	}
	g.first, g.of = make([]int32, servers+2), make([]int32, all)
	for _, region := range g.list {
		for _, k := range region {
			g.first[k+2]++
		}
	}
	for k := 2; k < len(g.first); k++ {
		g.first[k] += g.first[k-1]
	}
	for i, region := range g.list {
		for _, k := range region {
			g.of[g.first[k+1]] = int32(i)
			g.first[k+1]++
		}
	}
}

// containing returns the regions of a server.
func (g *regions) containing(server int) []int32 {
	if server+1 >= len(g.first) {
		return nil
	}
	return g.of[g.first[server]:g.first[server+1]]
}
