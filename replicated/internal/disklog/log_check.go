package disklog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/raft-wal/segment"
	"github.com/hashicorp/raft-wal/types"
)

// logCheck is the result of a check of the log, before raft-wal opens it.
type logCheck struct {
	dir   string
	state types.PersistentState // of the meta file, and a rotation that a crash has cut short
	moved bool                  // state has such a rotation, so the meta file must be written
	first uint64                // first and last index; 0 if there are no entries
	last  uint64
	grown string // the file that was written last; "" if there is none
	tail  string // the file of the last segment; "" if it was not made yet
	id    uint64
	end   int64 // behind the last whole batch of tail
	torn  int64 // behind the last byte of a torn batch; end if nothing is torn
}

// checkLog reads the segments that the meta file lists: all of them, or the last one. It writes nothing. The error
// wraps ErrDamaged if bytes are not as they were written.
//
// raft-wal itself checks only the sum of the last batch. It takes a frame that it cannot read for the end of the log,
// and makes a missing segment anew. After a flipped byte in the middle it would go on, and forget the entries behind
// that byte. So checkLog reads each frame and checks each sum first. checkFrames has the rules for one file.
func checkLog(dir string, state types.PersistentState, at logMark, all bool) (logCheck, error) {
	c := logCheck{dir: dir, state: state}
	list := state.Segments
	err := c.others(state.NextSegmentID)
	if err != nil {
		return c, err
	}
	for i, g := range list {
		isTail := i == len(list)-1
		switch {
		case isTail != g.SealTime.IsZero():
			return c, damaged(dir, 0, fmt.Sprintf("segment %d of the list: sealed %v, last %v: all but the last must be sealed", g.ID, !g.SealTime.IsZero(), isTail))
		case i > 0 && (g.BaseIndex != list[i-1].MaxIndex+1 || g.MinIndex != g.BaseIndex):
			return c, damaged(dir, 0, fmt.Sprintf("segment %d begins with entry %d, and the segment before ends with entry %d", g.ID, g.MinIndex, list[i-1].MaxIndex))
		}
		// After an error of the disk only the last segment is looked at: the others are sealed, and do not change any more.
		if !all && !isTail {
			c.last = g.MaxIndex
			continue
		}
		err := c.segment(g, at)
		if err != nil {
			return c, err
		}
	}
	if len(list) > 0 && c.last >= list[0].MinIndex {
		c.first = list[0].MinIndex
	} else {
		c.last = 0
	}
	return c, nil
}

// others looks for segments that the meta file does not list yet. raft-wal lists a segment in the meta file before it
// makes the file. So a file with a later number means that the meta file is older than the log: somebody has put back
// a copy.
func (c *logCheck) others(next uint64) error {
	files, err := os.ReadDir(c.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".wal") {
			continue
		}
		id, err := segmentID(f.Name())
		if err != nil {
			return damaged(filepath.Join(c.dir, f.Name()), 0, "the name is not that of a segment")
		}
		if id >= next {
			return damaged(filepath.Join(c.dir, f.Name()), 0, "the meta file is older than this segment")
		}
	}
	return nil
}

func (c *logCheck) segment(g types.SegmentInfo, at logMark) error {
	path := filepath.Join(c.dir, segment.FileName(g))
	sealed := !g.SealTime.IsZero()
	// The mark speaks of one segment. Of the others, no byte is known to have been on the disk.
	if !at.made || at.segment != g.ID {
		at.end = 0
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		// The mark says that this segment, or a later one, was on the disk.
		if sealed || at.made && at.segment >= g.ID {
			return damaged(path, 0, "the file is missing")
		}
		return nil // a crash came before the file was made, so the segment has no entries
	}
	if err != nil {
		return err
	}
	if int64(len(b)) < int64(g.SizeLimit) {
		return damaged(path, int64(len(b)), fmt.Sprintf("the file ends here, and should have at least %d bytes", g.SizeLimit))
	}
	f, bad := checkFrames(g, b, at.end)
	if bad == nil && sealed {
		bad = f.sealedAs(g)
	}
	if bad != nil {
		return damaged(path, bad.at, bad.why)
	}
	if sealed {
		c.last = g.MaxIndex
		return nil
	}
	if f.entries > 0 {
		c.last = f.last(g)
	}
	c.grown = path
	c.tail, c.id, c.end, c.torn = path, g.ID, f.end, f.torn
	if f.index > 0 {
		c.rotate(g, f)
	}
	return nil
}

// rotate finishes a rotation that a crash has cut short: the last batch has sealed the file, and the meta file does
// not know it. raft-wal would open such a log, and refuse each entry ("segment is sealed"). So the meta file gets the
// next segment first:
//
//	meta file     segment 3, from 101 on, open                                       next ID 4
//	the files     segment 3: entries 101 … 140, index: sealed
//	new list      segment 3, 101 to 140, sealed    segment 4, from 141 on, open      next ID 5
func (c *logCheck) rotate(g types.SegmentInfo, f frames) {
	old := g
	old.SealTime = time.Now()
	old.MaxIndex = f.last(g)
	old.IndexStart = uint64(f.index)
	next := types.SegmentInfo{
		ID: c.state.NextSegmentID, BaseIndex: old.MaxIndex + 1, MinIndex: old.MaxIndex + 1,
		Codec: g.Codec, SizeLimit: g.SizeLimit, CreateTime: old.SealTime,
	}
	n := len(c.state.Segments)
	c.state.Segments = append(c.state.Segments[:n-1:n-1], old, next)
	c.state.NextSegmentID++
	c.moved = true
	c.tail, c.id, c.end, c.torn = "", next.ID, 0, 0
}
