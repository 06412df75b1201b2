//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package replicated

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

// power is a syncer over a folder that may lose its power: then the bytes and names that were synced are there, and of the
// others any part. The files are real ones, at which power looks whenever something is synced:
//
//	write  write  sync   write    ⚡   each sector as it was at the sync, or at any look since
//	create a  syncDir  rename a b  ⚡   a or b: a name changes wholly, or not at all
//
// Raft writes snapshots by itself. It syncs their files before it renames their folder, and the new name behind that; the
// names within are not synced by it. That power believes, and all else it sees. So it finds each sync that is left out but one:
// that of the folder of the snapshots, when a member is opened behind a Raft that was killed between the two.
type power struct {
	t    testing.TB
	root string
	r    *rand.Rand
	// step is called before each sync, as the last moment at which the disk is as it was. After an error nothing is synced.
	step func() error

	mu    sync.Mutex
	nodes []*inode // those above come first
}

// inode is a file or a folder, whatever its name is.
type inode struct {
	info os.FileInfo
	keep *os.File // open, so that no other file becomes the same one
	is   place    // as it is seen
	was  place    // as it is on the disk
	// looks are the bytes as they are on the disk, and at each look since.
	looks [][]byte
}

// place is where a file is; the zero place is none.
type place struct {
	in   *inode
	name string
}

// newPower returns a disk that has all of a folder.
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
	if dir == nil { // above the root
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

// find returns the inode of a file, which it remembers. A folder above the root is nobody's.
func (p *power) find(info os.FileInfo) *inode {
	for _, n := range p.nodes {
		if os.SameFile(n.info, info) {
			return n
		}
	}
	return nil
}

// look sees how the folder is now.
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

// believe takes for synced what Raft syncs of a snapshot.
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

// crash writes what a loss of power leaves into a folder.
func (p *power) crash(to string) {
	luck := p.r.IntN(4)
	lucky := func() bool { return luck == 0 || luck > 1 && p.r.IntN(2) == 0 } // 1: all that was not synced is lost
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

// bytes returns those of a file after a loss of power.
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
