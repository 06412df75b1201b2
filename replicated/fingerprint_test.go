package replicated

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// watch hears of the fingerprints of a machine.
type watch struct {
	hashed   chan fingerprint
	compared []bool
}

func watchPrints(f *feed) *watch {
	w := &watch{hashed: make(chan fingerprint, 100)}
	f.on.hashed = func(index uint64, sum [32]byte) { w.hashed <- fingerprint{index, sum} }
	f.on.compared = func(_ uint64, equal bool) { w.compared = append(w.compared, equal) }
	return w
}

func comparing(p fingerprint) call {
	return call{op: compare, body: append(binary.LittleEndian.AppendUint64(nil, p.index), p.sum[:]...)}
}

func TestEqualFingerprints(t *testing.T) {
	var sums []fingerprint
	for range 2 {
		f := newFeed(t, historyConfig)
		w := watchPrints(f)
		f.give(t, entryOf(once(addPool), call{op: openSession}))
		f.give(t, entryOf(numbered(1, 1, book("pool", 1, 2)), call{op: mark}, once(book("pool", 2, 3))))
		sum := <-w.hashed
		require.Equal(t, uint64(2), sum.index)
		sums = append(sums, sum)
		f.give(t, entryOf(once(book("pool", 3, 4))))
		f.give(t, entryOf(comparing(sums[0])))
		require.Equal(t, []bool{true}, w.compared)
		f.give(t, entryOf(comparing(sums[0])))
		require.Equal(t, []bool{true}, w.compared, "each is compared once")
		f.give(t, entryOf(comparing(fingerprint{index: 1})))
		require.Equal(t, []bool{true}, w.compared, "there is none for an entry without a mark")
		f.close()
	}
	require.Equal(t, sums[0], sums[1])
}

// A member whose state differs in anything stops, and says both.
func TestDivergence(t *testing.T) {
	changes := map[string]func(f *feed){
		"desk":     func(f *feed) { _, _ = f.desk.Do(book("pool", 1, 1)) },
		"session":  func(f *feed) { f.sessions.open() },
		"number":   func(f *feed) { f.sessions.slots[1].number++ },
		"order":    func(f *feed) { f.sessions.use(1) },
		"clock":    func(f *feed) { f.clocked = !f.clocked },
		"sealed":   func(f *feed) { f.isSealed.Store(true) },
		"answer":   func(f *feed) { f.sessions.slots[1].answer.outcome.Outage++ },
		"no error": func(f *feed) { f.sessions.slots[2].answer.err = nil },
		"error":    func(f *feed) { f.sessions.slots[2].answer.err = bookahead.ErrNotFound },
	}
	sumOf := func(change func(*feed)) (*feed, *watch, fingerprint) {
		f := newFeed(t, historyConfig)
		w := watchPrints(f)
		f.give(t, entryOf(once(addPool), call{op: openSession}, call{op: openSession}))
		f.give(t, entryOf(numbered(1, 1, book("pool", 1, 2)), numbered(2, 1, book("pool", 9, 2))))
		if change != nil {
			change(f)
		}
		f.give(t, entryOf(call{op: mark}))
		return f, w, <-w.hashed
	}
	_, _, leader := sumOf(nil)
	for name, change := range changes {
		f, w, ours := sumOf(change)
		require.NotEqual(t, leader, ours, name)
		got, ok := f.Apply(f.log(entryOf(comparing(leader), once(book("pool", 1, 1))))).(error)
		require.True(t, ok)
		var diverged *DivergedError
		require.ErrorAs(t, got, &diverged, name)
		require.Equal(t, DivergedError{Index: 3, Ours: ours.sum, Theirs: leader.sum}, *diverged)
		require.Equal(t, got, f.err())
		require.Equal(t, []bool{false}, w.compared)
		require.Error(t, f.Apply(f.log(entryOf(once(addPool)))).(error), "nothing more is carried out")
	}
}

// The texts of errors are for people, and may differ from build to build.
func TestTextsAreNotCompared(t *testing.T) {
	sum := func(change bool) [32]byte {
		f := newFeed(t, historyConfig)
		f.give(t, entryOf(once(addPool), call{op: openSession}))
		f.give(t, entryOf(numbered(1, 1, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 1}})))
		if change {
			f.sessions.slots[1].answer.err.(*refusal).text = "said in other words"
		}
		sum, err := f.image().fingerprint(nil)
		require.NoError(t, err)
		return sum
	}
	require.Equal(t, sum(false), sum(true))
}

// A compare may come before the member has its own fingerprint, which waits then.
func TestCompareBeforeTheFingerprint(t *testing.T) {
	for _, equal := range []bool{true, false} {
		f := newFeed(t, historyConfig)
		w := watchPrints(f)
		f.give(t, entryOf(once(addPool)))
		m := f.image()
		sum, err := m.fingerprint(nil)
		require.NoError(t, err)
		f.prints.busy = true // as if a goroutine was about to begin
		theirs := fingerprint{1, sum}
		if !equal {
			theirs.sum[0]++
		}
		f.give(t, entryOf(comparing(theirs)))
		require.NoError(t, f.err())
		require.Empty(t, w.compared)
		f.hash(1, m, 0)
		require.Equal(t, []bool{equal}, w.compared)
		require.Equal(t, equal, f.err() == nil)
	}
}

// A restored state has nothing to do with the marks before it, and a closed machine makes no fingerprints.
func TestFingerprintsThatAreGivenUp(t *testing.T) {
	f := sampleMachine(t)
	w := watchPrints(f)
	m := f.image()
	require.NoError(t, f.Restore(reader(snapshotOf(t, sampleMachine(t).machine))))
	f.prints.busy = true
	f.hash(1, m, 0)
	require.Empty(t, w.hashed)
	require.False(t, f.prints.busy)

	f.close()
	f.close()
	f.give(t, entryOf(call{op: mark}))
	require.False(t, f.prints.busy)
	_, err := m.fingerprint(f.prints.stop)
	require.ErrorIs(t, err, errStopped)
}

func TestFingerprintsAreBounded(t *testing.T) {
	var list []fingerprint
	for i := range uint64(3 * keptPrints) {
		note(&list, fingerprint{index: i})
	}
	require.Len(t, list, keptPrints)
	_, ok := take(&list, 0)
	require.False(t, ok)
	_, ok = take(&list, 3*keptPrints-1)
	require.True(t, ok)
	require.Len(t, list, keptPrints-1)
}
