package disklog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/hashicorp/raft"
	"github.com/hashicorp/raft-wal/types"
)

// meta is a file of fixed size with the vote, the term and the list of segments. Raft panics if a term cannot be
// saved. So the file is written in place, which needs no room on a full disk.
//
// The file has two slots. A change is written to one slot after the other, with a sync after each:
//
//	           slot A   slot B
//	            7        7       change 7 was answered
//	write A     torn     7       a crash here: B has the last answered change
//	sync A      8        7       a crash here: change 8 was not answered, and is taken all the same
//	write B     8        torn    a crash here: A has it
//	sync B      8        8       change 8 is answered
//
// So at most one slot is torn, and the other slot has each change that was answered. The same holds if a byte of one
// slot flips later. If each change went to one slot in turn, a flipped byte could bring an older vote back. Two bad
// slots, or numbers that differ by more than 1, come from no crash: the file is damaged.
//
// After an error of the disk or a crash, one slot may be bad, and the other slot may be the only good one. So the
// slot that may be bad is always written first.
type meta struct {
	path string
	mark func() logMark // the end of the log; each change writes it along, at no cost

	mu    sync.Mutex
	f     metaFile
	gen   uint64    // number of the state in the slot that was written last
	first int       // the slot that is written first
	state metaState // the state in both slots
	// slotsDiffer says that a change has failed between the slots. The file may come back with that change or without
	// it.
	slotsDiffer bool
}

// metaFile has the methods of os.File that a change needs.
type metaFile interface {
	io.WriterAt
	Sync() error
	Close() error
}

// metaState is the state in a slot.
type metaState struct {
	stable map[string][]byte
	segs   types.PersistentState
	mark   logMark
}

// logMark says how far the log was on the disk at the last change of the meta file: the file of the segment was
// there, and its bytes before end were synced. Segments only grow, so a mark holds as long as its segment is listed.
type logMark struct {
	made    bool // there is a segment; needed since the first one has the number 0
	segment uint64
	end     int64
}

const (
	metaName  = "meta"
	metaSlot  = 64 << 10 // room for some 950 segments: 15 GB of log
	metaMagic = 0x3161746d6b6f6f62
	metaHead  = 8 + 8 + 4 + 4 // magic, generation, length, sum
)

// createMeta makes the file in one step: a crash leaves no file, or one with two whole slots.
func createMeta(by syncer, dir string) error {
	slot := make([]byte, metaSlot)
	first, err := metaState{}.encode(nil)
	if err != nil {
		return err
	}
	sealMetaSlot(slot, 1, first)
	return writeFile(by, dir, metaName, append(slot, slot...))
}

// openMeta reads the file. The error wraps ErrDamaged. syncSlots writes a bad slot again.
func openMeta(by syncer, dir string) (*meta, error) {
	path := filepath.Join(dir, metaName)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := readMeta(b)
	if err != nil {
		return nil, damaged(path, 0, err.Error())
	}
	m.path = path
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	m.f = syncedFile{f, by}
	err = m.f.Sync() // a killed process may have left a slot that is readable, but not on the disk
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return m, nil
}

// readMeta returns the newer state of the two slots, and the slot to be written first:
//
//	slot A   slot B
//	8        8        8
//	bad      8        8, A first
//	7        8        8, A first
//	8        bad      8, B first
//	8        7        8, B first
//	7        9        damaged
//	bad      bad      damaged
func readMeta(b []byte) (*meta, error) {
	if len(b) != 2*metaSlot {
		return nil, fmt.Errorf("the file has %d bytes, not %d", len(b), 2*metaSlot)
	}
	a, genA, errA := readMetaSlot(b[:metaSlot])
	z, genZ, errZ := readMetaSlot(b[metaSlot:])
	switch {
	case errA != nil && errZ != nil:
		return nil, fmt.Errorf("both slots are bad: %w; %w", errA, errZ)
	case errA != nil || errZ == nil && genZ == genA+1:
		return &meta{gen: genZ, first: 0, state: z, slotsDiffer: true}, nil
	case errZ != nil || genA == genZ+1:
		return &meta{gen: genA, first: 1, state: a, slotsDiffer: true}, nil
	case genA != genZ:
		return nil, fmt.Errorf("the slots have the numbers %d and %d: no crash leaves them so", genA, genZ)
	case !bytes.Equal(b[:metaHead], b[metaSlot:metaSlot+metaHead]):
		return nil, fmt.Errorf("two states have the number %d", genA)
	}
	return &meta{gen: genA, state: a}, nil
}

func sealMetaSlot(slot []byte, gen uint64, payload []byte) {
	binary.LittleEndian.PutUint64(slot, metaMagic)
	binary.LittleEndian.PutUint64(slot[8:], gen)
	binary.LittleEndian.PutUint32(slot[16:], uint32(len(payload)))
	copy(slot[metaHead:], payload)
	binary.LittleEndian.PutUint32(slot[20:], metaSum(slot, len(payload)))
}

func metaSum(slot []byte, n int) uint32 {
	return sum(sum(0, slot[:20]), slot[metaHead:metaHead+n])
}

