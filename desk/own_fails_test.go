package desk

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

var errBroken = errors.New("the structure has failed")

// frail is a pool of the caller's own whose next write but so many fails, on it or a clone.
type frail struct {
	*carts.Indexed
	after *int // negative if none fails
}

func (f frail) fails() error {
	*f.after--
	if *f.after == -1 {
		return errBroken
	}
	return nil
}

func (f frail) Clone() bookahead.Schedule {
	return frail{f.Indexed.Clone().(*carts.Indexed), f.after}
}

func (f frail) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	err := f.fails()
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return f.Indexed.Reserve(r)
}

func (f frail) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	err := f.fails()
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return f.Indexed.Rebook(id, r)
}

func (f frail) Release(id bookahead.ID) error {
	err := f.fails()
	if err != nil {
		return err
	}
	return f.Indexed.Release(id)
}

func (f frail) Advance(now bookahead.Time) error {
	err := f.fails()
	if err != nil {
		return err
	}
	return f.Indexed.Advance(now)
}

// TestOwnScheduleFails lets each write to a structure of the caller's own fail in turn. The command is refused,
// neither the desk nor the log has a trace of it, and both go on.
func TestOwnScheduleFails(t *testing.T) {
	after := -1
	kinds := map[string]func([]byte, bookahead.Time) (bookahead.Keeper, error){
		"failing": func(_ []byte, origin bookahead.Time) (bookahead.Keeper, error) {
			pool, err := carts.NewIndexed(4, carts.Config{Origin: origin})
			return frail{pool, &after}, err
		},
	}
	pair := asks(Part{On: "pool", Units: 1, Duration: 5}, Part{On: "own", Units: 3, Duration: 5})
	wide := asks(Part{On: "pool", Units: 2, Duration: 9}, Part{On: "own", Units: 4, Duration: 9})
	wide.Priority, wide.Deadline = 5, 20
	hopes := asks(Part{On: "own", Units: 3, Duration: 6}, Part{On: "own", Units: 1, Duration: 2, After: &Gap{0, 9}})
	hopes.Deadline = 19
	commands := []Command{
		Book{Request: asks(Part{On: "own", Units: 1, Duration: 5})},
		Book{Request: pair},
		Book{Request: asks(Part{On: "own", Units: 1, Duration: 5}, Part{On: "own", Units: 1, Duration: 7})},
		Change{ID: 2, To: asks(Part{On: "pool", Units: 2, Duration: 5}, Part{On: "own", Units: 2, Duration: 4, After: &Gap{0, 3}})},
		Book{Hold: 8, Request: pair},
		Advance{2},
		Overrun{ID: 1, Until: 7, Force: Anybody},
		Close{On: "pool", Interval: ticks(4, 9), Units: 3, Force: Anybody},
		Book{Request: wide, Force: Lower},
		Book{Request: hopes, Wait: 30},
		Cancel{5},
		End{1},
		Cancel{3},
		Advance{9},
		Advance{40},
	}
	for _, logged := range []bool{false, true} {
		d, err := New(Config{Keep: 50, Kinds: kinds})
		require.NoError(t, err)
		var file bytes.Buffer
		do := d.Do
		if logged {
			do = NewLog(d, &file).Do
		}
		for _, c := range []Command{AddSchedule{"pool", Pool{Units: 4}}, AddSchedule{"own", Own{Kind: "failing"}}} {
			_, err := do(c)
			require.NoError(t, err)
		}
		failed := 0
		for _, c := range commands {
			before, log := written(t, d), file.Len()
			for n := 0; ; n++ {
				after = n
				_, err := do(c)
				if after >= 0 || err == nil {
					after = -1
					require.NoError(t, err, "%T", c)
					break
				}
				failed++
				require.ErrorIs(t, err, errBroken, "%s, write %d", c.verb(), n)
				require.NoError(t, d.Verify(), "%s, write %d", c.verb(), n)
				require.Equal(t, before, written(t, d))
				require.Equal(t, log, file.Len(), "a refused command leaves no trace in the log")
			}
			require.NoError(t, d.Verify())
		}
		t.Log(failed, "writes failed")
		granted, err := d.Booking(6)
		require.NoError(t, err)
		require.Equal(t, Ended, granted.State, "%v has waited, and was booked", granted)
		if !logged {
			continue
		}
		again, err := New(Config{Keep: 50, Kinds: kinds})
		require.NoError(t, err)
		_, err = Replay(&file, again, nil)
		require.NoError(t, err)
		require.Equal(t, written(t, d), written(t, again))
	}
}

