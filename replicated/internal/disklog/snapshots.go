package disklog

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

const (
	snapsName  = "snapshots"
	snapsKept  = 2
	snapMagic  = 0x31706e736b6f6f62
	snapHead   = 8 + 4 + 4 // magic, length, sum
	maxSnapDoc = 16 << 20
)

// snapshots is a raft.FileSnapshotStore with a head before each state. Raft keeps the description of a snapshot in
// meta.json, which has no sum: a flipped digit would be another index or another member. The head has the description
// again, with a sum.
//
//	snapshots/3-120-1700000000000/meta.json   description, and the sum of state.bin
//	                              state.bin   head: description again, with a sum │ state
//
// Only the newest snapshot is listed: Raft would silently fall back to an older one. The snapshot before it is kept
// for an operator.
type snapshots struct {
	files *raft.FileSnapshotStore
	by    syncer
	dir   string
}

var _ raft.SnapshotStore = (*snapshots)(nil)

func newSnapshots(by syncer, dir string, l hclog.Logger) (*snapshots, error) {
	files, err := raft.NewFileSnapshotStoreWithLogger(dir, snapsKept, l)
	if err != nil {
		return nil, err
	}
	return &snapshots{files: files, by: by, dir: filepath.Join(dir, snapsName)}, nil
}

// Create begins a snapshot.
func (s *snapshots) Create(v raft.SnapshotVersion, index, term uint64, c raft.Configuration, at uint64, trans raft.Transport) (raft.SnapshotSink, error) {
	sink, err := s.files.Create(v, index, term, c, at, trans)
	if err != nil {
		return nil, err
	}
	head, err := snapshotHead(raft.SnapshotMeta{Version: v, ID: sink.ID(), Index: index, Term: term, Configuration: c, ConfigurationIndex: at})
	if err == nil {
		_, err = sink.Write(head)
	}
	if err != nil {
		return nil, errors.Join(err, sink.Cancel())
	}
	return &snapshotSink{SnapshotSink: sink, by: s.by, dir: filepath.Join(s.dir, sink.ID()+".tmp")}, nil
}

type snapshotSink struct {
	raft.SnapshotSink
	by  syncer
	dir string
}

// Close puts the snapshot onto the disk. Raft syncs the files, but not their names in the folder. So Close syncs the
// names first: the folder must not appear under its last name without the files.
func (s *snapshotSink) Close() error {
	err := s.by.syncDir(s.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return errors.Join(err, s.Cancel())
	}
	return s.SnapshotSink.Close()
}

// List returns the newest snapshot. It reads only the head: Open checks the rest.
func (s *snapshots) List() ([]*raft.SnapshotMeta, error) {
	list, err := s.files.List()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	f, err := os.Open(filepath.Join(s.dir, list[0].ID, "state.bin"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := s.describe(list[0], f)
	return []*raft.SnapshotMeta{m}, err
}

// describe reads the head of a state, and compares it with meta.json.
func (s *snapshots) describe(m *raft.SnapshotMeta, r io.Reader) (*raft.SnapshotMeta, error) {
	own, n, err := readSnapshotHead(r)
	if err == nil {
		err = sameSnapshot(m, own)
	}
	if err != nil {
		return nil, damaged(filepath.Join(s.dir, m.ID, "state.bin"), 0, err.Error())
	}
	own.Size = m.Size - n
	return own, nil
}

// Open returns a snapshot, after checks of its sums.
func (s *snapshots) Open(id string) (*raft.SnapshotMeta, io.ReadCloser, error) {
	m, r, err := s.files.Open(id)
	if err != nil {
		return nil, nil, err
	}
	own, err := s.describe(m, r)
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return own, r, nil
}

// snapshotHead returns the head of a state.
func snapshotHead(m raft.SnapshotMeta) ([]byte, error) {
	doc, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint64(nil, snapMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(doc)))
	b = binary.LittleEndian.AppendUint32(b, sum(0, doc))
	return append(b, doc...), nil
}

// readSnapshotHead returns the description in a head, and how many bytes the head has.
func readSnapshotHead(r io.Reader) (*raft.SnapshotMeta, int64, error) {
	var head [snapHead]byte
	_, err := io.ReadFull(r, head[:])
	if err != nil {
		return nil, 0, fmt.Errorf("the head of the snapshot cannot be read: %w", err)
	}
	n := binary.LittleEndian.Uint32(head[8:])
	if binary.LittleEndian.Uint64(head[:]) != snapMagic || n > maxSnapDoc {
		return nil, 0, errors.New("the file does not begin as a snapshot does")
	}
	doc, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return nil, 0, err
	}
	if len(doc) != int(n) || sum(0, doc) != binary.LittleEndian.Uint32(head[12:]) {
		return nil, 0, errors.New("the sum of the head is wrong")
	}
	m := &raft.SnapshotMeta{}
	err = json.Unmarshal(doc, m)
	return m, snapHead + int64(n), err
}

