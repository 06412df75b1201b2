package scheduletest

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"

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
	c := Config{Capacity: 3, Origin: 2, Horizon: 40}
	other, err := target.New(c)
	sameError(t, err, nil)
	for range rapid.IntRange(0, 2).Draw(t, "booked in the receiver") {
		_, _ = other.Reserve(drawRequest(t, target, c.Capacity, c.Origin))
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

// snapshotsGoOnAlike asks a schedule and the schedule read from its snapshot the same questions,
// and makes the same calls on both.
func snapshotsGoOnAlike(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	s := h.Schedule
	if !has[bookahead.Snapshotter](s) {
		return // no Snapshotter
	}
	read := target.receiver(t, s)
	sameError(t, bookahead.Restore(read, write(t, s)), nil)
	questions := drawQuestions(t, target, h)
	compareAnswers(t, questions, ask(s, questions), ask(read, questions))
	calls := drawScript(t, target, h)
	compareScripts(t, calls, calls.run(s, h.now), calls.run(read, h.now))
	for k, res := range h.live {
		if k%2 == 0 {
			sameError(t, read.Release(res.ID), s.Release(res.ID))
		}
	}
	a, b := write(t, s), write(t, read)
	if !bytes.Equal(a, b) {
		t.Fatalf("after the same calls, %x and %x", a, b)
	}
}

// damagedSnapshotsFail cuts a snapshot off everywhere, and flips each of its bits: all of these
// bytes must be refused. Then it damages bytes and corrects the sum, so that a schedule must
// either refuse them or be sound after reading them.
func damagedSnapshotsFail(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	s := h.Schedule
	if !has[bookahead.Snapshotter](s) {
		return // no Snapshotter
	}
	data := write(t, s)
	read := target.receiver(t, s)
	sameError(t, bookahead.Restore(read, data), nil)
	refuse := func(damaged []byte, how string, k int) {
		if err := bookahead.Restore(read, damaged); kind(err) != "invalid" {
			t.Fatalf("%s %d, %x gives %v", how, k, damaged, err)
		}
	}
	for n := range data {
		refuse(data[:n], "cut off at byte", n)
	}
	refuse(append(slices.Clip(data), 0), "with a byte more than", len(data))
	for bit := range 8 * len(data) {
		damaged := slices.Clone(data)
		damaged[bit/8] ^= 1 << (bit % 8)
		refuse(damaged, "with another bit", bit)
	}
	again := write(t, read)
	if !bytes.Equal(data, again) {
		t.Fatalf("after bytes that were refused, %x has become %x", data, again)
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	for range 3 { // Snapshots shows more
		damaged := slices.Clone(data)
		for range 1 + rng.IntN(2) {
			damaged[rng.IntN(len(data))] = byte(rng.Uint32())
		}
		i := rng.IntN(len(data))
		if rng.IntN(4) == 0 {
			damaged = slices.Delete(damaged, i, min(len(data), i+1+rng.IntN(3)))
		}
		readSealed(t, target.receiver(t, s), damaged)
	}
}