// stray is a structure whose Clone gives something else.
type stray struct {
	*carts.Indexed
	clone bookahead.Schedule
}

func (s stray) Clone() bookahead.Schedule { return s.clone }

// less has a Schedule's methods, and none of a Keeper's besides.
type less struct{ bookahead.Schedule }

// TestOwnScheduleThatCannotBeCloned refuses a structure whose Clone is nil, or no Keeper.
func TestOwnScheduleThatCannotBeCloned(t *testing.T) {
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	for _, clone := range []bookahead.Schedule{nil, less{pool}} {
		d, err := New(Config{Kinds: map[string]func([]byte, bookahead.Time) (bookahead.Keeper, error){
			"stray": func([]byte, bookahead.Time) (bookahead.Keeper, error) { return stray{pool, clone}, nil },
		}})
		require.NoError(t, err)
		_, err = d.Do(AddSchedule{"own", Own{Kind: "stray"}})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "cannot be cloned")
	}
}

// TestScheduleIsMadeOnce counts how often a structure is made for one command.
func TestScheduleIsMadeOnce(t *testing.T) {
	calls := 0
	kinds := Config{Kinds: map[string]func([]byte, bookahead.Time) (bookahead.Keeper, error){
		"flat": func(_ []byte, origin bookahead.Time) (bookahead.Keeper, error) {
			calls++
			return carts.NewFlat(4, carts.Config{Origin: origin, Horizon: 50})
		},
	}}
	d, err := New(kinds)
	require.NoError(t, err)
	do(t, d, AddSchedule{"a", Own{Kind: "flat"}})
	require.Equal(t, 1, calls)
	var file bytes.Buffer
	_, err = NewLog(d, &file).Do(AddSchedule{"b", Own{Kind: "flat"}})
	require.NoError(t, err)
	require.Equal(t, 2, calls)
	_, err = d.Do(AddSchedule{"b", Own{Kind: "flat"}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.Equal(t, 2, calls)

	// An entry may be applied to several desks, which share nothing.
	e, err := d.Decide(AddSchedule{"c", Own{Kind: "flat"}})
	require.NoError(t, err)
	other := d.Clone()
	for _, at := range []*Desk{d, other} {
		_, err = at.Apply(e)
		require.NoError(t, err)
	}
	do(t, d, Book{Request: asks(Part{On: "c", Units: 4, Duration: 5})})
	require.NoError(t, d.Verify())
	require.NoError(t, other.Verify())
}

// TestServersTakeTheMemoryOfOneTree compares the memory that AddSchedule allocates with that of the tree alone.
func TestServersTakeTheMemoryOfOneTree(t *testing.T) {
	const count = 1 << 18
	allocated := func(f func()) uint64 {
		var a, b runtime.MemStats
		runtime.ReadMemStats(&a)
		f()
		runtime.ReadMemStats(&b)
		return b.TotalAlloc - a.TotalAlloc
	}
	one := allocated(func() {
		_, err := idletree.NewTree(count, idletree.Config{})
		require.NoError(t, err)
	})
	d := deskWith(t)
	got := allocated(func() {
		_, err := d.Do(AddSchedule{"lab", Servers{Count: count}})
		require.NoError(t, err)
	})
	require.Less(t, float64(got), 1.2*float64(one), fmt.Sprint(got, " bytes, and one tree has ", one))
}
