package snapshot

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
)

// Spoil returns a snapshot that differs from data, sealed like the output of a Writer: one to
// three of its numbers are changed, left out, written twice or put in another place, in the
// snapshots within it too. So tests reach the checks behind the sums. Bytes that are no snapshot
// are only sealed. The same seed spoils alike.
func Spoil(data []byte, seed uint64) []byte {
	d, ok := parse(data)
	if !ok {
		return Seal(data)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 1 + rng.IntN(3) {
		d.spoil(rng)
	}
	return d.bytes()
}

// With returns data with another number at a place, sealed. Places are counted through the
// snapshots within data. Data with too few numbers is only sealed.
func With(data []byte, place int, number uint64) []byte {
	d, ok := parse(data)
	if !ok {
		return Seal(data)
	}
	n := d.at(&place)
	if n != nil {
		*n = number
	}
	return d.bytes()
}

// at returns the number at a place. If there are too few numbers, it returns nil, and place
// becomes the number of places that are left.
func (d *document) at(place *int) *uint64 {
	for i := range d.parts {
		p := &d.parts[i]
		if p.inner != nil {
			n := p.inner.at(place)
			if n != nil {
				return n
			}
			continue
		}
		if *place == 0 {
			return &p.number
		}
		*place--
	}
	return nil
}

// document is a snapshot as a list of numbers, with the snapshots that lie in it.
type document struct {
	head  []byte // up to the kind
	parts []part
}

// part is a number, or a snapshot with its length.
type part struct {
	number uint64
	inner  *document
}

func parse(data []byte) (*document, bool) {
	if len(data) < len(magic)+2+crc32.Size || string(data[:len(magic)]) != magic {
		return nil, false
	}
	head, body := len(magic)+2+int(data[len(magic)+1]), data[:len(data)-crc32.Size]
	if head > len(body) {
		return nil, false
	}
	d := &document{head: slices.Clone(body[:head])}
	body = body[head:]
	for len(body) > 0 {
		n, size := binary.Uvarint(body)
		if size <= 0 {
			return nil, false
		}
		body = body[size:]
		p := part{number: n}
		if n <= uint64(len(body)) && bytes.HasPrefix(body[:n], []byte(magic)) {
			inner, ok := parse(body[:n])
			if !ok {
				// To read it as numbers instead would try everything within it again, and so
				// double the work for each depth.
				return nil, false
			}
			p.inner, body = inner, body[n:]
		}
		d.parts = append(d.parts, p)
	}
	return d, true
}

func (d *document) bytes() []byte {
	w := Writer{b: slices.Clone(d.head)}
	for _, p := range d.parts {
		if p.inner != nil {
			w.Bytes(p.inner.bytes())
		} else {
			w.Uint(p.number)
		}
	}
	data, _ := w.End() // numbers are always whole
	return data
}

// spoil makes one change.
func (d *document) spoil(rng *rand.Rand) {
	if len(d.parts) == 0 {
		d.parts = []part{{number: odd(rng, 0)}}
		return
	}
	i := rng.IntN(len(d.parts))
	if rng.IntN(2) == 0 { // the first numbers are few, and mean the most
		i = rng.IntN(min(len(d.parts), 8))
	}
	p := &d.parts[i]
	choice := rng.IntN(16)
	switch {
	case p.inner != nil && choice < 14:
		p.inner.spoil(rng)
	case choice < 8:
		p.number = uint64(max(0, int64(p.number)+rng.Int64N(9)-4)) // close to the old number, so that it often makes sense
	case choice < 12:
		p.number = odd(rng, p.number)
	case choice < 13:
		*p = d.parts[rng.IntN(len(d.parts))]
	case choice < 14:
		j := min(len(d.parts), i+1+rng.IntN(5))
		d.parts = slices.Insert(d.parts, i, slices.Clone(d.parts[i:j])...)
	default:
		d.parts = slices.Delete(d.parts, i, min(len(d.parts), i+1+rng.IntN(5)))
	}
}

// odd returns a number at a limit, or one that overflows.
func odd(rng *rand.Rand, n uint64) uint64 {
	power := uint64(1) << rng.IntN(64)
	list := []uint64{0, 1, power, power - 1, power + 1, n * 2, n / 2, n ^ power, math.MaxInt64, math.MaxUint64, rng.Uint64()}
	return list[rng.IntN(len(list))]
}
