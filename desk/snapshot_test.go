package desk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/snapshot"
	"github.com/bookahead/bookahead/nodes"
)

// busy returns a desk after some commands.
func busy(t require.TestingT, seed uint64, commands int) *Desk {
	p := newPlayer(t, seed)
	for range commands {
		_, _ = p.d.Do(p.next())
	}
	return p.d
}

// The bytes are those of the state, and not of its history: clones that were made and used on the way leave
// no trace, nor does a desk that was read in between.
func TestTheSameStateHasTheSameBytes(t *testing.T) {
	p, q := newPlayer(t, 5), newPlayer(t, 5)
	for i := range 400 {
		c := p.next()
		_, _ = p.d.Do(c)
		var err error
		switch i % 20 {
		case 3:
			trial := q.d.Clone()
			_, _ = trial.Do(Advance{trial.Now() + 5})
			_, _ = trial.Do(c)
		case 7:
			q.d = q.d.Clone()
		case 11:
			q.d, err = Read(bytes.NewReader(written(t, q.d)), keepsNine)
			require.NoError(t, err)
		}
		_, _ = q.d.Do(c)
	}
	require.NoError(t, q.d.Verify())
	require.True(t, bytes.Equal(written(t, p.d), written(t, q.d)))
}

// A snapshot goes on as the desk that was written: the same decisions and events.
func TestReadGoesOn(t *testing.T) {
	for seed := range uint64(5) {
		p := newPlayer(t, seed)
		for range 200 {
			_, _ = p.d.Do(p.next())
		}
		read, err := Read(iotest.OneByteReader(bytes.NewReader(written(t, p.d))), keepsNine)
		require.NoError(t, err)
		for range 200 {
			c := p.next()
			got, gotErr := read.Do(c)
			want, err := p.d.Do(c)
			require.Equal(t, err, gotErr)
			require.Equal(t, want.Events, got.Events)
			require.Equal(t, want.Booking.Places, got.Booking.Places)
		}
		require.True(t, bytes.Equal(written(t, p.d), written(t, read)))
	}
}

// Each byte that is changed, and each cut, is found.
func TestADamagedSnapshotIsRefused(t *testing.T) {
	data := written(t, busy(t, 2, 120))
	for at := 0; at < len(data); at += stride() {
		_, err := Read(bytes.NewReader(data[:at]), keepsNine)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		for _, flip := range []byte{1, 0x80, 0xff} {
			spoilt := bytes.Clone(data)
			spoilt[at] ^= flip
			_, err := Read(bytes.NewReader(spoilt), keepsNine)
			require.Error(t, err)
			require.True(t, errors.Is(err, bookahead.ErrInvalid) || errors.Is(err, io.ErrUnexpectedEOF))
			require.Regexp(t, `byte \d+`, err.Error())
		}
	}
	_, err := Read(bytes.NewReader(append(bytes.Clone(data), 7)), keepsNine)
	require.ErrorContains(t, err, "left over")
	_, err = Read(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(data))), keepsNine)
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

func TestReadNeedsTheSameConfig(t *testing.T) {
	data := written(t, busy(t, 2, 120))
	read, err := Read(bytes.NewReader(data), Config{})
	require.NoError(t, err)
	require.Equal(t, keepsNine.Keep, read.b.config.Keep)
	_, err = Read(bytes.NewReader(data), Config{Keep: 8})
	require.ErrorContains(t, err, "Config.Keep 8 is not that of the snapshot, 9")
}

