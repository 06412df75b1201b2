package scheduletest

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// list compares what is booked with what the oracle has booked.
func (m *machine) list(t *rapid.T) { m.listOf(t, m.pick(t)) }

func (m *machine) listOf(t rapid.TB, w world) {
	l, ok := w.s.(bookahead.Lister)
	if !ok {
		return // no Lister
	}
	got := slices.Collect(l.Reservations())
	m.did(t, "Reservations() = %v", got)
	same := func(a, b bookahead.Reservation) bool { return a.ID == b.ID && sameOffer(a.Offer, b.Offer) }
	if want := w.o.live(); !slices.EqualFunc(got, want, same) {
		t.Fatalf("booked are %v, not %v", got, want)
	}
	for range l.Reservations() {
		break // leaving early must be safe
	}
	last := bookahead.ID(0)
	for _, want := range got {
		for id := last + 1; id < want.ID; id++ {
			m.absent(t, l, id)
		}
		one, err := l.Reservation(want.ID)
		if err != nil || !same(one, want) {
			t.Fatalf("Reservation(%d) = %v, %v, not %v", want.ID, one, err, want)
		}
		for i := range one.Servers {
			one.Servers[i] = -1 // the slice is ours
		}
		last = want.ID
	}
	for _, id := range []bookahead.ID{0, last + 1, math.MaxUint64} {
		m.absent(t, l, id)
	}
	for _, res := range got {
		for i := range res.Servers {
			res.Servers[i] = -1 // the slice is ours
		}
	}
}

// absent demands that nothing is booked under an ID.
func (m *machine) absent(t rapid.TB, l bookahead.Lister, id bookahead.ID) {
	if res, err := l.Reservation(id); err != bookahead.ErrNotFound || res.ID != 0 {
		t.Fatalf("Reservation(%d) = %v, %v, but it is not booked", id, res, err)
	}
}

// snapshot writes a schedule, reads it into another, and goes on with that.
func (m *machine) snapshot(t *rapid.T) {
	w := m.pickWorld(t)
	if s, ok := w.s.(bookahead.Snapshotter); ok {
		m.readInto(t, w, s, m.target.receiver(t, w.s))
	}
}

// readInto writes s, which is that of the world, and goes on with another that
// reads it.
func (m *machine) readInto(t rapid.TB, w *world, s, read bookahead.Snapshotter) {
	data := write(t, s)
	if err := read.UnmarshalBinary(data); err != nil {
		t.Fatalf("reading %x: %v", data, err)
	}
	m.did(t, "%d bytes written, and read", len(data))
	if again := write(t, read); !bytes.Equal(data, again) {
		t.Fatalf("written as %x, and once read as %x", data, again)
	}
	w.s = read
}

// write returns the snapshot of a schedule, which is the same however it is made.
func write(t rapid.TB, s bookahead.Snapshotter) []byte {
	t.Helper()
	data, err := s.MarshalBinary()
	sameError(t, err, nil)
	appended, err := s.AppendBinary([]byte("before"))
	sameError(t, err, nil)
	if string(appended) != "before"+string(data) {
		t.Fatalf("the snapshot is %x, but appended it is %x", data, appended)
	}
	return data
}

// receiver draws a schedule for a snapshot of s to be read into: a zero value, or
// one that has a past.
func (target Target) receiver(t *rapid.T, s bookahead.Schedule) bookahead.Snapshotter {
	if !target.Made && rapid.Bool().Draw(t, "zero") {
		return reflect.New(reflect.TypeOf(s).Elem()).Interface().(bookahead.Snapshotter)
	}
	c := Config{Capacity: 3, Origin: 2, Horizon: 40}
	other, err := target.New(c)
	sameError(t, err, nil)
	for range rapid.IntRange(0, 2).Draw(t, "booked in the receiver") {
		_, _ = other.Reserve(drawRequest(t, target, c.Capacity, c.Origin))
	}
	return other.(bookahead.Snapshotter)
}

// snapshotsGoOnAlike asks a schedule and what is read from its snapshot the same
// questions, and makes the same calls on both.
func snapshotsGoOnAlike(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	s, ok := h.Schedule.(bookahead.Snapshotter)
	if !ok {
		return
	}
	read := target.receiver(t, s)
	sameError(t, read.UnmarshalBinary(write(t, s)), nil)
	questions := drawQuestions(t, target, h)
	compareAnswers(t, questions, ask(s, questions), ask(read, questions))
	calls := drawScript(t, target, h)
	compareScripts(t, calls, calls.run(s, h.now), calls.run(read, h.now))
	for k, res := range h.live {
		if k%2 == 0 {
			sameError(t, read.Release(res.ID), s.Release(res.ID))
		}
	}
	if a, b := write(t, s), write(t, read); !bytes.Equal(a, b) {
		t.Fatalf("after the same calls, %x and %x", a, b)
	}
}

// damagedSnapshotsFail cuts a snapshot off everywhere, and flips each of its bits:
// none of that may be read. Then it makes the sum right again, behind which there
// is no telling damage from malice.
func damagedSnapshotsFail(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	s, ok := h.Schedule.(bookahead.Snapshotter)
	if !ok {
		return
	}
	data := write(t, s)
	read := target.receiver(t, s)
	sameError(t, read.UnmarshalBinary(data), nil)
	refuse := func(damaged []byte, how string, k int) {
		if err := read.UnmarshalBinary(damaged); kind(err) != "invalid" {
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
	if again := write(t, read); !bytes.Equal(data, again) {
		t.Fatalf("after bytes that were refused, %x has become %x", data, again)
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	for range 3 { // Snapshots shows more
		damaged := slices.Clone(data)
		for range 1 + rng.IntN(2) {
			damaged[rng.IntN(len(data))] = byte(rng.Uint32())
		}
		if i := rng.IntN(len(data)); rng.IntN(4) == 0 {
			damaged = slices.Delete(damaged, i, min(len(data), i+1+rng.IntN(3)))
		}
		readSealed(t, target.receiver(t, s), damaged)
	}
}
