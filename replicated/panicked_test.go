package replicated

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Titles of bookings that a test poisons.
const (
	panicsAtOnce = "panics at once"
	panicsLate   = "panics late" // the booking is on the desk by then
)

// poisons is a carrier that panics on poisoned bookings.
func poisons(d *desk.Desk, index uint64, c desk.Command) (desk.Outcome, error) {
	b, _ := c.(desk.Book)
	switch b.Title {
	case panicsAtOnce:
		panic(fmt.Sprint("poisoned at once at ", index))
	case panicsLate:
		_, _ = d.Do(c)
		panic(fmt.Errorf("poisoned late at %d", index))
	}
	return d.Do(c)
}

// poisoned returns a booking with a title, by eve.
func poisoned(title string) desk.Book {
	b := booking("")
	b.Owner, b.Title = "eve", title
	return b
}

// pages is a log for people that a test reads.
type pages struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *pages) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

// with returns the lines with all of some texts.
func (p *pages) with(texts ...string) (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(p.b.String()) {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(line, text)
		}
		if all {
			list = append(list, line)
		}
	}
	return list
}

func newPages() (*pages, *slog.Logger) {
	p := &pages{}
	return p, slog.New(slog.NewTextHandler(p, nil))
}

// requirePanicked requires the error of a poisoned booking: the entry, the caller and the panic.
func requirePanicked(t testing.TB, err error, at string, index uint64, s SessionID, number uint64) {
	t.Helper()
	require.ErrorIs(t, err, ErrPanicked)
	require.NotErrorIs(t, err, ErrUnknown)
	require.EqualError(t, err, fmt.Sprintf("replicated: the command panics: entry %d, session %016x, number %d, desk.Book by \"eve\": poisoned %s at %d",
		index, uint64(s), number, at, index))
}

// requireTitles requires the bookings of a member, by title and in order.
func requireTitles(t testing.TB, m *Member, titles ...string) {
	t.Helper()
	v, err := m.Read(within(t, time.Hour), Linearizable)
	require.NoError(t, err)
	var got []string
	for _, k := range collected(v.Bookings(desk.Filter{}, bookahead.Effort{})) {
		got = append(got, k.Title)
	}
	require.Equal(t, titles, got)
	require.NoError(t, v.Verify())
}

// Commands that panic are refused by a member that is alone, and change nothing. The member goes on, also behind a
// restart and a snapshot. A call that is sent again gets its refusal again, and does not panic once more.
func TestPanicsAlone(t *testing.T) {
	dir := t.TempDir()
	said, log := newPages()
	panics := 0
	counts := func(d *desk.Desk, index uint64, c desk.Command) (desk.Outcome, error) {
		b, _ := c.(desk.Book)
		if strings.HasPrefix(b.Title, "panics") {
			panics++
		}
		return poisons(d, index, c)
	}
	open := func() *Member {
		m, err := openWith(Config{Dir: dir, Log: log, Reserve: 1}, seam{carry: counts})
		require.NoError(t, err)
		return m
	}
	m, ctx := open(), within(t, time.Minute)
	_, err := m.Do(ctx, line)
	require.NoError(t, err)
	s, err := m.NewSession(ctx)
	require.NoError(t, err)
	titles := []string{}
	number := uint64(0)
	type refused struct {
		call  Call
		at    string
		index uint64
	}
	var all []refused
	for round := range 3 {
		for _, c := range []struct{ title, at string }{{panicsAtOnce, "at once"}, {panicsLate, "late"}, {panicsLate, "late"}} {
			number++
			bad := Call{s, number, poisoned(c.title)}
			_, err = m.DoOnce(ctx, bad)
			index := entryWith(t, m, bad)
			requirePanicked(t, err, c.at, index, s, number)
			all = append(all, refused{bad, c.at, index})
			number++
			good := poisoned(fmt.Sprint("good ", number))
			_, err = m.DoOnce(ctx, Call{s, number, good})
			require.NoError(t, err)
			titles = append(titles, good.Title)
			requireTitles(t, m, titles...)
			number++
			bad.Number = number
			_, err = m.DoOnce(ctx, bad)
			all = append(all, refused{bad, c.at, entryWith(t, m, bad)})
			require.ErrorIs(t, err, ErrPanicked)
			before := panics
			_, again := m.DoOnce(ctx, bad)
			require.EqualError(t, again, err.Error())
			require.Equal(t, before, panics)
		}
		require.NoError(t, m.Status().Err)
		if round == 1 {
			require.NoError(t, m.Snapshot(ctx))
			require.False(t, m.machine.careful.Load(), "the snapshot has the state behind the panics")
		} else {
			require.True(t, m.machine.careful.Load())
		}
		want := snapshotOf(t, m.machine)
		require.NoError(t, m.Close())
		m = open()
		require.Equal(t, want, imageAt(t, m.machine, want))
		last := all[len(all)-1]
		_, err = m.DoOnce(ctx, last.call)
		requirePanicked(t, err, last.at, last.index, s, last.call.Number)
		requireTitles(t, m, titles...)
	}
	for _, r := range all {
		texts := []string{
			"level=ERROR", "a command panics", fmt.Sprint(" entry=", r.index, " "), fmt.Sprintf(" session=%016x ", uint64(s)), fmt.Sprint(" number=", r.call.Number, " "),
			" owner=eve ", `command="desk.Book{Request:{Owner:\"eve\" Title:\"panics `, "stack=", "poisons",
		}
		require.NotEmpty(t, said.with(texts...), "%v", texts)
	}
	require.NoError(t, m.Close())
}

