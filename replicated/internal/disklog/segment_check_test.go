package disklog

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/raft-wal/segment"
	"github.com/hashicorp/raft-wal/types"
	"github.com/stretchr/testify/require"
)

// FuzzSegment makes segments with right sums, which a fuzzer alone would never find. Either raft-wal reads exactly
// the entries that the check has counted, or the check refuses the file.
func FuzzSegment(f *testing.F) {
	dir := filepath.Join(fastDir(f), "m")
	s := mustOpen(f, dir)
	for i := range uint64(4) {
		require.NoError(f, s.journal.StoreLogs(someLogs(1+3*i, 3, 1)[:1+i%3]))
		if i%3 != 2 {
			require.NoError(f, s.journal.DeleteRange(1, 1<<40))
		}
	}
	require.NoError(f, s.Close())
	for _, name := range segmentsOf(f, dir) {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(b[:min(len(b), 1024)], true, uint16(0))
		f.Add(b[:min(len(b), 600)], false, uint16(300))
	}
	f.Fuzz(func(t *testing.T, b []byte, seal bool, mark uint16) {
		g := types.SegmentInfo{ID: 2, BaseIndex: 1, MinIndex: 1, Codec: 1, SizeLimit: smallSegment}
		if len(b) < smallSegment {
			b = append(b, make([]byte, smallSegment-len(b))...)
		}
		if seal {
			le := binary.LittleEndian
			le.PutUint64(b, walMagic)
			le.PutUint64(b[8:], g.BaseIndex)
			le.PutUint64(b[16:], g.ID)
			le.PutUint64(b[24:], g.Codec)
			resum(b)
		}
		at := logMark{made: true, segment: g.ID, end: int64(mark)}
		checked, no := checkFrames(g, b, at.end)
		if no == nil {
			require.LessOrEqual(t, checked.end, checked.torn)
			require.True(t, checked.torn == int64(len(b)) || isZero(b[checked.torn:]))
		}

		dir := filepath.Join(fastDir(t), "m")
		require.NoError(t, os.MkdirAll(filepath.Join(dir, logName), 0o755))
		require.NoError(t, createMeta(system{}, dir))
		m, err := openMeta(system{}, dir)
		require.NoError(t, err)
		require.NoError(t, m.change(func(s *metaState) {
			s.segs = types.PersistentState{NextSegmentID: 3, Segments: []types.SegmentInfo{g}}
			s.mark = at
		}))
		require.NoError(t, m.close())
		require.NoError(t, os.WriteFile(filepath.Join(dir, logName, segment.FileName(g)), b, 0o644))
		s, err := openSmall(dir)
		if err != nil {
			require.True(t, errors.Is(err, ErrDamaged), err)
			require.NotNil(t, no)
			return
		}
		require.Nil(t, no)
		last, err := s.journal.LastIndex()
		require.NoError(t, err)
		require.EqualValues(t, checked.entries, last)
		next := someLogs(last+1, 3, 1)
		require.NoError(t, s.journal.StoreLogs(next))
		require.NoError(t, s.Close())
		s = mustOpen(t, dir)
		last, err = s.journal.LastIndex()
		require.NoError(t, err)
		require.EqualValues(t, checked.entries+3, last)
		require.NoError(t, s.Close())
	})
}

// resum makes the sums of a segment right.
func resum(b []byte) {
	from, at := int64(0), int64(walFileHead)
	for {
		size, ok := frameSize(b, at)
		if !ok || size == 0 {
			return
		}
		if b[at] == frameCommit {
			binary.LittleEndian.PutUint32(b[at+4:], sum(0, b[from:at]))
			from = at + walHead
		}
		at += size
	}
}