// sameSnapshot compares the fields of meta.json by which Raft names and orders snapshots. All other fields are taken
// from the head.
func sameSnapshot(m, own *raft.SnapshotMeta) error {
	if m.ID != own.ID || m.Index != own.Index || m.Term != own.Term || m.Version != own.Version {
		return errors.New("meta.json and the head of the snapshot have different descriptions")
	}
	return nil
}

// snapCheck is the result of a check of the snapshots.
type snapCheck struct {
	index  uint64   // of the newest snapshot; 0 if there is none
	debris []string // folders that a crash has left, and older snapshots that are damaged
}

// checkSnapshots reads the snapshots in a folder, and writes nothing. The newest snapshot must be whole, since the
// log before it is gone. The names of the folders, term-index-time, say which one is the newest: the damaged part
// could be meta.json.
func checkSnapshots(dir string, l *slog.Logger) (snapCheck, error) {
	var c snapCheck
	list, err := os.ReadDir(filepath.Join(dir, snapsName))
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	newest, term, at := "", uint64(0), int64(0)
	for _, d := range list {
		path := filepath.Join(dir, snapsName, d.Name())
		if !d.IsDir() {
			continue
		}
		if strings.HasSuffix(d.Name(), ".tmp") {
			c.debris = append(c.debris, path)
			continue
		}
		var t, index uint64
		var when int64
		_, err := fmt.Sscanf(d.Name(), "%d-%d-%d", &t, &index, &when)
		if err != nil {
			return c, damaged(path, 0, "the name is not that of a snapshot")
		}
		if newest == "" || t > term || t == term && (index > c.index || index == c.index && when > at) {
			newest, term, c.index, at = path, t, index, when
		}
	}
	for _, d := range list {
		path := filepath.Join(dir, snapsName, d.Name())
		if !d.IsDir() || strings.HasSuffix(d.Name(), ".tmp") {
			continue
		}
		err := checkSnapshot(path)
		if err == nil {
			continue
		}
		if path == newest {
			return c, err
		}
		// The snapshot is damaged, or a crash came while it was being removed. Its description may be wrong, too, and
		// would then come before that of the newest one.
		l.Warn("an older snapshot is not whole, and is removed; the newest one is whole", "err", err)
		c.debris = append(c.debris, path)
	}
	return c, nil
}

// checkSnapshot reads the whole of a snapshot.
func checkSnapshot(path string) error {
	var m struct {
		raft.SnapshotMeta
		CRC []byte
	}
	name := filepath.Join(path, "meta.json")
	b, err := os.ReadFile(name)
	if err != nil {
		return errors.Join(damaged(name, 0, "the file cannot be read"), err)
	}
	err = json.Unmarshal(b, &m)
	if err != nil {
		return damaged(name, 0, err.Error())
	}
	name = filepath.Join(path, "state.bin")
	f, err := os.Open(name)
	if err != nil {
		return errors.Join(damaged(name, 0, "the file cannot be read"), err)
	}
	defer f.Close()
	crc := crc64.New(crc64.MakeTable(crc64.ECMA))
	size, err := io.Copy(crc, f)
	switch {
	case err != nil:
		return errors.Join(damaged(name, size, "the file cannot be read"), err)
	case size != m.Size:
		return damaged(name, min(size, m.Size), fmt.Sprintf("the file has %d bytes, and meta.json says %d", size, m.Size))
	case !bytes.Equal(crc.Sum(nil), m.CRC):
		return damaged(name, 0, "the sum in meta.json is wrong")
	}
	_, err = f.Seek(0, io.SeekStart)
	if err != nil {
		return err
	}
	own, _, err := readSnapshotHead(f)
	if err == nil {
		err = sameSnapshot(&m.SnapshotMeta, own)
	}
	if err == nil && own.ID != filepath.Base(path) {
		err = errors.New("the folder has the name of another snapshot")
	}
	if err != nil {
		return damaged(name, 0, err.Error())
	}
	return nil
}
