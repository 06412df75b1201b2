package scheduletest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// written is a pool with snapshots: in JSON, and sealed.
type written struct{ spoiltPool }

type image struct {
	Capacity int64
	Horizon  bookahead.Duration
	Clock    bookahead.Time
	Last     bookahead.ID
	Booked   map[bookahead.ID]bookahead.Offer
	Closures []bookahead.Closure
	Named    bookahead.ClosureID
}

func (p *written) MarshalBinary() ([]byte, error) {
	s := image{p.Capacity, p.Horizon, p.Clock, p.Last, map[bookahead.ID]bookahead.Offer{}, closuresOf(p), p.Named}
	for _, res := range p.List() {
		s.Booked[res.ID] = res.Offer
	}
	data, err := json.Marshal(s)
	return snapshot.Seal(append(data, 0, 0, 0, 0)), err
}

func (p *written) UnmarshalBinary(data []byte) error {
	if !bytes.Equal(snapshot.Seal(data), data) {
		return invalid("snapshot", "sum")
	}
	return p.read(data)
}

func (p *written) read(data []byte) error {
	var s image
	if err := json.Unmarshal(data[:max(0, len(data)-4)], &s); err != nil {
		return invalid("snapshot", err)
	}
	n := *p
	n.Capacity, n.Horizon = s.Capacity, s.Horizon
	n.Origin, n.Clock, n.Last, n.Used, n.Booked = s.Clock, s.Clock, s.Last, nil, map[bookahead.ID]bookahead.Offer{}
	for id, o := range s.Booked {
		if o.Start < 0 || o.End < o.Start || o.End-s.Clock > 10*span {
			return invalid("snapshot", o) // refused, as the oracle has a cell for each tick
		}
		most := s.Capacity
		if s.Named > 0 { // there may have been more
			most = oracle.MostUnits
		}
		if o.Units < 1 || o.Units > most {
			return invalid("snapshot", o)
		}
		n.Restore(id, o)
	}
	for _, used := range n.Used {
		if used < 0 || used > n.Capacity && s.Named == 0 {
			return invalid("snapshot", "overbooked")
		}
	}
	if err := n.readClosures(s); err != nil {
		return err
	}
	if again, err := n.MarshalBinary(); err != nil || !bytes.Equal(again, data) {
		return invalid("snapshot", "form")
	}
	*p = n
	return nil
}

// readClosures enters closures under their own IDs.
func (p *written) readClosures(s image) error {
	p.Changes, p.Named = nil, 0
	for _, c := range s.Closures {
		far := c.End-s.Clock > 10*span && c.End < bookahead.MaxTime || c.Start-s.Clock > 10*span
		if c.ID <= p.Named || c.ID > s.Named || c.Start < 0 || far {
			return invalid("snapshot", c)
		}
		enter := p.Close
		if c.Added {
			enter = p.Extend
		}
		p.Named = c.ID - 1
		if _, err := enter(c); err != nil {
			return err
		}
		p.Changes[len(p.Changes)-1].Start = c.Start // the closure may have begun
	}
	p.Named = s.Named
	return nil
}

func TestSnapshotsWithoutFaultPass(t *testing.T) {
	target := Target{Name: "written", Made: true, MaxCapacity: 1 << 40, Cells: true}
	target.New = func(c Config) (bookahead.Schedule, error) {
		p, err := oracle.New(target.rules(c))
		if err != nil {
			return nil, err
		}
		return &written{spoiltPool{*p}}, nil
	}
	Run(t, target)
}

// forgetsNextID goes on counting from the last live reservation.
type forgetsNextID struct{ written }

func (p *forgetsNextID) UnmarshalBinary(data []byte) error {
	if err := p.written.UnmarshalBinary(data); err != nil {
		return err
	}
	p.Last = 0
	for id := range p.Booked {
		p.Last = max(p.Last, id)
	}
	return nil
}

// readsDamage does not check the sum.
type readsDamage struct{ written }

func (p *readsDamage) UnmarshalBinary(data []byte) error { return p.read(snapshot.Seal(data)) }

// halfRead empties the receiver before it knows that the bytes are good.
type halfRead struct{ written }

func (p *halfRead) UnmarshalBinary(data []byte) error {
	err := p.written.UnmarshalBinary(data)
	if err != nil {
		p.Last++
	}
	return err
}

// readsShort accepts the beginning of the bytes that it has read last.
type readsShort struct {
	written
	before []byte
}

func (p *readsShort) UnmarshalBinary(data []byte) error {
	err := p.written.UnmarshalBinary(data)
	if err == nil {
		p.before = bytes.Clone(data)
	} else if len(data) > 0 && bytes.HasPrefix(p.before, data) {
		return nil
	}
	return err
}

// readsOn does not check whether bytes are left over.
type readsOn struct{ written }

func (p *readsOn) UnmarshalBinary(data []byte) error {
	if last := len(data) - 1; last > 0 && p.written.UnmarshalBinary(data[:last]) == nil {
		return nil
	}
	return p.written.UnmarshalBinary(data)
}
