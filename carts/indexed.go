package carts

import (
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
	"github.com/bookahead/bookahead/internal/profile"
)

// Indexed keeps the slots in a tree. It finds and changes a slot in logarithmic time, and skips
// gaps by bounds that its searches learn. A search usually meets few gaps; # Worst case in the
// package comment says when a search reads all slots. Choose Indexed unless another form suits
// better.
type Indexed struct{ exact }

// NewIndexed returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
func NewIndexed(capacity int64, c Config) (*Indexed, error) {
	return newIndexed(capacity, c, profile.Usual)
}

// newIndexed is NewIndexed with Knobs.
func newIndexed(capacity int64, c Config, k profile.Knobs) (*Indexed, error) {
	x, err := open(capacity, c, indexedBy(k))
	if err != nil {
		return nil, err
	}
	return &Indexed{x}, nil
}

// Clone implements bookahead.Cloner. O(1), and the ledger's directory.
func (x *Indexed) Clone() bookahead.Schedule { return &Indexed{x.clone()} }

// Adopt implements bookahead.Displacer. O(1).
func (x *Indexed) Adopt(clone bookahead.Schedule) { *x = *clone.(*Indexed) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. O(n log n).
func (x *Indexed) UnmarshalBinary(data []byte) error { return x.read(data, indexedBy(profile.Usual)) }

// indexed is the profile of an Indexed.
type indexed[U profile.Units] struct{ *profile.Tree[U] }

// most32 is the capacity up to which 32 bits are enough. Free units lie between -capacity and
// capacity, and a floor of a profile is at most three times as far from 0.
const most32 = math.MaxInt32 / 4

// indexedBy returns the maker of an Indexed with some Knobs.
func indexedBy(k profile.Knobs) maker {
	return func(capacity int64, slots []slot) profileOf {
		if capacity <= most32 {
			return indexed[int32]{profile.New[int32](slots, k)}
		}
		return indexed[int64]{profile.New[int64](slots, k)}
	}
}

// Sized implements pool.Sizer. O(v) where 32 bits are no longer enough.
func (x indexed[U]) Sized(most int64) pool.Profile {
	_, narrow := any(U(0)).(int32)
	if !narrow || most <= most32 {
		return x
	}
	return indexedBy(x.Knobs)(most, x.All())
}

func (x indexed[U]) clone() profileOf { return indexed[U]{x.Tree.Clone()} }

func (x indexed[U]) verify(now bookahead.Time) ([]slot, error) { return x.Verify(now) }
