package disklog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hashicorp/raft-wal/types"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum continues a CRC-32C with the bytes of b.
func sum(crc uint32, b []byte) uint32 { return crc32.Update(crc, castagnoli, b) }

const segmentSize = 8*8 + 4 // bytes of a segment in a slot

// encode appends the state to b, all numbers little-endian:
//
//	mark      made 1 B, segment 8 B, end 8 B
//	stable    count 2 B, then by key: length 2 B, key, length 2 B, value
//	segments  next ID 8 B, count 4 B, then ID, base, min, max, codec, index, created, sealed 8 B each, limit 4 B
func (s metaState) encode(b []byte) ([]byte, error) {
	le := binary.LittleEndian
	b = append(b, flagByte(s.mark.made))
	b = le.AppendUint64(b, s.mark.segment)
	b = le.AppendUint64(b, uint64(s.mark.end))
	b = le.AppendUint16(b, uint16(len(s.stable)))
	for _, k := range slices.Sorted(maps.Keys(s.stable)) {
		v := s.stable[k]
		if len(k) > math.MaxUint16 || len(v) > math.MaxUint16 {
			return nil, fmt.Errorf("replicated: stable value %.20q is too long", k)
		}
		b = append(le.AppendUint16(b, uint16(len(k))), k...)
		b = append(le.AppendUint16(b, uint16(len(v))), v...)
	}
	b = le.AppendUint64(b, s.segs.NextSegmentID)
	b = le.AppendUint32(b, uint32(len(s.segs.Segments)))
	for _, g := range s.segs.Segments {
		for _, n := range [...]uint64{g.ID, g.BaseIndex, g.MinIndex, g.MaxIndex, g.Codec, g.IndexStart, nanos(g.CreateTime), nanos(g.SealTime)} {
			b = le.AppendUint64(b, n)
		}
		b = le.AppendUint32(b, g.SizeLimit)
	}
	return b, nil
}

func flagByte(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// nanos keeps the zero time as 0, because raft-wal takes a segment whose SealTime is zero for the last one.
func nanos(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixNano())
}

func fromNanos(n uint64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(n))
}

// decodeMeta reads the output of encode to its end.
func decodeMeta(b []byte) (metaState, error) {
	var s metaState
	r := metaReader{b: b}
	s.mark.made = r.number(1) == 1
	s.mark.segment = r.number(8)
	s.mark.end = int64(r.number(8))
	for range r.number(2) {
		k := r.take(r.number(2))
		v := r.take(r.number(2))
		if r.short {
			break
		}
		if s.stable == nil {
			s.stable = map[string][]byte{}
		}
		s.stable[string(k)] = slices.Clone(v)
	}
	s.segs.NextSegmentID = r.number(8)
	n := r.number(4)
	if n*segmentSize != uint64(len(r.b)) || r.short {
		return metaState{}, errors.New("a slot has another length than its content")
	}
	for range n {
		g := types.SegmentInfo{ID: r.number(8), BaseIndex: r.number(8), MinIndex: r.number(8), MaxIndex: r.number(8), Codec: r.number(8), IndexStart: r.number(8)}
		g.CreateTime = fromNanos(r.number(8))
		g.SealTime = fromNanos(r.number(8))
		g.SizeLimit = uint32(r.number(4))
		s.segs.Segments = append(s.segs.Segments, g)
	}
	return s, nil
}

// metaReader reads numbers. Behind the end of the bytes all numbers are 0, and short is set.
type metaReader struct {
	b     []byte
	short bool
}

func (r *metaReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.short = true
		r.b = nil
		return nil
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

func (r *metaReader) number(size uint64) uint64 {
	var full [8]byte
	copy(full[:], r.take(size))
	return binary.LittleEndian.Uint64(full[:])
}
