package carts

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

var (
	_ bookahead.LatestSearcher = (*Flat)(nil)
	_ bookahead.LatestSearcher = (*BTree)(nil)
)

// SearchLatest implements bookahead.LatestSearcher. O(log v + k) for k slots between
// the start that is found and the end of the last one possible.
func (f *Flat) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := f.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	d := bookahead.Time(r.Duration)
	end := last + d // no run that is left ends after
	for i := f.at(end - 1); end-d >= first; i-- {
		if f.free[i] < r.Units {
			end = f.start[i]
		} else if f.start[i] <= end-d {
			return pool.OfferAt(end-d, r), nil
		}
	}
	return bookahead.Offer{}, bookahead.ErrUnavailable
}

// SearchLatest implements bookahead.LatestSearcher. O(log v + k) for k slots between
// the start that is found and the end of the last one possible.
func (b *BTree) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := b.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	d := bookahead.Time(r.Duration)
	end := last + d // no run that is left ends after
	b.slots.DescendLessOrEqual(Slot{Start: end - 1}, func(s Slot) bool {
		if s.Free < r.Units {
			end = s.Start
			return end-d >= first
		}
		return s.Start > end-d
	})
	if end-d < first {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return pool.OfferAt(end-d, r), nil
}