// The log for people has the fields of a command, but no more of a long one than an error has.
func TestALongCommandIsLoggedInPart(t *testing.T) {
	said, log := newPages()
	m := &Member{config: Config{Log: log}}
	m.logTrouble(trouble{command: poisoned(strings.Repeat("long ", 1<<16)), err: bookahead.ErrStopped})
	list := said.with("has used up its steps", `command="desk.Book{Request:{Owner:\"eve\" Title:\"long long `, "…")
	require.Len(t, list, 1)
	require.Less(t, len(list[0]), 5<<10)
}

// entryWith returns the index of the entry that has a call, from the log itself.
func entryWith(t testing.TB, m *Member, c Call) uint64 {
	first, err := m.disk.log.FirstIndex()
	require.NoError(t, err)
	for i := first; ; i++ {
		var l raft.Log
		require.NoError(t, m.disk.log.GetLog(i, &l), "no entry has the call")
		if l.Type != raft.LogCommand {
			continue
		}
		e, err := readEntry(l.Data, nil)
		require.NoError(t, err)
		for _, one := range e.calls {
			if one.session == c.Session && one.number == c.Number {
				return i
			}
		}
	}
}

// imageAt returns the snapshot of a machine, with the index of another one: entries of Raft itself count, too.
func imageAt(t testing.TB, x *machine, like []byte) []byte {
	r, err := readImage(bytes.NewReader(like), x.config, x.version)
	require.NoError(t, err)
	x.mu.RLock()
	m := x.image()
	x.mu.RUnlock()
	m.index, m.written = r.index, func(int64, time.Duration) {}
	var to sink
	require.NoError(t, m.Persist(&to))
	return to.Bytes()
}