// A log of another desk is refused, and one that lacks entries.
func TestReplayNeedsTheSameDesk(t *testing.T) {
	log, ends, _ := small(t, 40)
	for want, c := range map[string]struct {
		desk func(d *Desk)
		log  []byte
	}{
		"Config.Keep 9 is not that of the desk, 0":   {func(d *Desk) { d.b.config.Keep = 0 }, log},
		"state {1 0 0 0 0 9} is not that of":         {func(d *Desk) { d.b.now = 3 }, log},
		"mark 69 comes before the head of a log":     {func(*Desk) {}, log[ends[2]:]},
		"Entry.Number 7 does not follow 5":           {func(*Desk) {}, append(bytes.Clone(log[:ends[5]]), log[ends[6]:]...)},
		"Entry.Number 5 does not follow 5":           {func(*Desk) {}, append(bytes.Clone(log[:ends[5]]), log[ends[4]:]...)},
		"entries 0 come before it, and 5 have been":  {func(*Desk) {}, append(bytes.Clone(log[:ends[5]]), log...)},
		"mark 90 is none of a log":                   {func(*Desk) {}, code.AppendFrame(nil, markEnd, nil)},
		"is that of no log":                          {func(*Desk) {}, code.AppendFrame(nil, markLog, []byte("BKAX"))},
		"version, before byte 1, 2 is not 1":         {func(*Desk) {}, code.AppendFrame(nil, markLog, []byte("BKAH\x02"))},
		"version 2 is not 1, the one that is known":  {func(*Desk) {}, logBeginning(t, logHead{Log: 2})},
		"entries 3 come before it, and the desk has": {func(*Desk) {}, logBeginning(t, logHead{Log: 1, Entries: 3, Keep: 9})},
	} {
		d := mustNew(t)
		c.desk(d)
		_, err := Replay(bytes.NewReader(c.log), d, nil)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
	d := mustNew(t)
	good, err := Replay(iotest.TimeoutReader(iotest.HalfReader(bytes.NewReader(log))), d, nil)
	require.ErrorIs(t, err, iotest.ErrTimeout)
	require.Contains(t, ends, int(good))
	require.Positive(t, good)
}

// An entry that does not fit the desk leaves it at the entry before, whatever was applied in the same batch.
func TestReplayStopsAtTheLastGoodEntry(t *testing.T) {
	for _, at := range []int{3, 20, batch + 7} {
		p := newPlayer(t, 9)
		var b bytes.Buffer
		l := NewLog(p.d, &b)
		for p.d.b.entries < uint64(at) {
			_, _ = l.Do(p.next())
		}
		want, good := written(t, p.d), b.Len()
		bad := Entry{Number: p.d.b.entries + 1, Command: Cancel{1 << 40}, Decision: Decision{Booking: 1 << 40}}
		frame, err := appendValue(nil, markEntry, bad.append)
		require.NoError(t, err)
		b.Write(frame)
		d := mustNew(t)
		n, err := Replay(&b, d, nil)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "no such reservation")
		require.Equal(t, int64(good), n)
		require.True(t, bytes.Equal(want, written(t, d)))
	}
}

// reseal returns frames with the sums that their bytes have.
func reseal(data []byte) (out []byte) {
	for len(data) > 5 {
		n, size := binary.Uvarint(data[1:])
		if size <= 0 || len(data) < 1+size+4 {
			break
		}
		body := data[1+size+4:]
		body = body[:min(n, uint64(len(body)))]
		out = code.AppendFrame(out, data[0], body)
		data = data[min(len(data), 1+size+4+len(body)+4):]
	}
	return append(out, data...)
}

// useAll does one of each command on a desk that was accepted. Nothing panics, and the desk stays in order.
func useAll(t require.TestingT, d *Desk) {
	var list []BookingID
	for id := range d.b.all.All(d.b.now) {
		list = append(list, BookingID(id))
	}
	list = list[:min(len(list), 20)]
	try := func(c Command) {
		_, err := d.Do(c)
		if err != nil && err != bookahead.ErrUnavailable && err != bookahead.ErrNotFound {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
		}
	}
	for _, s := range d.b.schedules {
		part := Part{On: s.name, Units: 1, Duration: 2}
		try(Book{Key: s.name, Request: Request{Priority: 9, Shapes: []Shape{{part}}}, Force: Lower})
		try(Close{On: s.name, Interval: bookahead.Interval{Start: d.b.now, End: d.b.now + 3}, Servers: []int{0}, Force: Anybody})
		try(Close{On: s.name, Interval: bookahead.Interval{Start: d.b.now, End: d.b.now + 3}, Units: 1, Force: Anybody})
	}
	for i, id := range list {
		k, _ := d.b.booking(id)
		switch i % 4 {
		case 0:
			try(Overrun{id, addTime(k.End, 2), Anybody})
		case 1:
			try(Change{ID: id, To: k.Request, Force: Anybody})
		case 2:
			try(Commit{id})
		}
		try(End{id})
	}
	for _, o := range d.b.outages {
		try(Reopen{o.ID, d.b.now})
	}
	require.NoError(t, d.Verify())
	try(Advance{addTime(d.b.now, 1)})
	for _, id := range list {
		try(Cancel{id})
	}
	require.NoError(t, d.Verify())
	_, err := d.WriteTo(io.Discard)
	require.NoError(t, err)
}

func addTime(t bookahead.Time, d bookahead.Duration) bookahead.Time {
	return bookahead.Time(addUp(bookahead.Duration(t), d))
}

