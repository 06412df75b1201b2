package structures_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/structures"
)

// everything returns all structures, and those with slots once more for each width at which they
// are compared.
func everything() []structures.Structure {
	all := structures.All()
	for _, st := range structures.Compared() {
		if st.Slotted() {
			all = append(all, st)
		}
	}
	return all
}

func TestStructures(t *testing.T) {
	seen := map[string]bool{}
	for _, st := range everything() {
		require.False(t, seen[st.Name], "%s is there twice", st.Name)
		seen[st.Name] = true

		s, err := st.New(3, structures.Config{Origin: 5, Horizon: 1000})
		require.NoError(t, err, st.Name)
		if st.Name != "freelist.UsedList" { // a form of freelist.Used
			name, _, _ := strings.Cut(st.Name, "-")
			require.Equal(t, "*"+name, fmt.Sprintf("%T", s))
		}
		require.ErrorIs(t, s.Advance(4), bookahead.ErrInvalid, "%s ignores the origin", st.Name)
		_, err = s.Search(bookahead.Request{Ready: 2000, Duration: 1, Units: 1})
		require.Equal(t, bookahead.ErrUnavailable, err, "%s ignores the horizon", st.Name)
		require.Equal(t, int64(3), s.Frame().Capacity, "%s ignores the capacity", st.Name)
		a, err := s.RangeQuery(bookahead.Interval{Start: 5, End: 6})
		require.NoError(t, err, st.Name)
		require.Equal(t, int64(3), a.Free, st.Name)
		require.Equal(t, st.Servers, a.Servers != nil, "%s knows %v", st.Name, a.Servers)
		require.Equal(t, st.Servers, st.Choice != "at the start", st.Name)

		s, err = st.New(0, structures.Config{Horizon: 1000})
		require.ErrorIs(t, err, bookahead.ErrInvalid, st.Name)
		require.True(t, s == nil, "%s: an error, and a schedule", st.Name)
		_, err = st.New(3, structures.Config{})
		require.Equal(t, st.Slotted(), err != nil, "%s without a horizon: %v", st.Name, err)
	}
	require.Equal(t, structures.Default, structures.All()[0].Name)
}

// TestCompared pins the names that programs show and read, and their promises.
func TestCompared(t *testing.T) {
	var got []string
	for _, st := range structures.Compared() {
		got = append(got, st.Name+": "+st.Answers)
	}
	require.Equal(t, []string{
		"carts.Indexed: exact pool",
		"carts.Flat: exact pool",
		"carts.BTree: exact pool",
		"freelist.TimeExclusive: exact pool",
		"freelist.CapacityHierarchical: exact pool",
		"freelist.Mixed: exact pool",
		"freelist.Used: exact pool",
		"freelist.UsedList: exact pool",
		"slotted.Indexed-1: exact pool",
		"slotted.Indexed-60: pool in slots of 60",
		"slotted.Scan-60: pool in slots of 60",
		"slotted.Scan-600: pool in slots of 600",
		"slotted.Scan-3600: pool in slots of 3600",
		"idletree.Lists: exact servers, lowest index",
		"idletree.Tree-lowest: exact servers, lowest index",
		"carts.SR: exact servers, lowest index",
		"avail.Schedule-1: exact servers, lowest index",
		"avail.Schedule-60: servers in slots of 60",
		"idletree.Tree: ",
		"idletree.Tree-best: ",
		"idletree.Tree-worst: ",
		"idletree.Slotted-900: ",
	}, got)
}

// TestSlotWidths books a tick, and checks that the slot is taken whose width the name promises,
// or else the Config.
func TestSlotWidths(t *testing.T) {
	for _, st := range structures.Simple() {
		if !st.Slotted() || st.Name == "idletree.Slotted" { // whose slots round nothing
			requireWidth(t, st, 1)
			continue
		}
		requireWidth(t, st, 7)
		for _, width := range st.Widths {
			requireWidth(t, st.Wide(width), bookahead.Time(width))
		}
	}
}

func requireWidth(t *testing.T, st structures.Structure, width bookahead.Time) {
	s, err := st.New(3, structures.Config{Horizon: 10_000, Slot: 7})
	require.NoError(t, err, st.Name)
	_, err = s.Reserve(bookahead.Request{Duration: 1, Units: 1})
	require.NoError(t, err, st.Name)
	for at, free := range map[bookahead.Time]int64{width - 1: 2, width: 3} {
		a, err := s.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
		require.NoError(t, err, st.Name)
		require.Equal(t, free, a.Free, "%s at %d", st.Name, at)
	}
}

// TestSteps: Slotted tries the starts that Config.Step says.
func TestSteps(t *testing.T) {
	for _, st := range structures.All() {
		if st.Name != "idletree.Slotted" {
			continue
		}
		for step, want := range map[bookahead.Duration]bookahead.Time{0: 7, 1: 3} {
			s, err := st.New(1, structures.Config{Horizon: 100, Slot: 7, Step: step})
			require.NoError(t, err)
			_, err = s.Reserve(bookahead.Request{Duration: 3, Units: 1})
			require.NoError(t, err)
			o, err := s.Search(bookahead.Request{Duration: 1, Units: 1})
			require.NoError(t, err)
			require.Equal(t, want, o.Start, "step %d", step)
		}
	}
}

func TestNamed(t *testing.T) {
	named, err := structures.Named("carts.Flat,carts.Indexed")
	require.NoError(t, err)
	require.Equal(t, []string{"carts.Flat", "carts.Indexed"}, []string{named[0].Name, named[1].Name})
	for _, names := range []string{"", "carts.Flat,mine", "carts.Flat,carts.Flat"} {
		_, err := structures.Named(names)
		require.Error(t, err, names)
	}
}
