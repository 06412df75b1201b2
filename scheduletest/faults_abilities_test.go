package scheduletest

import "github.com/bookahead/bookahead"

// halfResize gives back what is held before it knows that the new place is free.
type halfResize struct{ spoiltPool }

func (p *halfResize) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	res, err := resize(p, id, to, units, p.capacity)
	if err == bookahead.ErrUnavailable {
		_ = p.Release(id)
	}
	return res, err
}

// ownUseCounts looks for room beside what the reservation holds itself.
type ownUseCounts struct{ spoiltPool }

func (p *ownUseCounts) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	c := p.clone()
	res, err := resize(c, id, to, units, p.capacity)
	if err == nil && p.free(bookahead.Interval{Start: max(to.Start, p.clock), End: to.End}) < units {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	if err == nil {
		return resize(p, id, to, units, p.capacity)
	}
	return res, err
}

// notTheLatest finds the first place instead of the last.
type notTheLatest struct{ spoiltPool }

func (p *notTheLatest) SearchLatest(r bookahead.Request) (bookahead.Offer, error) { return p.Search(r) }
