package disklog

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/hashicorp/raft-wal/types"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/internal/depth"
)

// fastDir returns a folder in memory, where a sync costs nothing, if the system has one.
func fastDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "replicated-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// hurt is a folder that is damaged in many ways, one at a time.
type hurt struct {
	dir    string
	files  map[string][]byte
	logs   []*raft.Log
	before []*raft.Log // all entries but the last batch
	state  []byte
}

func newHurt(t testing.TB) *hurt {
	t.Helper()
	h := &hurt{dir: filepath.Join(fastDir(t), "m"), files: map[string][]byte{}, state: []byte("the state of the desk")}
	s := mustOpen(t, h.dir)
	require.NoError(t, s.meta.SetUint64([]byte("CurrentTerm"), 7))
	require.NoError(t, s.meta.SetUint64([]byte("LastVoteTerm"), 7))
	require.NoError(t, s.meta.Set([]byte("LastVoteCand"), []byte("127.0.0.1:7002")))
	next := uint64(1)
	for i, n := range []int{20, 3, 9, 20, 6, 2, 5, 4} {
		h.before = h.logs
		if i == 6 {
			require.NoError(t, s.journal.DeleteRange(1, 26)) // the last change of the meta file
			h.logs, h.before = h.logs[26:], h.before[26:]
		}
		list := someLogs(next, n, 7)
		require.NoError(t, s.journal.StoreLogs(list))
		h.logs = slices.Concat(h.logs, list)
		next += uint64(n)
		if next == 53 {
			takeSnapshot(t, s, 25, 7, []byte("an older state"))
			takeSnapshot(t, s, 30, 7, h.state)
		}
	}
	require.Len(t, segmentsOf(t, h.dir), 2)
	// A crash follows, not a close: the meta file does not know of the last batches.
	for path, b := range dirBytes(t, h.dir) {
		h.files[path] = []byte(b)
	}
	require.NoError(t, s.Close())
	h.put(t)
	return h
}

// put restores all files.
func (h *hurt) put(t testing.TB) {
	t.Helper()
	require.NoError(t, os.RemoveAll(h.dir))
	for path, b := range h.files {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, b, 0o644))
	}
}

// try opens the folder with other bytes in one file. It reports whether the folder is refused, and whether the last
// batch is missing.
func (h *hurt) try(t testing.TB, path string, b []byte) (refused, shorter bool) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, b, 0o644))
	s, err := openSmall(h.dir)
	if err != nil {
		require.ErrorIs(t, err, ErrDamaged)
		file := path
		if strings.HasPrefix(path, filepath.Join(h.dir, snapsName)) {
			file = filepath.Dir(path) // a snapshot has two files, and the check may name either
		}
		require.ErrorContains(t, err, file)
		require.NoError(t, os.WriteFile(path, h.files[path], 0o644))
		return true, false
	}
	got := allLogs(t, s)
	shorter = len(got) == len(h.before)
	if shorter {
		sameLogs(t, h.before, got)
	} else {
		sameLogs(t, h.logs, got)
	}
	term, err := s.meta.GetUint64([]byte("CurrentTerm"))
	require.NoError(t, err)
	require.EqualValues(t, 7, term)
	vote, err := s.meta.Get([]byte("LastVoteCand"))
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:7002", string(vote))
	m, state := newestSnapshot(t, s)
	require.Equal(t, h.state, state)
	require.EqualValues(t, 30, m.Index)
	require.EqualValues(t, 7, m.Term)
	require.EqualValues(t, "127.0.0.1:7002", m.Configuration.Servers[1].Address)
	require.NoError(t, s.Close())
	h.put(t)
	return false, shorter
}

// outcome counts the results of many tries.
type outcome struct{ refused, shorter, same int }

func (o *outcome) add(refused, shorter bool) {
	switch {
	case refused:
		o.refused++
	case shorter:
		o.shorter++
	default:
		o.same++
	}
}

// Each byte of each file is flipped, and each file is cut at each byte. A member either starts with the state that it
// had, or refuses and names the file. The only other state that it may start with lacks just the last batch.
func TestDamageIsNoticed(t *testing.T) {
	h := newHurt(t)
	paths := []string{}
	for path := range h.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	r := rand.New(rand.NewPCG(1, 2))
	for _, path := range paths {
		t.Run(strings.TrimPrefix(path, h.dir+"/"), func(t *testing.T) {
			whole := h.files[path]
			var flips, cuts outcome
			tail := path == slices.Max(segmentsOf(t, h.dir))
			for _, at := range places(path, len(whole)) {
				b := slices.Clone(whole)
				b[at] ^= byte(1 + r.IntN(255))
				flips.add(h.try(t, path, b))
				cuts.add(h.try(t, path, whole[:at]))
			}
			t.Logf("flipped: %+v, cut: %+v", flips, cuts)
			older := strings.Contains(path, "7-25-")
			if !older {
				require.Zero(t, cuts.shorter)
				require.LessOrEqual(t, cuts.same, 1, "a file that is shorter is noticed, but for the line end of meta.json")
			}
			if !tail {
				require.Zero(t, flips.shorter)
			}
			if strings.Contains(path, logName) && !tail {
				require.Zero(t, flips.same)
			}
		})
	}
}

