package grid

import (
	"fmt"
	"math"
	"reflect"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// provider is one of the schedules of a Broker, and the Broker's notes on it.
type provider struct {
	schedule framed
	first    int // the Broker's number of its server 0
	servers  int // 0 if it is a pool
	live     int // the Broker's reservations here

	// ahead is the distance from the clock to a horizon that moves with the clock; 0 if the
	// horizon is the end of the axis. It is read once, because a moving horizon that has
	// reached the end of the axis looks like a horizon that does not move.
	ahead bookahead.Time
}

// slides returns the distance from the clock to a horizon that moves with the clock; 0 if the
// horizon is the end of the axis.
func slides(f bookahead.Frame) bookahead.Time {
	if f.Horizon == bookahead.MaxTime {
		return 0
	}
	return f.Horizon - f.Now
}

// enlist makes a schedule the next provider of the broker, without reservations, and numbers
// its servers. The error names the provider by its index.
func (b *Broker) enlist(s bookahead.Schedule) error {
	k := len(b.providers)
	name := fmt.Sprintf("providers[%d]", k)
	f, ok := s.(framed)
	if !ok {
		return limits.Invalid(name, fmt.Sprintf("%T", s), "does not tell its Frame")
	}
	frame := f.Frame()
	if k > 0 && (frame.Servers > 0) != (b.limits.Servers > 0) {
		return limits.Invalid(name, fmt.Sprintf("%T", s), "is not of one kind with those before: one has servers, one is a pool")
	}
	b.limits.Capacity = math.MaxInt64 // capacities may change, so only the providers refuse too many units
	b.providers = append(b.providers, provider{schedule: f, ahead: slides(frame), first: b.limits.Servers, servers: frame.Servers})
	b.limits.Servers += frame.Servers
	return nil
}

// keeper returns provider k. The error wraps bookahead.ErrInvalid if the provider is no
// bookahead.Keeper.
func (b *Broker) keeper(k int) (bookahead.Keeper, error) {
	s := b.providers[k].schedule
	keeper, ok := s.(bookahead.Keeper)
	if !ok {
		return nil, limits.Invalid(fmt.Sprintf("providers[%d]", k), fmt.Sprintf("%T", s), "is no bookahead.Keeper")
	}
	return keeper, nil
}

// reaches returns an error that wraps bookahead.ErrInvalid if an Advance to now would move the
// horizon of a provider beyond the end of the axis.
func (b *Broker) reaches(now bookahead.Time) error {
	for k, p := range b.providers {
		if now > bookahead.MaxTime-p.ahead {
			return limits.Invalid("now", now, fmt.Sprintf("plus the horizon %d of provider %d overflows", p.ahead, k))
		}
	}
	return nil
}

// checkProviders returns an error that wraps bookahead.ErrInvalid if a provider is nil, or if two
// share a schedule, because a snapshot would turn the schedule into two. Two views of a machine
// share it.
func checkProviders(providers []bookahead.Schedule) error {
	owner := map[any]int{}
	for k, p := range providers {
		name := fmt.Sprintf("providers[%d]", k)
		err := limits.CheckNil(name, p)
		if err != nil {
			return err
		}
		var all []any
		for _, s := range sources(p) {
			if reflect.ValueOf(s).Comparable() {
				all = append(all, s)
			}
		}
		for _, m := range machines(p) {
			all = append(all, m)
		}
		for _, s := range all {
			first, ok := owner[s]
			if ok && first != k {
				return limits.Invalid(name, fmt.Sprintf("%T", p), fmt.Sprintf("is, or shares a schedule with, providers[%d]", first))
			}
			owner[s] = k
		}
	}
	return nil
}
