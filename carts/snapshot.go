package carts

import (
	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

var (
	_ bookahead.Snapshotter = (*Flat)(nil)
	_ bookahead.Snapshotter = (*BTree)(nil)
	_ bookahead.Snapshotter = (*Indexed)(nil)
)

// MarshalBinary implements encoding.BinaryMarshaler: a snapshot that all pools that
// are exact to the tick can read. O(n) for n reservations.
func (f *Flat) MarshalBinary() ([]byte, error) { return f.pool.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (f *Flat) AppendBinary(b []byte) ([]byte, error) { return f.pool.AppendBinary(b) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick. O(n log n).
func (f *Flat) UnmarshalBinary(data []byte) error {
	p, steps, err := pool.Decode(data)
	if err != nil {
		return err
	}
	read := Flat{pool: p}
	for _, s := range steps {
		read.start = append(read.start, s.Start)
		read.free = append(read.free, s.Free)
	}
	*f = read
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler: a snapshot that all pools that
// are exact to the tick can read. O(n) for n reservations.
func (b *BTree) MarshalBinary() ([]byte, error) { return b.pool.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (b *BTree) AppendBinary(to []byte) ([]byte, error) { return b.pool.AppendBinary(to) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick. O(n log n).
func (b *BTree) UnmarshalBinary(data []byte) error {
	p, steps, err := pool.Decode(data)
	if err != nil {
		return err
	}
	slots := btree.NewG(degree, func(x, y Slot) bool { return x.Start < y.Start })
	for _, s := range steps {
		slots.ReplaceOrInsert(Slot(s))
	}
	*b = BTree{pool: p, slots: slots}
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler: a snapshot that all pools that
// are exact to the tick can read. O(n) for n reservations.
func (x *Indexed) MarshalBinary() ([]byte, error) { return x.pool.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (x *Indexed) AppendBinary(b []byte) ([]byte, error) { return x.pool.AppendBinary(b) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick. O(n log n).
func (x *Indexed) UnmarshalBinary(data []byte) error {
	p, steps, err := pool.Decode(data)
	if err != nil {
		return err
	}
	read, err := NewIndexed(p.Capacity, Config{})
	if err != nil {
		return err
	}
	slots := make([]Slot, len(steps))
	for i, s := range steps {
		slots[i] = Slot(s)
	}
	read.pool = p
	switch empty := read.slots.(type) {
	case *profile[int32]:
		read.slots = newProfile[int32](slots, empty.shape)
	case *profile[int64]:
		read.slots = newProfile[int64](slots, empty.shape)
	}
	*x = *read
	return nil
}
