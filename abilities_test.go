package bookahead_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/slotted"
)

var update = flag.Bool("update", false, "write abilities.md anew")

var structures = []bookahead.Schedule{
	(*carts.Indexed)(nil), (*carts.Flat)(nil), (*carts.BTree)(nil), (*carts.SR)(nil),
	(*idletree.Tree)(nil), (*idletree.Lists)(nil), (*idletree.Slotted)(nil),
	(*avail.Schedule)(nil),
	(*slotted.Scan)(nil), (*slotted.Indexed)(nil),
	(*freelist.TimeExclusive)(nil), (*freelist.CapacityHierarchical)(nil), (*freelist.Mixed)(nil), (*freelist.Used)(nil),
	(*grid.Binder)(nil), (*grid.Broker)(nil), (*grid.Desk)(nil),
}

// is tells whether a schedule has an ability.
func is[A bookahead.Schedule](s bookahead.Schedule) bool {
	_, ok := s.(A)
	return ok
}

var abilities = []struct {
	name, gives string
	has         func(bookahead.Schedule) bool
}{
	{"Profiler", "`Blocks`: the free capacity, as blocks", is[bookahead.Profiler]},
	{"Offerer", "`Offers`: all places, in order; without it, the function `Offers` searches anew for each", is[bookahead.Offerer]},
	{"LatestSearcher", "`SearchLatest`: the last place before a deadline", is[bookahead.LatestSearcher]},
	{"Resizer", "`Resize`: another time or size for what is booked, all or nothing", is[bookahead.Resizer]},
	{"Cloner", "`Clone`: a copy, to try a plan on", is[bookahead.Cloner]},
	{"Snapshotter", "`MarshalBinary`, `UnmarshalBinary`: the state as bytes", is[bookahead.Snapshotter]},
	{"Lister", "`Reservations`, `Reservation`: what is booked, all or by ID", is[bookahead.Lister]},
	{"Framer", "`Frame`: now, the horizon and the capacity", is[bookahead.Framer]},
	{"Verifier", "`Verify`: a look for faults of its own", is[bookahead.Verifier]},
}

// table is abilities.md.
func table() string {
	var b strings.Builder
	b.WriteString("# Who can do what\n\n")
	b.WriteString("Every structure has the five methods of `Schedule`, and `Explain` works with any. What\n")
	b.WriteString("some can do besides is an interface each, to be found by type assertion. This page is\n")
	b.WriteString("made from the code, and a test compares it: `go test -run TestAbilities . -update`.\n\n|")
	for _, a := range abilities {
		fmt.Fprintf(&b, " | %s", a.name)
	}
	b.WriteString(" |\n|---" + strings.Repeat("|:-:", len(abilities)) + "|\n")
	for _, s := range structures {
		fmt.Fprintf(&b, "| %s", strings.TrimPrefix(fmt.Sprintf("%T", s), "*"))
		for _, a := range abilities {
			mark := ""
			if a.has(s) {
				mark = "✓"
			}
			fmt.Fprintf(&b, " | %s", mark)
		}
		b.WriteString(" |\n")
	}
	b.WriteString("\n")
	for _, a := range abilities {
		fmt.Fprintf(&b, "- **%s**: %s.\n", a.name, a.gives)
	}
	return b.String()
}

func TestAbilities(t *testing.T) {
	const file = "abilities.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(table()), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, table(), string(got), "run the test with -update")
}
