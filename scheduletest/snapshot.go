package scheduletest

import (
	"bytes"
	"reflect"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// snapshot writes a schedule, reads it into another, and goes on with the other.
func (m *machine) snapshot(t *rapid.T) {
	w := m.pickWorld(t)
	if !has[bookahead.Snapshotter](w.s) {
		return
	}
	read := m.target.receiver(t, w.s)
	if has[bookahead.Tracker](read) && rapid.Bool().Draw(t, "tracks") {
		bookahead.Update(read, func(read bookahead.Tracker) { read.Track(true) })
	}
	m.readInto(t, w, read)
}

// readInto writes the schedule of a world, and goes on with another one that reads it.
func (m *machine) readInto(t rapid.TB, w *world, read bookahead.Schedule) {
	data := write(t, w.s)
	tracks := false // a schedule that reads keeps the index that it has
	bookahead.View(read, func(read bookahead.Tracker) { _, tracks = read.Live() })
	if err := bookahead.Restore(read, data); err != nil {
		t.Fatalf("reading %x: %v", data, err)
	}
	w.o.Track(tracks)
	m.did(t, "%d bytes written, and read", len(data))
	again := write(t, read)
	if !bytes.Equal(data, again) {
		t.Fatalf("written as %x, and written again after reading as %x", data, again)
	}
	w.s = read
}

// write returns the snapshot of a schedule.
func write(t rapid.TB, s bookahead.Schedule) []byte {
	t.Helper()
	data, err := bookahead.Snapshot(s)
	sameError(t, err, nil)
	return data
}

// receiver draws a schedule into which a snapshot of s is read: a zero value, or a schedule with
// a past.
func (target Target) receiver(t *rapid.T, s bookahead.Schedule) bookahead.Schedule {
	if !target.Made && rapid.Bool().Draw(t, "zero") {
		return zeroOf(t, s)
	}
	other := target.empty(t)
	for range rapid.IntRange(0, 2).Draw(t, "booked in the receiver") {
		_, _ = other.Reserve(drawRequest(t, target, 3, 2))
	}
	return other
}

// zeroOf returns the zero value of a schedule's type.
func zeroOf(t rapid.TB, s bookahead.Schedule) bookahead.Schedule {
	t.Helper()
	if reflect.TypeOf(s).Kind() != reflect.Pointer {
		t.Fatalf("Target.New makes a %T, which is no pointer, so a snapshot cannot be read into its zero value: "+
			"return a pointer, or set Target.Made", s)
	}
	return reflect.New(reflect.TypeOf(s).Elem()).Interface().(bookahead.Schedule)
}

// isZero reports whether s is a pointer to a zero value.
func isZero(s bookahead.Schedule) bool {
	v := reflect.ValueOf(s)
	return v.Kind() == reflect.Pointer && v.Elem().IsZero()
}

// blank returns a schedule into which a snapshot can be read: a zero value, unless the target is
// Made.
func (target Target) blank(t rapid.TB) bookahead.Schedule {
	s := target.empty(t)
	if target.Made {
		return s
	}
	return zeroOf(t, s)
}

// empty returns an empty schedule.
func (target Target) empty(t rapid.TB) bookahead.Schedule {
	s, err := target.New(Config{Capacity: 3, Origin: 2, Horizon: 40})
	sameError(t, err, nil)
	return s
}