func readMetaSlot(slot []byte) (metaState, uint64, error) {
	n := int64(binary.LittleEndian.Uint32(slot[16:]))
	switch {
	case binary.LittleEndian.Uint64(slot) != metaMagic:
		return metaState{}, 0, errors.New("a slot does not begin as one")
	case n > metaSlot-metaHead:
		return metaState{}, 0, errors.New("a slot is longer than its room")
	case binary.LittleEndian.Uint32(slot[20:]) != metaSum(slot, int(n)):
		return metaState{}, 0, errors.New("the sum of a slot is wrong")
	}
	state, err := decodeMeta(slot[metaHead : metaHead+n])
	return state, binary.LittleEndian.Uint64(slot[8:]), err
}

// change writes a new state, which is on the disk when change returns nil. After an error, a crash may bring back the
// old state or the new one. So the log must not grow before syncSlots, or a further change, has succeeded.
func (m *meta) change(edit func(*metaState)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.f == nil {
		return errClosed
	}
	next := metaState{stable: maps.Clone(m.state.stable), segs: m.state.segs, mark: m.state.mark}
	if m.mark != nil {
		next.mark = m.mark()
	}
	edit(&next)
	payload, err := next.encode(nil)
	if err != nil {
		return err
	}
	if len(payload) > metaSlot-metaHead {
		return fmt.Errorf("replicated: %s has no room for %d segments", m.path, len(next.segs.Segments))
	}
	slot := make([]byte, metaHead+len(payload))
	sealMetaSlot(slot, m.gen+1, payload)
	m.slotsDiffer = true
	err = m.writeSlot(slot, m.first)
	if err != nil {
		return err
	}
	m.gen++
	m.first = 1 - m.first
	err = m.writeSlot(slot, m.first)
	if err != nil {
		return err
	}
	m.first = 0
	m.state = next
	m.slotsDiffer = false
	return nil
}

func (m *meta) writeSlot(slot []byte, at int) error {
	_, err := m.f.WriteAt(slot, int64(at)*metaSlot)
	if err != nil {
		return err
	}
	return m.f.Sync()
}

// syncSlots makes both slots equal after a change that has failed.
func (m *meta) syncSlots() error {
	m.mu.Lock()
	un := m.slotsDiffer
	m.mu.Unlock()
	if !un {
		return nil
	}
	return m.change(func(*metaState) {})
}

// segments returns the list of segments.
func (m *meta) segments() types.PersistentState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.segs
}

func (m *meta) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.f == nil {
		return nil
	}
	err := m.f.Close()
	m.f = nil
	return err
}

var _ raft.StableStore = (*meta)(nil)

// Get returns a stable value; nil if it was never set.
func (m *meta) Get(key []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.state.stable[string(key)]), nil
}

// Set stores a stable value.
func (m *meta) Set(key, val []byte) error {
	m.mu.Lock()
	old, ok := m.state.stable[string(key)]
	same := ok && !m.slotsDiffer && m.f != nil && bytes.Equal(old, val)
	m.mu.Unlock()
	if same {
		return nil
	}
	return m.change(func(s *metaState) {
		if s.stable == nil {
			s.stable = map[string][]byte{}
		}
		s.stable[string(key)] = bytes.Clone(val)
	})
}

// GetUint64 returns a number that SetUint64 has stored; 0 if there is none.
func (m *meta) GetUint64(key []byte) (uint64, error) {
	b, err := m.Get(key)
	if err != nil || len(b) == 0 {
		return 0, err
	}
	if len(b) != 8 {
		return 0, fmt.Errorf("replicated: %s: %q is not a number", m.path, key)
	}
	return binary.LittleEndian.Uint64(b), nil
}

// SetUint64 stores a number.
func (m *meta) SetUint64(key []byte, val uint64) error {
	return m.Set(key, binary.LittleEndian.AppendUint64(nil, val))
}

// walMeta is the meta file as raft-wal sees it. raft-wal gets a new walMeta each time it is opened; its Close leaves
// the file open.
type walMeta struct{ m *meta }

var _ types.MetaStore = walMeta{}

func (w walMeta) Load(string) (types.PersistentState, error) { return w.m.segments(), nil }

// CommitState writes a list of segments. A segment that is not in the list of the file must have a new number:
//
//	raft-wal seals segment 0, commits segment 1 (from entry 26 on), and cannot make its file     next number 2
//	raft-wal still believes in segment 0, and deletes entries 21 to 25: segment 1 from 21 on     errBehind
//
// The mark and the names of the files have these numbers. If two segments had the same number, a file that was made
// would seem to be missing after a crash.
func (w walMeta) CommitState(s types.PersistentState) error {
	have := w.m.segments()
	if s.NextSegmentID < have.NextSegmentID {
		return errBehind
	}
	for _, g := range s.Segments {
		known := slices.ContainsFunc(have.Segments, func(h types.SegmentInfo) bool {
			return h.ID == g.ID && h.BaseIndex == g.BaseIndex
		})
		if !known && g.ID < have.NextSegmentID {
			return errBehind
		}
	}
	return w.m.change(func(to *metaState) { to.segs = s })
}

// errBehind says that raft-wal does not know the list in the meta file. The journal then opens raft-wal anew.
var errBehind = errors.New("replicated: raft-wal is behind the meta file")

func (w walMeta) GetStable(key []byte) ([]byte, error) { return w.m.Get(key) }
func (w walMeta) SetStable(key, value []byte) error    { return w.m.Set(key, value) }
func (w walMeta) Close() error                         { return nil }