// Three members refuse the same commands with the same errors, and have the same bytes afterwards: members that have
// met the panic, that have read it from the log, and that were sent a snapshot.
func TestPanicsOfThree(t *testing.T) {
	said, log := newPages()
	inBubble(t, 3, Config{Log: log, CheckEvery: time.Minute}, func(t *testing.T, w *world) {
		w.carry = func(string) carrier { return poisons }
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		s, err := w.any(0).NewSession(ctx)
		require.NoError(t, err)
		number := uint64(0)
		var titles []string
		calls := func() {
			for i, c := range []struct{ title, at string }{{panicsLate, "late"}, {panicsAtOnce, "at once"}, {panicsLate, "late"}} {
				number++
				_, err := w.any(i).DoOnce(ctx, Call{s, number, poisoned(c.title)})
				require.ErrorIs(t, err, ErrPanicked)
				require.ErrorContains(t, err, fmt.Sprintf("session %016x, number %d, desk.Book by \"eve\": poisoned %s at ", uint64(s), number, c.at))
				number++
				b := poisoned(fmt.Sprint("good ", number))
				_, err = w.any(i).DoOnce(ctx, Call{s, number, b})
				require.NoError(t, err)
				titles = append(titles, b.Title)
			}
		}
		alike := func() {
			w.alike(ctx)
			for _, p := range w.peers {
				requireTitles(t, w.member(p.ID), titles...)
				require.NoError(t, w.member(p.ID).Status().Err)
			}
		}
		calls()
		alike()
		w.stop(w.leader().config.ID)
		calls()
		for _, p := range w.peers {
			if w.member(p.ID) == nil {
				w.open(p.ID) // is sent entries
			}
		}
		alike()
		for _, p := range w.peers { // reads its own log
			w.stop(p.ID)
			w.open(p.ID)
			calls()
			alike()
		}
		lost := w.other(w.leader())
		id := lost.config.ID
		require.NoError(t, w.leader().Remove(ctx, id))
		w.stop(id)
		delete(w.disks, id)
		require.NoError(t, w.leader().Snapshot(ctx))
		calls()
		peers := w.peers
		w.peers = slices.DeleteFunc(slices.Clone(peers), func(p Peer) bool { return p.ID == id })
		w.open(id)
		w.peers = peers
		require.NoError(t, w.leader().Add(ctx, Peer{ID: id, Address: "at-" + id}))
		alike()
		calls()
		alike()
		time.Sleep(3 * time.Minute)
		for _, p := range w.peers {
			require.NoError(t, w.member(p.ID).Status().Doubt)
			require.NoError(t, w.member(p.ID).Status().Err)
			require.NotEmpty(t, said.with("a command panics", " id="+p.ID+" ", " owner=eve "))
		}
	})
}

// alike requires the same bytes of all members, with the texts of errors.
func (w *world) alike(ctx context.Context) {
	w.t.Helper()
	var want []byte
	for _, p := range w.peers {
		m := w.member(p.ID)
		_, err := m.Read(ctx, Linearizable)
		require.NoError(w.t, err)
		if want == nil {
			want = imageAt(w.t, m.machine, snapshotOf(w.t, m.machine))
		}
		require.Equal(w.t, want, imageAt(w.t, m.machine, want))
	}
}

// A build panics on a command, and the others do not. The leader has that build. It compares fingerprints at once, and
// stops, and the others go on with the command carried out.
func TestOnlyTheLeaderPanics(t *testing.T) {
	inBubble(t, 3, Config{CheckEvery: 24 * time.Hour}, func(t *testing.T, w *world) {
		bad := ""
		w.carry = func(id string) carrier {
			return func(d *desk.Desk, index uint64, c desk.Command) (desk.Outcome, error) {
				if id == bad {
					return poisons(d, index, c)
				}
				return d.Do(c)
			}
		}
		w.start()
		ctx := within(t, time.Hour)
		m := w.leader()
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		bad = m.config.ID
		_, err = m.Do(ctx, poisoned(panicsLate))
		require.ErrorIs(t, err, ErrPanicked)
		time.Sleep(3 * time.Minute)
		var diverged *divergedError
		require.ErrorAs(t, m.Status().Err, &diverged)
		for _, p := range w.peers {
			if p.ID != bad {
				require.NoError(t, w.member(p.ID).Status().Err)
				requireTitles(t, w.member(p.ID), panicsLate)
			}
		}
	})
}

// A log from before has a command that hung, as the last thing that its members did. Each member opens with a build
// that panics on the command, names it, and goes on.
func TestALogThatHangsOpens(t *testing.T) {
	for _, n := range []int{1, 3} {
		for _, title := range []string{panicsAtOnce, panicsLate} {
			said, log := newPages()
			inBubble(t, n, Config{Log: log}, func(t *testing.T, w *world) {
				number := w.hung(poisoned(title), line)
				w.carry = func(string) carrier { return poisons }
				w.start()
				ctx := within(t, time.Hour)
				_, err := w.leader().Do(ctx, booking("after"))
				require.NoError(t, err)
				w.alike(ctx)
				for _, p := range w.peers {
					requireTitles(t, w.member(p.ID), "", "") // before and after
					require.Len(t, said.with("a command panics", " id="+p.ID+" ", " number="+fmt.Sprint(number)+" ", " owner=eve "), 1)
				}
			})
		}
	}
}

