package replicated

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// watch notes the fingerprints of a machine.
type watch struct {
	hashed   chan fingerprint
	compared []bool
}

func watchPrints(f *feed) *watch {
	w := &watch{hashed: make(chan fingerprint, 100)}
	f.on.voters = func() []string { return []string{"1", "2", "3"} }
	f.on.hashed = func(index uint64, sum [32]byte) { w.hashed <- fingerprint{index, sum} }
	f.on.compared = func(_ uint64, equal bool) { w.compared = append(w.compared, equal) }
	return w
}

func reporting(member string, p fingerprint) call {
	body := append(binary.LittleEndian.AppendUint64(nil, p.index), p.sum[:]...)
	return call{op: report, body: append(body, member...)}
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
		f.give(t, entryOf(reporting("1", sums[0])))
		require.Empty(t, w.compared, "one of three is no majority")
		f.give(t, entryOf(reporting("1", sums[0]), reporting("9", sums[0])))
		require.Empty(t, w.compared, "the same one again, and one who has no vote")
		f.give(t, entryOf(reporting("3", sums[0])))
		require.Equal(t, []bool{true}, w.compared)
		f.give(t, entryOf(reporting("2", sums[0])))
		require.Equal(t, []bool{true}, w.compared, "each is told once")
		f.give(t, entryOf(reporting("2", fingerprint{index: 1}), reporting("3", fingerprint{index: 1})))
		require.Equal(t, []bool{true}, w.compared, "there is none for an entry without a mark")
		f.close()
	}
	require.Equal(t, sums[0], sums[1])
}

// A member stops if any part of its state differs from the majority. Its error has both fingerprints.
func TestDivergence(t *testing.T) {
	changes := map[string]func(f *feed){
		"desk":     func(f *feed) { _, _ = f.desk.Do(book("pool", 1, 1)) },
		"session":  func(f *feed) { f.sessions.open(&call{session: 99}) },
		"number":   func(f *feed) { f.sessions.slots[1].number++ },
		"command":  func(f *feed) { f.sessions.slots[1].command++ },
		"order":    func(f *feed) { f.sessions.touch(1) },
		"clock":    func(f *feed) { f.clocked = !f.clocked },
		"sealed":   func(f *feed) { f.seal(1) },
		"settings": func(f *feed) { f.setAgreed([]setting{{"Config.Desk.Keep", "1"}}) },
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
		got, ok := f.Apply(f.log(entryOf(reporting("2", leader), reporting("1", ours), reporting("3", leader), once(book("pool", 1, 1))))).(error)
		require.True(t, ok)
		var diverged *divergedError
		require.ErrorAs(t, got, &diverged, name)
		require.Equal(t, divergedError{Index: 3, Ours: ours.sum, Theirs: leader.sum}, *diverged)
		require.Equal(t, got, f.err())
		require.Equal(t, []bool{false, false}, w.compared, "in doubt, and then for certain")
		require.Error(t, f.Apply(f.log(entryOf(once(addPool)))).(error), "nothing more is carried out")
	}
}

// The texts of errors are for people, may differ from build to build, and are not compared.
func TestTextsAreNotCompared(t *testing.T) {
	sum := func(change bool) [32]byte {
		f := newFeed(t, historyConfig)
		f.give(t, entryOf(once(addPool), call{op: openSession}))
		f.give(t, entryOf(numbered(1, 1, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 1}})))
		if change {
			f.sessions.slots[1].answer.err.(*portableError).text = "said in other words"
		}
		sum, err := f.image().fingerprint(nil)
		require.NoError(t, err)
		return sum
	}
	require.Equal(t, sum(false), sum(true))
}

// The reports of others may come before the member has its own fingerprint. They wait for it.
func TestReportsBeforeTheFingerprint(t *testing.T) {
	for _, equal := range []bool{true, false} {
		f := newFeed(t, historyConfig)
		w := watchPrints(f)
		f.give(t, entryOf(once(addPool)))
		m := f.image()
		sum, err := m.fingerprint(nil)
		require.NoError(t, err)
		f.prints.busy = true // as if a goroutine were about to begin
		theirs := fingerprint{1, sum}
		if !equal {
			theirs.sum[0]++
		}
		f.give(t, entryOf(reporting("2", theirs), reporting("3", theirs)))
		require.NoError(t, f.err())
		require.Empty(t, w.compared)
		f.hash(1, m, 0)
		require.Equal(t, []bool{equal}, w.compared)
		require.Equal(t, equal, f.err() == nil)
	}
}

