package grid

import (
	"fmt"
	"reflect"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// composite is a Member that books on other schedules, and has its own books of these
// reservations: a Broker or a Binder.
type composite interface{ members() []bookahead.Schedule }

func (b *Broker) members() []bookahead.Schedule {
	all := make([]bookahead.Schedule, len(b.providers))
	for k, p := range b.providers {
		all[k] = p.schedule
	}
	return all
}

func (b *Binder) members() []bookahead.Schedule { return []bookahead.Schedule{b.pool} }

// view is a Schedule that books on another schedule under further conditions, such as an idletree.Within,
// whose servers must lie together. Two views of one schedule share its servers.
type view interface{ Viewed() bookahead.Schedule }

// sources returns a member and all schedules on which it books: the schedule behind a lock, the pool
// of a Binder, the schedule of a view, and the providers of a Broker. A wrapper of the caller's own
// hides its schedule.
//
//	Locked ─► Broker ─┬─► carts.Indexed
//	                  └─► Binder ─► freelist.Used      five sources
func sources(m Member) []Member {
	all := []Member{m}
	s, ok := m.(bookahead.Schedule)
	if !ok {
		return all
	}
	bookahead.View(s, func(inner Member) {
		if !identical(inner, m) {
			all = append(all, inner)
		}
		if v, ok := inner.(view); ok {
			all = append(all, sources(v.Viewed())...)
		}
		if c, ok := inner.(composite); ok {
			for _, part := range c.members() {
				all = append(all, sources(part)...)
			}
		}
	})
	return all
}

// meet reports whether two lists of sources have a schedule in common.
func meet(a, b []Member) bool {
	for _, x := range a {
		for _, y := range b {
			if identical(x, y) {
				return true
			}
		}
	}
	return false
}

// identical reports whether two members are the same value. Values that cannot be compared are
// never identical.
func identical(a, b Member) bool {
	t := reflect.TypeOf(a)
	if t != reflect.TypeOf(b) {
		return false
	}
	// Most members are pointers, which are comparable: this saves a reflect.Value.
	return (t != nil && t.Kind() == reflect.Pointer || reflect.ValueOf(a).Comparable()) && a == b
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
