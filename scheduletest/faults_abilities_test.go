package scheduletest

import "github.com/bookahead/bookahead"

// halfResize gives back what is held before it knows that the new place is free.
type halfResize struct{ spoiltPool }

func (p *halfResize) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	res, err := resize(p, id, to, units)
	if err == bookahead.ErrUnavailable {
		_ = p.Release(id)
	}
	return res, err
}

// ownUseCounts looks for room beside what the reservation holds itself.
type ownUseCounts struct{ spoiltPool }

func (p *ownUseCounts) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	c := p.clone()
	res, err := resize(c, id, to, units)
	if err == nil && p.free(bookahead.Interval{Start: max(to.Start, p.clock), End: to.End}) < units {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	if err == nil {
		return resize(p, id, to, units)
	}
	return res, err
}

// halfResizeOfServers is halfResize for servers.
type halfResizeOfServers struct{ spoiltServers }

func (s *halfResizeOfServers) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	res, err := resize(s, id, to, units)
	if err == bookahead.ErrUnavailable {
		_ = s.Release(id)
	}
	return res, err
}

// movesWhatRuns treats what has begun like what has not.
type movesWhatRuns struct{ spoiltServers }

func (s *movesWhatRuns) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return resize(s, id, to, units)
}

func (s *movesWhatRuns) without(old bookahead.Offer, w bookahead.Interval, units int64) (keep, others []int, err error) {
	old.Start = s.clock + 1
	return s.Servers.without(old, w, units)
}

// leavesItsServers keeps its servers only where there are too few others.
type leavesItsServers struct{ spoiltServers }

func (s *leavesItsServers) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return resize(s, id, to, units)
}

func (s *leavesItsServers) without(old bookahead.Offer, w bookahead.Interval, units int64) (keep, others []int, err error) {
	keep, others, err = s.Servers.without(old, w, units)
	return keep[:min(int64(len(keep)), max(0, units-int64(len(others))))], others, err
}

// ownServersCount looks for servers beside those that the reservation holds itself.
type ownServersCount struct{ spoiltServers }

func (s *ownServersCount) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return resize(s, id, to, units)
}

func (s *ownServersCount) without(old bookahead.Offer, w bookahead.Interval, units int64) (keep, others []int, err error) {
	if keep, others, err = s.Servers.without(old, w, units); s.rounded(old.Interval).Overlaps(w) && int64(len(others)) < units {
		return nil, nil, bookahead.ErrUnavailable
	}
	return keep, others, err
}

// choosesTheHighest adds the last of the others, and not those that Search would
// offer.
type choosesTheHighest struct{ spoiltServers }

func (s *choosesTheHighest) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return resize(s, id, to, units)
}

func (s *choosesTheHighest) without(old bookahead.Offer, w bookahead.Interval, units int64) (keep, others []int, err error) {
	if keep, others, err = s.Servers.without(old, w, units); err == nil {
		others = others[int64(len(keep)+len(others))-units:]
	}
	return keep, others, err
}

// notTheLatest finds the first place instead of the last.
type notTheLatest struct{ spoiltPool }

func (p *notTheLatest) SearchLatest(r bookahead.Request) (bookahead.Offer, error) { return p.Search(r) }