// accepts reads bytes as a snapshot, and uses the desk if there is one.
func accepts(t require.TestingT, data []byte) bool {
	read, err := Read(bytes.NewReader(data), keepsNine)
	if err != nil {
		require.True(t, errors.Is(err, bookahead.ErrInvalid) || errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
		return false
	}
	require.NoError(t, read.Verify())
	require.True(t, bytes.Equal(data, written(t, read)), "a snapshot that is accepted is one that would be written")
	useAll(t, read)
	return true
}

// Snapshots that were forged, with sums that are right, are refused, or make a desk that can be used.
func TestForgedSnapshots(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	accepted, refused := 0, 0
	for seed := range uint64(4) {
		data := written(t, busy(t, seed, 150))
		require.True(t, accepts(t, data))
		for range runs() / 25 {
			forged := bytes.Clone(data)
			for range 1 + rng.IntN(2) {
				at := rng.IntN(len(forged))
				forged[at] += byte(1 + rng.IntN(4))
				if rng.IntN(3) == 0 {
					forged[at] ^= 1 << rng.IntN(8)
				}
			}
			if accepts(t, reseal(forged)) {
				accepted++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d forged snapshots refused, %d accepted", refused, accepted)
	require.True(t, accepted > 0 || refused < 100, "a test that accepts nothing")
}

// Numbers within the snapshots of the schedules change as well.
func TestForgedSchedules(t *testing.T) {
	accepted := 0
	for seed := range uint64(runs() / 25) {
		d := busy(t, seed%3, 150)
		k := int(seed/3) % len(d.b.schedules)
		s := d.b.schedules[k]
		body, err := code.Append(nil, (&keptSchedule{AddSchedule{s.name, s.kind}, s.Given, s.since, s.terms, s.Tails}).code)
		require.NoError(t, err)
		state, err := s.bytes()
		require.NoError(t, err)
		body = append(body, snapshot.Spoil(state, seed)...)
		data, whole := written(t, d), new(bytes.Buffer)
		for i := 0; len(data) > 0; i++ {
			n, size := binary.Uvarint(data[1:])
			end := 1 + size + 4 + int(n) + 4
			if i == k+1 {
				whole.Write(code.AppendFrame(nil, markSchedule, body))
			} else {
				whole.Write(data[:end])
			}
			data = data[end:]
		}
		if accepts(t, whole.Bytes()) {
			accepted++
		}
	}
	t.Logf("%d of %d accepted", accepted, runs()/25)
}

// many returns a desk with so many bookings that their bytes are several frames.
func many(t require.TestingT, n int) *Desk {
	d := mustNew(t)
	_, err := d.Do(AddSchedule{"gpus", Pool{Units: 8}})
	require.NoError(t, err)
	for i := range n {
		out, err := d.Do(Book{Key: fmt.Sprint(i), Request: Request{Shapes: []Shape{{{On: "gpus", Units: 1 + int64(i%7), Duration: 5}}}}})
		require.NoError(t, err)
		if i%5 == 0 {
			_, err := d.Do(Cancel{out.Booking.ID})
			require.NoError(t, err)
		}
	}
	return d
}

// The frames of a desk are divided in one way only. An empty frame of bookings behind the last was once
// read as nothing.
func TestADeskHasOneSnapshot(t *testing.T) {
	d := many(t, 5000)
	data := written(t, d)
	require.True(t, accepts(t, data))
	var parts [][]byte
	for rest := data; len(rest) > 0; {
		n, size := binary.Uvarint(rest[1:])
		end := 1 + size + 4 + int(n) + 4
		parts, rest = append(parts, rest[:end]), rest[end:]
	}
	require.Greater(t, len(parts), 6)
	empty := code.AppendFrame(nil, markBookings, []byte{code.Version})
	last := len(parts) - 1
	with := func(i int, frames ...[]byte) []byte {
		return bytes.Join(slices.Concat(parts[:i], frames, parts[i:]), nil)
	}
	for i := 1; i <= last+1; i++ {
		require.False(t, accepts(t, with(i, empty)), i)
		require.False(t, accepts(t, with(i, parts[3])), i)
		require.False(t, accepts(t, with(i, code.AppendFrame(nil, markEnd, nil))), i)
	}
	for i := range parts {
		require.False(t, accepts(t, bytes.Join(slices.Concat(parts[:i], parts[i+1:]), nil)), i)
	}
	none := written(t, mustNew(t))
	require.True(t, accepts(t, none))
	require.False(t, accepts(t, bytes.Replace(none, empty, nil, 1)))
	require.False(t, accepts(t, bytes.Replace(none, empty, append(empty, empty...), 1)))
}

// A key is of one booking, also if the two that have it lie in frames far from each other.
func TestAKeyIsOfOneBooking(t *testing.T) {
	d := many(t, 5000)
	var keyed []*Booking
	for _, r := range d.b.all.All(d.b.now) {
		keyed = append(keyed, r.Booking)
	}
	for _, other := range []*Booking{keyed[1], keyed[len(keyed)-1]} {
		forged := d.Clone()
		k := *other
		k.Key = keyed[0].Key
		forged.b.all.Set(bookahead.ID(k.ID), record{&k})
		_, err := Read(bytes.NewReader(written(t, forged)), Config{})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "is that of another booking")
	}
}

// A booking whose request is not that of its reservation on nodes was once accepted: an Overrun then decided
// for other tasks than those that it found when it was applied.
func TestARequestForOtherTasksIsRefused(t *testing.T) {
	for name, change := range map[string]func(r *nodes.Request){
		"each": func(r *nodes.Request) { r.Each[0] = 2 },
		"head": func(r *nodes.Request) { r.Head[0] = 2 },
		"none": func(r *nodes.Request) { r.Head = nil },
	} {
		d := mustNew(t)
		for _, c := range always {
			_, err := d.Do(c)
			require.NoError(t, err)
		}
		tasks := &nodes.Request{Each: nodes.Vector{1, 1}, Head: nodes.Vector{1, 0}}
		_, err := d.Do(Book{Request: Request{Shapes: []Shape{{{On: "farm", Units: 1, Duration: 1, Tasks: tasks}}}}})
		require.NoError(t, err)
		require.True(t, accepts(t, written(t, d)))
		k, _ := d.b.booking(1)
		change(k.Shapes[0][0].Tasks)
		require.False(t, accepts(t, written(t, d)), name)
		require.ErrorContains(t, d.Verify(), "D3", name)
	}
}

func FuzzRead(f *testing.F) {
	for _, n := range []int{0, 5, 60, 200} {
		f.Add(written(f, busy(f, 1, n)))
	}
	f.Fuzz(func(t *testing.T, data []byte) { accepts(t, reseal(data)) })
}

func FuzzReplay(f *testing.F) {
	for _, n := range []int{6, 40} {
		log, _, _ := small(f, n)
		f.Add(log)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = reseal(data)
		d := mustNew(t)
		good, err := Replay(bytes.NewReader(data), d, nil)
		if err != nil {
			require.True(t, errors.Is(err, bookahead.ErrInvalid) || errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
		}
		require.LessOrEqual(t, good, int64(len(data)))
		require.NoError(t, d.Verify())
		again := mustNew(t)
		n, err := Replay(bytes.NewReader(data[:good]), again, nil)
		require.NoError(t, err)
		require.Equal(t, good, n)
		state := written(t, d)
		require.True(t, bytes.Equal(state, written(t, again)))
		require.True(t, accepts(t, state))
	})
}

// Read checks its Config as New does: a desk with a negative Effort would refuse each command.
func TestReadChecksItsConfig(t *testing.T) {
	b := written(t, opened(t, Config{}))
	for want, c := range map[string]Config{
		"Config.Effort -1 is negative":                  {Effort: -1},
		"Config.Limits.Servers -1 is negative":          {Limits: Limits{Servers: -1}},
		"Config.Keep -1 is not that of the snapshot, 0": {Keep: -1},
	} {
		_, err := Read(bytes.NewReader(b), c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// A kind describes its machine: what the desk says of capacity and quotas relies on it.
func TestReadRefusesAKindThatIsNotItsMachine(t *testing.T) {
	kind := func() Nodes {
		return Nodes{
			Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{8, 64}, {4, 32}, {4, 32}},
			Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{2, 0}, {1}}}}, Sets: map[string][]int{"big": {0}},
		}
	}
	for name, forge := range map[string]func(k *Nodes){
		"a short vector":   func(k *Nodes) { k.Nodes[1] = nodes.Vector{4} },
		"another amount":   func(k *Nodes) { k.Nodes[1][0] = 5 },
		"another resource": func(k *Nodes) { k.Resources[1] = "bytes" },
		"another group":    func(k *Nodes) { k.Levels[0].Groups[1] = []int{7} },
		"another level":    func(k *Nodes) { k.Levels = nil },
		"another set":      func(k *Nodes) { k.Sets["big"] = []int{-1} },
	} {
		d, err := New(Config{})
		require.NoError(t, err)
		must(t, d, AddSchedule{Name: "farm", Kind: kind()})
		must(t, d, Extend{On: "farm", Interval: ticks(5, 9), Nodes: []nodes.Added{{Has: nodes.Vector{1, 1}, Groups: map[string]int{"rack": 2}, Sets: []string{"big"}}}})
		_, err = Read(bytes.NewReader(written(t, d)), Config{})
		require.NoError(t, err)
		k := copyOf(d.b.schedules[0].kind).(Nodes)
		forge(&k)
		d.b.schedules[0].kind = k
		_, err = Read(bytes.NewReader(written(t, d)), Config{})
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.ErrorContains(t, err, "does not describe the machine", name)
	}
}
