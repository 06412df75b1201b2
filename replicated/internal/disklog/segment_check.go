package disklog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hashicorp/raft-wal/segment"
	"github.com/hashicorp/raft-wal/types"
)

// A segment of raft-wal is a header of 32 bytes and batches of frames. Each frame has a multiple of 8 bytes:
//
//	header │ entry entry … commit │ entry commit │ entry … index commit │ 0 0 0 …
//	       └── batch: one write, ─┘ the sum in a commit is of all bytes since the one before
//	           one sync
//
// A frame begins with its type, three bytes of 0, and its length; a commit has its sum in the place of the length.
// The index, in the last batch of a sealed file, has the place of each entry. raft-wal makes the file of zeros, in
// its full length.
const (
	frameEntry  = segment.FrameEntry
	frameIndex  = segment.FrameIndex
	frameCommit = segment.FrameCommit

	walFileHead = 32         // bytes of the header of a segment
	walHead     = 8          // bytes of the header of a frame
	walMagic    = 0x58eb6b0d // the header of a segment begins with it
	sector      = 512        // a disk writes so many bytes wholly or not at all
)

// frames is the result of a check of one segment.
type frames struct {
	entries int
	end     int64 // behind the last whole batch
	torn    int64 // behind the last byte that is not 0; end if nothing is torn
	index   int64 // in a sealed file: the first byte of the places; otherwise 0
}

// last returns the index of the last entry. There must be an entry.
func (f frames) last(g types.SegmentInfo) uint64 { return g.BaseIndex + uint64(f.entries) - 1 }

// badByte is a place where a file is not as it was written.
type badByte struct {
	at  int64
	why string
}

func bad(at int64, format string, args ...any) *badByte {
	return &badByte{at: at, why: fmt.Sprintf(format, args...)}
}

// sealedAs returns the first difference between a file and the sealed segment in the meta file; nil if there is none.
func (f frames) sealedAs(g types.SegmentInfo) *badByte {
	switch {
	case f.index == 0 || f.torn != f.end:
		return bad(f.end, "the segment is sealed, and its end is missing")
	case uint64(f.index) != g.IndexStart:
		return bad(f.index, "the index is here, and not at byte %d", g.IndexStart)
	case f.last(g) < g.MaxIndex: // more entries are no damage: a deletion of the end shortens the list alone
		return bad(f.end, "entries %d to %d are missing", f.last(g)+1, g.MaxIndex)
	}
	return nil
}

// checkFrames reads all batches of a segment. The bytes before synced are known to have been on the disk. A bad batch
// is the torn end of the log, or damage:
//
//	good good BAD good        damage: a batch is written after the sync of the one before
//	good good BAD 0 0 0 …     torn, if a sector of it is missing; a member has not answered it
//	good good 0 0 0 …         the end
//
// A batch is written over zeros, and a disk writes each sector of 512 bytes wholly or not at all. So a torn batch has
// a sector that is still 0; a bad batch without one is damage, such as a flipped byte. A frame header lies within one
// sector, so it is whole or 0; anything else is damage, too. Only the last batch of a file may reach beyond the
// reserved length, and is torn if the file ends within the batch.
//
// No check can find this case: after their sync, the disk loses all sectors of the last batches, and the file ends
// with zeros as if they had never been written. The mark in the meta file still finds it for batches that are older
// than the last change of the meta file.
func checkFrames(g types.SegmentInfo, b []byte, synced int64) (frames, *badByte) {
	f := frames{}
	// full is behind the last byte that is not 0, rounded up to 8 as each frame is: a frame may end with zeros.
	full := int64(len(bytes.TrimRight(b, "\x00")))
	full += -full & 7
	full = min(full, int64(len(b)))
	var places []uint32
	for f.end < full {
		if f.index > 0 {
			return f, bad(f.end, "a sealed segment has bytes behind its end")
		}
		t := readBatch(b, f.end, full)
		// The search begins at the first byte of the batch, since a damaged length may have led over other batches.
		if t.stop == stopTorn && findCommit(b[:full], f.end, g.BaseIndex+uint64(len(places))) {
			t.stop, t.why = stopBad, "a batch is bad, and there is a later one"
		}
		if t.stop == stopTorn && f.end < synced {
			t.stop, t.why = stopBad, "a batch is torn that was on the disk"
		}
		switch t.stop {
		case stopBad:
			return f, bad(t.at, "%s", t.why)
		case stopTorn:
			f.torn = full
			return f, nil
		}
		why := f.take(g, b, t, &places)
		if why != nil {
			return f, why
		}
	}
	f.torn = f.end
	if f.end < synced {
		return f, bad(f.end, "the log ends here, and was on the disk up to byte %d", synced)
	}
	return f, nil
}

