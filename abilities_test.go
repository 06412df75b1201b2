package bookahead_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/structures"
)

var update = flag.Bool("update", false, "write docs/abilities.md and docs/surface.md anew")

// forms returns one schedule of each type of the library, in the order of its list.
func forms(t *testing.T) []bookahead.Schedule {
	var all []bookahead.Schedule
	seen := map[reflect.Type]bool{}
	for _, st := range structures.All() {
		s, err := st.New(units, structures.Config{Horizon: horizon})
		require.NoError(t, err, st.Name)
		if !seen[reflect.TypeOf(s)] {
			seen[reflect.TypeOf(s)] = true
			all = append(all, s)
		}
	}
	return all
}

// is reports whether a schedule has an ability.
func is[A bookahead.Schedule](s bookahead.Schedule) bool {
	_, ok := s.(A)
	return ok
}

var abilities = []struct {
	name, gives string
	has         func(bookahead.Schedule) bool
}{
	{"Profiler", "`Blocks`: the free capacity, as blocks", is[bookahead.Profiler]},
	{"Opener", "`Openings`: all starts for a request, as ranges; the function `Openings` works with any schedule", is[bookahead.Opener]},
	{"LatestSearcher", "`SearchLatest`: the last place before a deadline; the function `SearchLatest` works with any schedule", is[bookahead.LatestSearcher]},
	{"Filler", "`Fill`: the units that work of any rate may take; the function `Fill` works with any Profiler that has a Frame", is[bookahead.Filler]},
	{"Cloner", "`Clone`: a copy, to try a plan on", is[bookahead.Cloner]},
	{"Snapshotter", "`MarshalBinary`, `UnmarshalBinary`: the state as bytes", is[bookahead.Snapshotter]},
	{"Closable", "`Close`, `Extend`, `End`: capacity over time; `Overbooked`: the stretches where more is booked than there is", is[bookahead.Closable]},
	{"Tracker", "`ReservationsOn`: who is in the way, with an index that can be switched on; the function `ReservationsOn` works with any schedule", is[bookahead.Tracker]},
	{"Displacer", "the function `Displace`: a booking by force, or a schedule cleared of overbooked stretches", is[bookahead.Displacer]},
}

// table returns docs/abilities.md.
func table(schedules []bookahead.Schedule) string {
	var b strings.Builder
	b.WriteString("# Who can do what\n\n")
	b.WriteString("Each structure of this table is a `Keeper`: it books, returns its limits and its reservations, and\n")
	b.WriteString("changes a reservation in place. A further ability is an interface of its own, with a function of\n")
	b.WriteString("package bookahead that works behind `Locked` too. `Explain` works with any schedule. The views\n")
	b.WriteString("`nodes.Tasks` and `idletree.Within` are schedules but no Keepers, and `nodes.Machine` and\n")
	b.WriteString("`avail.Vector` are no schedules. This page is made from the code, and a test compares it:\n")
	b.WriteString("`go test -run TestAbilities . -update`.\n\n|")
	for _, a := range abilities {
		fmt.Fprintf(&b, " | %s", a.name)
	}
	b.WriteString(" |\n|---" + strings.Repeat("|:-:", len(abilities)) + "|\n")
	for _, s := range schedules {
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
	const file = "docs/abilities.md"
	want := table(forms(t))
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run the test with -update")
}
