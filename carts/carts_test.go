package carts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/profile"
	"github.com/bookahead/bookahead/scheduletest"
)

// form is a structure of this package, under the name that its tests and benchmarks
// have: its type, and after a hyphen how it differs from the one that users get.
type form struct {
	name string
	open func(capacity int64, c Config) (bookahead.Schedule, error)
}

// pools are the forms that count units. Narrow nodes make for high trees.
var pools = []form{
	{"carts.Flat", opener(NewFlat)},
	{"carts.BTree", opener(NewBTree)},
	{"carts.Indexed", opener(NewIndexed)},
	{"carts.Indexed-narrow", opener(newNarrow)},
}

// forms are all forms: the pools, and SR, which knows its servers.
var forms = append(pools[:len(pools):len(pools)], form{"carts.SR", opener(NewSR)})

// opener returns the constructor of one form as a constructor of any form.
func opener[S bookahead.Schedule](open func(int64, Config) (S, error)) func(int64, Config) (bookahead.Schedule, error) {
	return func(capacity int64, c Config) (bookahead.Schedule, error) { return open(capacity, c) }
}

func newNarrow(capacity int64, c Config) (*Indexed, error) {
	return newIndexed(capacity, c, profile.Knobs{Width: 8})
}

// eachForm runs a test on each of the forms, as a subtest with its name.
func eachForm(t *testing.T, forms []form, test func(t *testing.T, f form)) {
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) { test(t, f) })
	}
}

// new returns a schedule of the form.
func (f form) new(t testing.TB, capacity int64, c Config) bookahead.Schedule {
	s, err := f.open(capacity, c)
	require.NoError(t, err)
	return s
}

// target returns the form as a target of scheduletest.
func (f form) target() scheduletest.Target {
	return scheduletest.Target{
		Name:    f.name,
		Servers: f.name == "carts.SR",
		New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			return f.open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon})
		},
		Booked: func(c scheduletest.Config, booked []bookahead.Offer) (bookahead.Schedule, error) {
			return f.open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Booked: booked})
		},
	}
}

// targetOf returns the form with a name. The test fails if no form has the name.
func targetOf(t testing.TB, name string) scheduletest.Target {
	for _, f := range forms {
		if f.name == name {
			return f.target()
		}
	}
	t.Fatalf("no form is named %q", name)
	return scheduletest.Target{}
}

// A test that says which form it runs on must run on that form.
func TestFormsAreWhatTheirNamesSay(t *testing.T) {
	eachForm(t, forms, func(t *testing.T, f form) {
		_, name, _ := strings.Cut(t.Name(), "/")
		typeName, _, _ := strings.Cut(name, "-")
		s := f.new(t, 10, Config{})
		require.Equal(t, "*"+typeName, fmt.Sprintf("%T", s))
		fromTarget, err := targetOf(t, name).New(scheduletest.Config{Capacity: 10})
		require.NoError(t, err)
		require.IsType(t, s, fromTarget)
		if x, ok := s.(*Indexed); ok {
			width := x.s.Profile.(indexed[int32]).Width
			require.Equal(t, name == "carts.Indexed", width == profile.Fanout, "nodes of %d", width)
		}
	})
}

func TestConformance(t *testing.T) {
	eachForm(t, forms, func(t *testing.T, f form) { scheduletest.Run(t, f.target()) })
}

func FuzzFlat(f *testing.F) { scheduletest.Fuzz(f, targetOf(f, "carts.Flat")) }

func FuzzBTree(f *testing.F) { scheduletest.Fuzz(f, targetOf(f, "carts.BTree")) }

func FuzzIndexed(f *testing.F) { scheduletest.Fuzz(f, targetOf(f, "carts.Indexed-narrow")) }

func FuzzSR(f *testing.F) { scheduletest.Fuzz(f, targetOf(f, "carts.SR")) }

func BenchmarkCARTS(b *testing.B) {
	for _, f := range forms {
		scheduletest.Benchmark(b, f.target())
	}
}
