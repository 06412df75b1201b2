package scheduletest

import (
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// poolTarget and serverTarget run the oracles through the suite themselves.
var (
	poolTarget   = Target{Name: "oracle of pools", Cells: true}
	serverTarget = Target{Name: "oracle of servers", Servers: true, Cells: true}
)

func init() {
	for _, target := range []*Target{&poolTarget, &serverTarget} {
		target.New = func(c Config) (bookahead.Schedule, error) { return oracle.New(target.rules(c)) }
		target.Booked = func(c Config, offers []bookahead.Offer) (bookahead.Schedule, error) {
			o, err := oracle.New(target.rules(c))
			if err != nil {
				return nil, err
			}
			return bookInto(o, offers)
		}
	}
}

// bookInto enters offers into an oracle. The error is ErrInvalid for an offer that the oracle
// cannot hold from the start.
func bookInto(o *oracle.Oracle, offers []bookahead.Offer) (*oracle.Oracle, error) {
	for _, offer := range offers {
		r := offer.Request()
		if o.Check(r) != nil || offer.Start < 0 || offer.End <= o.Now() || offer.End > o.Until() {
			return nil, bookahead.ErrInvalid
		}
		ahead := bookahead.Interval{Start: max(offer.Start, o.Now()), End: offer.End}
		_, servers, free := o.Share(r, ahead, nil)
		if free < r.Units || o.Frame().Servers > 0 && (free > r.Units || !slices.Equal(servers, offer.Servers)) {
			return nil, bookahead.ErrInvalid
		}
		o.Book(offer)
	}
	return o, nil
}

func TestPool(t *testing.T)    { Run(t, poolTarget) }
func TestServers(t *testing.T) { Run(t, serverTarget) }

// wholePool is a pool with all abilities that changes of capacity need.
type wholePool struct{ oracle.Oracle }

func (p *wholePool) Clone() bookahead.Schedule      { return &wholePool{*p.Copy()} }
func (p *wholePool) Adopt(clone bookahead.Schedule) { *p = *clone.(*wholePool) }

// wholeServers is wholePool for servers.
type wholeServers struct{ oracle.Oracle }

func (s *wholeServers) Clone() bookahead.Schedule {
	return &wholeServers{*s.Copy()}
}
func (s *wholeServers) Adopt(clone bookahead.Schedule) { *s = *clone.(*wholeServers) }

var _, _ bookahead.Displacer = (*wholePool)(nil), (*wholeServers)(nil)

func TestWholePool(t *testing.T) {
	target := Target{Name: "scheduletest.WholePool", Cells: true}
	target.New = func(c Config) (bookahead.Schedule, error) {
		p, err := oracle.New(target.rules(c))
		return &wholePool{*p}, err
	}
	Run(t, target)
}

func TestWholeServers(t *testing.T) {
	target := Target{Name: "scheduletest.WholeServers", Servers: true, Cells: true}
	target.New = func(c Config) (bookahead.Schedule, error) {
		s, err := oracle.New(target.rules(c))
		return &wholeServers{*s}, err
	}
	Run(t, target)
}

// fiveMethods is a schedule without any ability.
type fiveMethods struct{ bookahead.Schedule }

func TestFiveMethods(t *testing.T) {
	t.Setenv("BOOKAHEAD_OPS", "2000")
	for _, target := range []Target{poolTarget, serverTarget} {
		open := target.New
		target.Booked = nil
		target.New = func(c Config) (bookahead.Schedule, error) {
			s, err := open(c)
			if err != nil {
				return nil, err
			}
			return &fiveMethods{s}, nil
		}
		t.Run(target.Name, func(t *testing.T) { Run(t, target) })
	}
}

// TestStepsAndSlots runs the oracles with the limits that a representation may have.
func TestStepsAndSlots(t *testing.T) {
	t.Setenv("BOOKAHEAD_OPS", "2000")
	for name, limit := range map[string]func(*Target){
		"Slot=5":        func(target *Target) { target.Slot = 5 },
		"Step=4":        func(target *Target) { target.Step = 4 },
		"Step,Attempts": func(target *Target) { target.Step, target.Attempts = 2, 30 },
		"Bounded":       func(target *Target) { target.Bounded = true },
		"locked": func(target *Target) {
			open := target.New
			target.Made = true
			target.New = func(c Config) (bookahead.Schedule, error) {
				s, err := open(c)
				if err != nil {
					return nil, err
				}
				return bookahead.Locked(s.(bookahead.Keeper)), nil
			}
		},
	} {
		for _, target := range []Target{poolTarget, serverTarget} {
			target.New = func(c Config) (bookahead.Schedule, error) { return oracle.New(target.rules(c)) }
			target.Booked = nil
			limit(&target)
			t.Run(target.Name+"/"+name, func(t *testing.T) { Run(t, target) })
		}
	}
}
