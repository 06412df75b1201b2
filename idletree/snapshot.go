package idletree

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

var (
	_ bookahead.Snapshotter = (*Tree)(nil)
	_ bookahead.Snapshotter = (*Lists)(nil)
)

const (
	kindOfTree  = "idletree.Tree"
	kindOfLists = "idletree.Lists"
)

// MarshalBinary implements encoding.BinaryMarshaler. O(N + n) for N servers, and n
// servers of all reservations together.
func (x *Tree) MarshalBinary() ([]byte, error) { return x.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (x *Tree) AppendBinary(b []byte) ([]byte, error) {
	w := snapshot.Begin(b, kindOfTree)
	x.fleet.write(w)
	return w.End()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. A Config.Prefer of the caller's own cannot be written: such a snapshot is
// read only by a Tree that has been made with one. O(p log p) for p idle periods.
func (x *Tree) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kindOfTree)
	f := readFleet(r, x.fleet.prefer)
	if err := r.Close(); err != nil {
		return err
	}
	read := Tree{fleet: f, index: newIndex()}
	periods := f.periods(f.Now)
	edits := make([]edit, len(periods))
	for i, p := range periods {
		edits[i] = edit{start: p.Start, is: p.End, server: p.Server}
	}
	read.index.update(edits)
	read.index.stack, read.index.entries = nil, nil // room for so much is needed once
	*x = read
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler. O(N + n) for N servers, and n
// servers of all reservations together.
func (l *Lists) MarshalBinary() ([]byte, error) { return l.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (l *Lists) AppendBinary(b []byte) ([]byte, error) {
	w := snapshot.Begin(b, kindOfLists)
	l.fleet.write(w)
	return w.End()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. A Config.Prefer of the caller's own cannot be written: such a snapshot is
// read only by a Lists that has been made with one. O(p log p) for p idle periods.
func (l *Lists) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kindOfLists)
	f := readFleet(r, l.fleet.prefer)
	if err := r.Close(); err != nil {
		return err
	}
	f.first = LowestIndex
	*l = Lists{f}
	return nil
}
