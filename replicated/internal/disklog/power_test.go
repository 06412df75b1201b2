//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disklog

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// power is a syncer over a folder that may lose its power. Then all bytes and names that were synced are left, and
// any part of the others. The files are real ones; power looks at them at each sync:
//
//	write  write  sync   write    ⚡   each sector as it was at the sync, or at any look since
//	create a  syncDir  rename a b  ⚡   a or b: a name changes wholly, or not at all
//
// Raft writes snapshots without the syncer. It syncs their files before it renames their folder, and the new name
// after that. power takes these syncs for granted. Raft does not sync the names of the files in the folder, so power
// checks that the store does, and every other sync. One missing sync stays hidden: that of the folder of the
// snapshots, if a member is opened after Raft was killed between the rename and its sync.
type power struct {
	t    testing.TB
	root string
	r    *rand.Rand
	// step is called before each sync, while the disk still has its old content. If step returns an error, nothing is
	// synced.
	step func() error

	mu    sync.Mutex
	nodes []*inode // folders come before their files
}

// inode is a file or a folder, under any name.
type inode struct {
	info os.FileInfo
	keep *os.File // kept open, so that the system does not give its inode to another file
	is   place    // where the folder shows it now
	was  place    // where it is on the disk
	// looks has the bytes on the disk, and the bytes at each look since.
	looks [][]byte
}

// place is the folder and the name of an inode; zero if it has none.
type place struct {
	in   *inode
	name string
}

// newPower returns a disk that has the whole of a folder.
func newPower(t testing.TB, root string, r *rand.Rand) *power {
	p := &power{t: t, root: root, r: r}
	p.look()
	for _, n := range p.nodes {
		n.was, n.looks = n.is, n.looks[len(n.looks)-1:]
	}
	return p
}

func (p *power) close() {
	for _, n := range p.nodes {
		_ = n.keep.Close()
	}
}

func (p *power) syncFile(f *os.File) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.before()
	if err != nil {
		return err
	}
	info, err := f.Stat()
	require.NoError(p.t, err)
	n := p.find(info)
	n.looks = n.looks[len(n.looks)-1:]
	return nil
}

func (p *power) syncDir(path string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.before()
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	require.NoError(p.t, err)
	dir := p.find(info)
	if dir == nil { // the folder lies above the root
		return nil
	}
	for _, n := range p.nodes {
		if n.is.in == dir || n.was.in == dir {
			n.was = n.is
		}
	}
	return nil
}

func (p *power) before() error {
	p.look()
	if p.step == nil {
		return nil
	}
	return p.step()
}

// find returns the inode of a file; nil if the file was never seen, as a folder above the root.
func (p *power) find(info os.FileInfo) *inode {
	for _, n := range p.nodes {
		if os.SameFile(n.info, info) {
			return n
		}
	}
	return nil
}

// look notes the state of the folder now.
func (p *power) look() {
	for _, n := range p.nodes[min(1, len(p.nodes)):] {
		n.is = place{}
	}
	err := filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		require.NoError(p.t, err)
		info, err := d.Info()
		require.NoError(p.t, err)
		n := p.find(info)
		if n == nil {
			keep, err := os.Open(path)
			require.NoError(p.t, err)
			n = &inode{info: info, keep: keep, looks: [][]byte{nil}}
			p.nodes = append(p.nodes, n)
		}
		if path == p.root {
			return nil
		}
		above, err := os.Stat(filepath.Dir(path))
		require.NoError(p.t, err)
		n.is = place{p.find(above), d.Name()}
		if !d.IsDir() {
			b, err := os.ReadFile(path)
			require.NoError(p.t, err)
			if !slices.Equal(b, n.looks[len(n.looks)-1]) {
				n.looks = append(n.looks, b)
			}
		}
		p.believe(n)
		return nil
	})
	require.NoError(p.t, err)
}

// believe takes the syncs of Raft for granted: of the files of a snapshot, and of the name of its folder.
func (p *power) believe(n *inode) {
	snaps := func(n *inode) bool { return n != nil && n.is.name == snapsName }
	whole := func(n *inode) bool { return !strings.HasSuffix(n.is.name, ".tmp") }
	switch in := n.is.in; {
	case snaps(in) && whole(n) && n.info.IsDir():
		n.was = n.is
	case snaps(in.is.in) && whole(in):
		n.looks = n.looks[len(n.looks)-1:]
	}
}

// crash writes a folder as a loss of power may leave it.
func (p *power) crash(to string) {
	luck := p.r.IntN(4)
	lucky := func() bool { return luck == 0 || luck > 1 && p.r.IntN(2) == 0 } // luck 0: nothing is lost; 1: all that was not synced is lost
	at := map[*inode]place{}
	var old, moved []*inode
	for _, n := range p.nodes[1:] {
		switch {
		case n.is != n.was && lucky():
			at[n] = n.is
			moved = append(moved, n)
		default:
			at[n] = n.was
			old = append(old, n)
		}
	}
	var path func(n *inode) (string, bool)
	path = func(n *inode) (string, bool) {
		if n == p.nodes[0] {
			return to, true
		}
		if at[n].in == nil {
			return "", false
		}
		dir, ok := path(at[n].in)
		return filepath.Join(dir, at[n].name), ok
	}
	require.NoError(p.t, os.MkdirAll(to, 0o755))
	for _, n := range append(old, moved...) {
		name, ok := path(n)
		if !ok {
			continue
		}
		if n.info.IsDir() {
			require.NoError(p.t, os.MkdirAll(name, 0o755))
			continue
		}
		require.NoError(p.t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(p.t, os.WriteFile(name, n.bytes(p.r, luck), 0o644))
	}
}

// bytes returns the bytes of a file after a loss of power.
func (n *inode) bytes(r *rand.Rand, luck int) []byte {
	last := len(n.looks) - 1
	pick := func() []byte {
		switch {
		case luck == 0:
			return n.looks[last]
		case luck == 1:
			return n.looks[0]
		}
		return n.looks[r.IntN(last+1)]
	}
	b := slices.Clone(pick())
	for at := 0; at < len(b); at += sector {
		from := pick()
		end := min(at+sector, len(b))
		clear(b[at:end])
		if at < len(from) {
			copy(b[at:end], from[at:])
		}
	}
	return b
}