// places returns the bytes to damage. Of the meta file, which is mostly zeros, it returns few of the zeros. Of the
// log it returns every seventh byte, and each of them for a night: TestEachByteOfASegment damages each byte.
func places(path string, n int) []int {
	step := 1
	if strings.HasSuffix(path, ".wal") && !depth.Deep() {
		step = 7
	}
	var list []int
	for at := 0; at < n; at += step {
		if filepath.Base(path) != metaName || at%metaSlot < 320 || at%997 == 0 {
			list = append(list, at)
		}
	}
	return list
}

// Each bit of a segment is flipped, and runs of bytes are cleared or replaced. The check finds the same batches, or
// all but the last ones, or names a byte.
func TestEachByteOfASegment(t *testing.T) {
	h := newHurt(t)
	list := segmentsOf(t, h.dir)
	segs := metaSegments(t, h.dir)
	r := rand.New(rand.NewPCG(3, 4))
	for i, path := range list {
		whole := h.files[path]
		g := segs[len(segs)-len(list)+i]
		want, no := checkFrames(g, whole, 0)
		require.Nil(t, no)
		last := lastBatch(t, whole)
		var flips, runs outcome
		check := func(o *outcome, b []byte, at int) {
			got, no := checkFrames(g, b, 0)
			if no == nil && !g.SealTime.IsZero() {
				no = got.sealedAs(g)
			}
			if no != nil {
				require.LessOrEqual(t, no.at, int64(len(b)))
				o.add(true, false)
				return
			}
			shorter := got.entries < want.entries
			o.add(false, shorter)
			if shorter {
				require.GreaterOrEqual(t, at, last, "a batch before the last one is gone")
				require.EqualValues(t, last, got.end)
			} else {
				require.Equal(t, want.end, got.end)
			}
		}
		for at := range whole {
			for bit := range 8 {
				b := slices.Clone(whole)
				b[at] ^= 1 << bit
				check(&flips, b, at)
			}
			for _, n := range []int{2, 8, 64, 700} {
				b := slices.Clone(whole)
				for k := at; k < min(at+n, len(b)); k++ {
					b[k] = byte(r.Uint32())
				}
				check(&runs, b, at)
			}
		}
		t.Logf("%s: bits: %+v, runs: %+v", filepath.Base(path), flips, runs)
		require.Less(t, flips.shorter, 100, "only a length that leads behind the end looks like a missing sector")
	}
}

func metaSegments(t testing.TB, dir string) []types.SegmentInfo {
	t.Helper()
	m, err := openMeta(system{}, dir)
	require.NoError(t, err)
	require.NoError(t, m.close())
	return m.segments().Segments
}

// A write that did not end leaves sectors of zeros. The state before the write is taken, unless later bytes show that
// the write had ended.
func TestSectorsThatAreMissing(t *testing.T) {
	h := newHurt(t)
	path := slices.Max(segmentsOf(t, h.dir))
	whole := h.files[path]
	last := lastBatch(t, whole)
	var torn, before outcome
	for from := 0; from < len(whole); from += sector {
		for to := from + sector; to <= len(whole); to += sector {
			b := slices.Clone(whole)
			lo, hi := from, to
			isTorn := hi > last && to > last
			if isTorn {
				lo = max(lo, last)
			}
			clear(b[lo:hi])
			if slices.Equal(b, whole) {
				continue
			}
			if isTorn {
				torn.add(h.try(t, path, b))
			} else {
				before.add(h.try(t, path, b))
			}
		}
	}
	t.Logf("torn: %+v, before the last batch: %+v", torn, before)
	require.Zero(t, torn.refused)
	require.Zero(t, torn.same)
	require.Positive(t, torn.shorter)
	require.Zero(t, before.same+before.shorter)
}

// Each of the last two batches is damaged, and has a sector of zeros that belongs to it. The first of them cannot be
// torn, since the second was begun after it.
func TestTheLastTwoBatchesAreDamaged(t *testing.T) {
	dir := filepath.Join(fastDir(t), "m")
	s := mustOpen(t, dir)
	for i := range uint64(3) {
		require.NoError(t, s.journal.StoreLog(&raft.Log{Index: i + 1, Term: 1, Data: make([]byte, 1100)}))
	}
	path := slices.Max(segmentsOf(t, dir))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	g := s.meta.segments().Segments[0]
	require.NoError(t, s.Close())
	got, no := checkFrames(g, b, 0)
	require.Nil(t, no)
	require.Equal(t, 3, got.entries)
	last := lastBatch(t, b)
	b[last+100] ^= 1
	got, no = checkFrames(g, b, 0)
	require.Nil(t, no)
	require.Equal(t, 2, got.entries)
	b[last-100] ^= 1
	_, no = checkFrames(g, b, 0)
	require.NotNil(t, no)
}

// lastBatch returns the place of the last batch of a segment.
func lastBatch(t testing.TB, b []byte) int {
	t.Helper()
	full := int64(len(b))
	at, last := int64(0), int64(0)
	for at < full && !isZero(b[at:]) {
		last = at
		one := readBatch(b, at, full)
		require.Equal(t, stopGood, one.stop)
		at = one.end
	}
	return int(last)
}
