package scheduletest

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// notIntersected counts the free servers at each tick, but does not check that they are the same
// ones.
type notIntersected struct{ spoiltServers }

func (s *notIntersected) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := s.spoiltServers.Search(r)
	if err != nil || o.Start == max(r.Ready, s.Clock) || r.Servers != nil {
		return o, err
	}
	start, _ := s.FirstStart(r, func(w bookahead.Interval) bool {
		for t := w.Start; t < min(w.End, s.Busy()); t++ {
			if n, _ := s.Free(bookahead.Interval{Start: t, End: t + 1}); n < r.Units {
				return false
			}
		}
		return true
	})
	at := bookahead.Interval{Start: start, End: start + 1}
	o.Interval = bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}
	_, servers := s.Free(at)
	o.Servers = servers[:r.Units]
	return o, nil
}

type serversIgnored struct{ spoiltServers }

func (s *serversIgnored) Search(r bookahead.Request) (bookahead.Offer, error) {
	if s.Check(r) == nil {
		r.Servers = nil
	}
	return s.spoiltServers.Search(r)
}

// chance chooses servers by the address of the schedule.
type chance struct{ spoiltServers }

func (s *chance) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := s.spoiltServers.Search(r)
	if err != nil || s.luck() == 0 {
		return o, err
	}
	_, able, _ := s.Share(r, o.Interval, nil)
	o.Servers = able[int64(len(able))-r.Units:]
	return o, nil
}

func (s *chance) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := s.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return bookahead.Reservation{ID: s.Book(o), Offer: o}, nil
}

// luck differs from one schedule to the next.
func (s *chance) luck() int {
	if s.lot == 0 {
		lots++
		s.lot = 1 + lots%2
	}
	return s.lot - 1
}

var lots int

// keepsServers keeps the slice in which the caller named servers.
type keepsServers struct{ spoiltServers }

func (s *keepsServers) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := s.spoiltServers.Search(r)
	if err == nil && int64(len(r.Servers)) == r.Units {
		slices.Sort(r.Servers)
		o.Servers = r.Servers
	}
	return o, err
}

type serverHeldTwice struct{ spoiltServers } // releases server 0 too early

func (s *serverHeldTwice) Advance(now bookahead.Time) error {
	err := s.spoiltServers.Advance(now)
	for _, res := range s.List() {
		if err == nil && res.Start < now && slices.Contains(res.Servers, 0) {
			s.Add(bookahead.Offer{Interval: res.Interval, Servers: []int{0}}, -1)
			s.Booked[res.ID] = bookahead.Offer{Interval: res.Interval, Units: res.Units, Servers: res.Servers[1:]}
		}
	}
	return err
}
