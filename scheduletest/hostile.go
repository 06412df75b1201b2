package scheduletest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// FuzzSnapshot is the entry for go test -fuzz that gives a structure snapshots that the fuzzer
// makes up, and uses those that the structure accepts. The sums are corrected first, so the bytes
// of a sum are free to choose a change: if the first byte is odd, the bytes are the seed by which
// numbers are changed.
func FuzzSnapshot(f *testing.F, target Target) {
	for seed := range uint64(8) {
		data := past(f, target, seed)
		f.Add(data)
		odd := bytes.Clone(data)
		odd[len(odd)-crc32.Size] = byte(2*seed + 1)
		f.Add(odd)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seed := uint64(0)
		if len(data) >= crc32.Size {
			seed = uint64(binary.LittleEndian.Uint32(data[len(data)-crc32.Size:]))
		}
		if seed&1 == 1 {
			data = snapshot.Spoil(data, seed)
		}
		readSealed(t, target.blank(t), data)
	})
}

// hostileSnapshots gives a structure snapshots in which numbers are changed: one for every
// hundred Operations.
func hostileSnapshots(t rapid.TB, target Target) {
	if !has[bookahead.Snapshotter](target.empty(t)) {
		return // no Snapshotter
	}
	shown, accepted := 0, 0
	for shown < Operations()/100 {
		seed := uint64(shown)
		if readSealed(t, target.blank(t), snapshot.Spoil(past(t, target, seed%64), seed)) {
			accepted++
		}
		shown++
	}
	t.Logf("%d of %d hostile snapshots are accepted, and used", accepted, shown)
}

// past returns the snapshot of a schedule with a short past.
func past(t rapid.TB, target Target, seed uint64) []byte {
	n := seed % 8
	s, err := target.New(Config{Capacity: 1 + int64(n), Origin: 5, Horizon: 60})
	sameError(t, err, nil)
	rng := rand.New(rand.NewPCG(seed, 0))
	for k := range n * 2 {
		r := bookahead.Request{
			Ready:    bookahead.Time(5 + rng.IntN(30)),
			Duration: bookahead.Duration(1 + rng.IntN(12)),
			Units:    1 + rng.Int64N(1+int64(n)),
		}
		_, _ = s.Reserve(r)
		if k%4 == 3 {
			_ = s.Release(bookahead.ID(k))
			_ = s.Advance(bookahead.Time(5 + k))
		}
		if k%5 == 2 {
			closeSome(s, rng)
		}
	}
	return write(t, s)
}

// closeSome closes a part of a schedule, and adds to it, where that is possible.
func closeSome(s bookahead.Schedule, rng *rand.Rand) {
	start := bookahead.Time(5 + rng.IntN(30))
	c := bookahead.Closure{Interval: bookahead.Interval{Start: start, End: start + bookahead.Time(1+rng.IntN(40))}, Units: 1}
	if rng.IntN(3) == 0 {
		c.End = bookahead.MaxTime
	}
	bookahead.Update(s, func(s bookahead.Closable) {
		if rng.IntN(3) == 0 {
			_, _ = s.Extend(c)
			return
		}
		if f, ok := bookahead.FrameOf(s); ok && f.Servers > 0 {
			c.Servers = []int{rng.IntN(f.Servers)}
		}
		_, _ = s.Close(c)
	})
}

// hang is how long the calls on one snapshot may take before it counts as endless: much longer
// than any takes.
const hang = 2 * time.Minute

// readSealed corrects the sum of some bytes, lets s read them, and reports whether s accepts
// them. Bytes that s rejects leave s unchanged. Bytes that s accepts are exactly the bytes that s
// would write, and s can be used afterwards.
func readSealed(t rapid.TB, s bookahead.Schedule, data []byte) (accepted bool) {
	t.Helper()
	data = snapshot.Seal(data)
	endless := time.AfterFunc(hang, func() { panic(fmt.Sprintf("%T hangs with %x", s, data)) })
	defer endless.Stop()
	zero := isZero(s)
	var before []byte
	if !zero {
		before = write(t, s)
	}
	if err := bookahead.Restore(s, data); err != nil {
		switch {
		case !errors.Is(err, bookahead.ErrInvalid):
			t.Fatalf("%x gives %v", data, err)
		case zero && !isZero(s):
			t.Fatalf("%x is refused, and yet a zero value has become %+v", data, s)
		case !zero && !bytes.Equal(before, write(t, s)):
			t.Fatalf("%x is refused, and yet %x has become %x", data, before, write(t, s))
		}
		return false
	}
	if again, err := bookahead.Snapshot(s); err != nil || !bytes.Equal(again, data) {
		t.Fatalf("%x is read, and written as %x, %v", data, again, err)
	}
	if err := checkInvariants(s); err != nil {
		t.Fatalf("%x is read: %v", data, err)
	}
	u := &user{TB: t, s: s, data: data, rng: rand.New(rand.NewPCG(uint64(crc32.ChecksumIEEE(data)), 0))}
	calls := 100
	if u.frame().Servers > 1<<14 {
		calls = 5 // each may name that many servers
	}
	u.use(calls)
	return true
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