// take adds a batch with a right sum to the log. It checks that the batch belongs to this place of this file.
func (f *frames) take(g types.SegmentInfo, b []byte, t batch, places *[]uint32) *badByte {
	// The sum of the first batch covers the header of the file. So the header is whole, but a wrong file may have come
	// under this name.
	if f.end == 0 {
		le := binary.LittleEndian
		if le.Uint64(b) != walMagic || le.Uint64(b[8:]) != g.BaseIndex || le.Uint64(b[16:]) != g.ID || le.Uint64(b[24:]) != g.Codec {
			return bad(0, "the header belongs to another file")
		}
	}
	for _, at := range t.entries {
		want := g.BaseIndex + uint64(len(*places))
		got, _ := entryIndex(b, int64(at))
		if got != want {
			return bad(int64(at), "entry %d is in the place of entry %d", got, want)
		}
		*places = append(*places, at)
	}
	// The index is read without the entries once the file is sealed, so it must agree with them:
	//
	//	entries at    32   96   160
	//	index         32   96   160      4 bytes each
	if t.index > 0 {
		n := int64(frameLen(b[t.index-walHead:]))
		same := n == 4*int64(len(*places))
		for i := int64(0); same && i < n/4; i++ {
			same = binary.LittleEndian.Uint32(b[t.index+4*i:]) == (*places)[i]
		}
		if !same {
			return bad(t.index, "the index does not have the places of the entries")
		}
	}
	f.entries = len(*places)
	f.index = t.index
	f.end = t.end
	return nil
}

// batch is a run of frames up to a commit.
type batch struct {
	entries []uint32 // places of the entries
	index   int64    // behind the header of an index; 0 if there is none
	end     int64    // behind the commit
	stop    stop
	at      int64 // the byte where readBatch stopped
	why     string
}

// stop is the reason why readBatch stopped.
type stop uint8

const (
	stopGood stop = iota // the batch is whole
	stopTorn             // part of its write is missing
	stopBad              // no crash leaves such bytes
)

// readBatch reads the batch that begins at from. All bytes from full on are 0. The first batch of a file has the header
// of the file in its sum:
//
//	byte   0        32      96       104
//	       │ header │ entry │ commit │ entry …
//	       └────── sum ─────┘
func readBatch(b []byte, from, full int64) batch {
	t := batch{}
	at := from
	if at == 0 {
		at = walFileHead
	}
	for {
		size, ok := frameSize(b, at)
		if !ok {
			return t.bad(at, "the header of a frame is one that nobody writes")
		}
		if at+max(size, walHead) > int64(len(b)) {
			// Only the last batch of a file may go beyond the reserved length, and the file did not grow for it.
			t.stop, t.at = stopTorn, at
			return t
		}
		if size == 0 {
			// Part of the write is missing here. If the batch begins at byte 1200, the missing part is one of:
			//
			//	byte   1024    1200             1536             2048             2560
			//	       │ older │ this batch     │                │                │
			//	               └─ [1200, 1536) ─┴─ [1536, 2048) ─┴─ [2048, 2560) ─┴─ …
			if !isZero(sectorOf(b, at, from, int64(len(b)))) {
				return t.bad(at, "a frame is missing, but the rest of its sector is not")
			}
			t.stop, t.at = stopTorn, at
			return t
		}
		switch b[at] {
		case frameEntry:
			t.entries = append(t.entries, uint32(at))
		case frameIndex:
			t.index = at + walHead
		case frameCommit:
			t.end = at + walHead
			return t.commit(b, from, full)
		}
		at += size
		// raft-wal writes an index only to seal a file, so the commit of that batch must follow.
		if t.index > 0 && at+walHead <= int64(len(b)) && !isZero(b[at:at+walHead]) && b[at] != frameCommit {
			return t.bad(at, "a frame other than a commit follows an index")
		}
	}
}

