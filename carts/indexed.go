package carts

import (
	"math"

	"github.com/bookahead/bookahead"
)

// Indexed keeps the slots in a tree that finds, changes and skips them in
// logarithmic time, however many there are and however the gaps between them
// lie. It is the one to choose unless another suits better.
type Indexed struct{ exact }

// NewIndexed returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
func NewIndexed(capacity int64, c Config) (*Indexed, error) { return newIndexed(capacity, c, usual) }

// Clone implements bookahead.Cloner. O(1), and the ledger's directory.
func (x *Indexed) Clone() bookahead.Schedule { return &Indexed{x.clone()} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. O(n log n).
func (x *Indexed) UnmarshalBinary(data []byte) error {
	return x.read(data, &profile[int64]{shape: usual})
}

// shape is what tests want otherwise.
type shape struct {
	width    int // the most entries of a node, from 8 to fanout
	patience int // the gaps that are too short that a search meets before it looks at the index
	near     int // the leaves that are to lie between it and its last start then
	// mayLand is how often the index may lead a search to where there is too little
	// before it must tell not only the class of requests, but the units.
	mayLand int
}

var usual = shape{width: fanout, patience: 8, near: 14, mayLand: 32}

// newIndexed is NewIndexed with a shape.
func newIndexed(capacity int64, c Config, s shape) (*Indexed, error) {
	x, err := open(capacity, c, &profile[int64]{shape: s})
	if err != nil {
		return nil, err
	}
	return &Indexed{x}, nil
}

func (p *profile[U]) made(capacity int64, slots []slot) profileOf {
	if capacity <= math.MaxInt32 {
		return newProfile[int32](slots, p.shape)
	}
	return newProfile[int64](slots, p.shape)
}