// The majority of the voters alone decides who is wrong. Without a majority, each member knows that there is a doubt,
// and goes on.
func TestVerdicts(t *testing.T) {
	const ours, other, third = 'a', 'b', 'c'
	for _, c := range []struct {
		voters, reports string // the voters 1, 2, …, and the sum that each of them reports; - for none
		want            verdict
		theirs          byte
	}{
		{"1", "a", asMost, 0},
		{"12", "a-", undecided, 0},
		{"12", "ab", inDoubt, other},
		{"12", "aa", asMost, 0},
		{"123", "a--", undecided, 0},
		{"123", "-b-", inDoubt, other},
		{"123", "ab-", inDoubt, other},
		{"123", "aba", asMost, 0},
		{"123", "abb", otherwise, other},
		{"123", "-bb", otherwise, other},
		{"123", "abc", inDoubt, third},
		{"1234", "aabb", inDoubt, other},
		{"1234", "abbb", otherwise, other},
		{"12345", "abbcc", inDoubt, third},
		{"12345", "aaabb", asMost, 0},
		{"23", "abb", otherwise, other}, // member 1 only watches
		{"2", "-b", otherwise, other},
		{"2", "ba", asMost, 0}, // member 1 has no vote
		{"", "bb", undecided, 0},
	} {
		b := &ballot{ours: &[32]byte{ours}, reports: map[string][32]byte{}}
		for i, sum := range c.reports {
			if sum != '-' {
				b.reports[string(rune('1'+i))] = [32]byte{byte(sum)}
			}
		}
		is, theirs := b.compare(strings.Split(c.voters, ""))
		require.Equal(t, c.want, is, "%s %s", c.voters, c.reports)
		require.Equal(t, c.theirs, theirs[0], "%s %s", c.voters, c.reports)
		b.ours = nil
		is, _ = b.compare(strings.Split(c.voters, ""))
		require.Equal(t, undecided, is)
	}
}

// A doubt ends once this member has the sum of the majority, for the same mark or a later one.
func TestDoubt(t *testing.T) {
	f := newFeed(t, historyConfig)
	w := watchPrints(f)
	f.give(t, entryOf(once(addPool), call{op: mark}))
	ours := <-w.hashed
	wrong := fingerprint{ours.index, [32]byte{7}}
	f.give(t, entryOf(reporting("2", wrong)))
	require.NoError(t, f.err())
	require.Equal(t, &divergedError{ours.index, ours.sum, wrong.sum}, f.doubt())
	f.give(t, entryOf(reporting("1", ours), reporting("3", ours)))
	require.NoError(t, f.doubt())
	require.Equal(t, []bool{false, true}, w.compared)

	f.give(t, entryOf(call{op: mark}))
	ours = <-w.hashed
	f.give(t, entryOf(reporting("1", ours), reporting("2", wrong), reporting("2", fingerprint{ours.index, wrong.sum})))
	require.Error(t, f.doubt())
	f.give(t, entryOf(call{op: mark}))
	ours = <-w.hashed
	f.give(t, entryOf(reporting("1", ours), reporting("2", ours)))
	require.NoError(t, f.doubt())
	require.NoError(t, f.err())
}

// A restored state has nothing to do with the marks before it. A closed machine makes no fingerprints.
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
	f := newFeed(t, historyConfig)
	watchPrints(f)
	for i := range uint64(3 * keptPrints) {
		for k := range 2 * maxReports {
			require.NoError(t, f.report(i, [32]byte{}, fmt.Sprint(k)))
		}
	}
	require.Len(t, f.prints.ballots, keptPrints)
	for _, b := range f.prints.ballots {
		require.Len(t, b.reports, maxReports)
	}
	require.EqualValues(t, 3*keptPrints-1, f.prints.ballots[keptPrints-1].index)
}