// commit checks the sum at the end of a batch.
func (t batch) commit(b []byte, from, full int64) batch {
	at := t.end - walHead
	if sum(0, b[from:at]) == frameLen(b[at:]) {
		return t
	}
	if full > t.end {
		return t.bad(at, "the sum of a batch is wrong, and the log goes on behind it")
	}
	// The sum is wrong at the end of the log. The batch below is torn if [1200, 1536), [1536, 2048) or [2048, 2304) is 0:
	//
	//	byte   1024    1200             1536             2048      2304
	//	       │ older │ entry          │ …              │  commit │ 0 0 0 …
	for s := from; s < t.end; s += sector - s%sector {
		if isZero(sectorOf(b, s, from, t.end)) {
			t.stop, t.at = stopTorn, at
			return t
		}
	}
	return t.bad(at, "the sum of the last batch is wrong, and no sector of the batch is missing")
}

func (t batch) bad(at int64, why string) batch {
	t.stop, t.at, t.why = stopBad, at, why
	return t
}

// findCommit reports whether a whole batch begins at or behind a place, with an entry from next on: if so, the place
// was not the end of the log. Each entry may begin a batch, so a bad batch of n entries costs n sums. A sum takes a
// few GB/s.
func findCommit(b []byte, at int64, next uint64) bool {
	for ; at+walHead <= int64(len(b)); at += walHead {
		if b[at] != frameEntry {
			continue
		}
		index, ok := entryIndex(b, at)
		if !ok || index < next || index > next+uint64(len(b)) {
			continue // no entry that may come here: a file has fewer entries than bytes
		}
		if readBatch(b, at, int64(len(b))).stop == stopGood {
			return true
		}
	}
	return false
}

// frameLen returns the length in the header of a frame, or the sum in that of a commit.
func frameLen(b []byte) uint32 { return binary.LittleEndian.Uint32(b[4:]) }

// frameSize returns how many bytes a frame has, even if the file ends within the frame. The size is 0 for a header of
// zeros, and at the end of the file. ok is false for a header that nobody writes.
func frameSize(b []byte, at int64) (size int64, ok bool) {
	if at+walHead > int64(len(b)) {
		return 0, true
	}
	h := b[at : at+walHead]
	n := int64(frameLen(h))
	switch {
	case isZero(h):
		return 0, true
	case h[1] != 0 || h[2] != 0 || h[3] != 0:
		return 0, false
	case h[0] == frameCommit:
		return walHead, true
	case h[0] != frameEntry && h[0] != frameIndex:
		return 0, false
	case n == 0 || n > segment.MaxEntrySize:
		return 0, false
	}
	return walHead + n + -n&7, true
}

// entryIndex returns the index of an entry, which is the first number in its bytes.
func entryIndex(b []byte, at int64) (uint64, bool) {
	size, ok := frameSize(b, at)
	if !ok || size == 0 || at+size > int64(len(b)) {
		return 0, false
	}
	index, n := binary.Uvarint(b[at+walHead : at+size])
	return index, n > 0
}

// sectorOf returns the bytes of the sector around at, as far as they lie in [from, to).
func sectorOf(b []byte, at, from, to int64) []byte {
	begin := at - at%sector
	return b[max(begin, from):min(begin+sector, to)]
}

func isZero(b []byte) bool { return !slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) }