// hung leaves logs on the disks of all members as a build leaves them that hangs: with some commands, a booking, and a
// command at the end that no member has come through. It returns the number of the last command in its session.
func (w *world) hung(bad desk.Command, first ...desk.Command) (number uint64) {
	t := w.t
	w.carry = func(string) carrier {
		return func(d *desk.Desk, _ uint64, c desk.Command) (desk.Outcome, error) {
			b, ok := c.(desk.Book)
			if ok && b.Owner == "eve" {
				return desk.Outcome{}, errKilled // the state in memory does not matter any more
			}
			return d.Do(c)
		}
	}
	w.start()
	ctx := within(t, time.Hour)
	m := w.leader()
	for _, c := range first {
		_, err := m.Do(ctx, c)
		require.NoError(t, err)
	}
	_, err := m.Do(ctx, booking("before"))
	require.NoError(t, err)
	s, err := m.NewSession(ctx)
	require.NoError(t, err)
	_, err = m.DoOnce(ctx, Call{s, 77, bad})
	require.EqualError(t, err, errKilled.Error())
	for _, p := range w.peers {
		_, err = w.member(p.ID).Read(ctx, Linearizable)
		require.NoError(t, err)
		w.member(p.ID).diskFailed.Store(true) // nothing more reaches its disk
	}
	for _, p := range w.peers {
		w.kill(p.ID)
	}
	return 77
}

var errKilled = errors.New("killed")

// A panic in an entry that many calls share is the answer to one of them. Config.Applied hears of each of the others once.
func TestAPanicBetweenOtherCalls(t *testing.T) {
	var heard []string
	c := Config{Applied: func(_ uint64, c desk.Command, _ desk.Outcome) {
		b, _ := c.(desk.Book)
		heard = append(heard, b.Title)
	}}
	f := newFeed(t, c)
	f.carry = poisons
	var before []entry
	f.on.reread = func(fresh *machine, index uint64) error {
		g := &feed{machine: fresh}
		for _, e := range before {
			g.give(t, e)
		}
		require.Equal(t, index-1, fresh.applied())
		return nil
	}
	give := func(e entry) []answer {
		answers := f.give(t, e)
		before = append(before, e)
		return answers
	}
	give(entryOf(call{op: openSession}, once(line)))
	give(entryOf(numbered(1, 1, poisoned("a"))))
	got := give(entryOf(once(poisoned("b")), call{op: openSession}, numbered(1, 2, poisoned(panicsLate)), numbered(2, 1, poisoned("c")), once(poisoned(panicsAtOnce))))
	for i, want := range []error{nil, nil, ErrPanicked, nil, ErrPanicked} {
		require.ErrorIs(t, got[i].err, want, i)
	}
	require.Equal(t, []string{"", "a", "b", "c"}, heard)
	require.Equal(t, desk.BookingID(2), got[0].outcome.Booking.ID)
	require.Equal(t, desk.BookingID(3), got[3].outcome.Booking.ID)
	require.Equal(t, got[2].err, give(entryOf(numbered(1, 2, poisoned(panicsLate))))[0].err)

	// Machines that were careful from the start, and that are restored from a snapshot, are in the same state.
	g := newFeed(t, Config{})
	g.carry = poisons
	g.careful.Store(true)
	for _, e := range before {
		g.give(t, e)
	}
	want := snapshotOf(t, f.machine)
	require.Equal(t, want, snapshotOf(t, g.machine))
	require.Equal(t, want, snapshotOf(t, restored(t, Config{}, want).machine))

	// Without a disk the machine fails, and does not go on with a desk that is half changed.
	h := newFeed(t, Config{})
	h.carry = poisons
	h.give(t, entryOf(once(line)))
	require.ErrorIs(t, h.Apply(h.log(entryOf(once(poisoned(panicsLate))))).(error), ErrPanicked)
	require.ErrorIs(t, h.err(), errHalfChanged)
}
