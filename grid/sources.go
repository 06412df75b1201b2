package grid

import (
	"fmt"
	"reflect"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// composite is a Member that books on other schedules, and keeps books of its own about
// them: a Broker or a Binder.
type composite interface{ members() []bookahead.Schedule }

func (b *Broker) members() []bookahead.Schedule {
	all := make([]bookahead.Schedule, len(b.providers))
	for k, p := range b.providers {
		all[k] = p.schedule
	}
	return all
}

func (b *Binder) members() []bookahead.Schedule { return []bookahead.Schedule{b.pool} }

// view is a Schedule that shows another in a way of its own, and books there: two views of one share what
// it has. An idletree.Within is one, whose servers must lie together.
type view interface{ Viewed() bookahead.Schedule }

// sources returns a member and all schedules that it books on: the one behind a lock or of
// a Binder, that which a view shows, and the providers of a Broker. A wrapper of the caller's own
// hides the schedule in it.
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

// identical reports whether two members are one. Values that cannot be compared
// are not.
func identical(a, b Member) bool {
	t := reflect.TypeOf(a)
	if t != reflect.TypeOf(b) {
		return false
	}
	// Pointers, which most members are, need no Value.
	return (t != nil && t.Kind() == reflect.Pointer || reflect.ValueOf(a).Comparable()) && a == b
}

// checkProviders returns an error that wraps bookahead.ErrInvalid if a provider is nil,
// or shares a schedule with another: once written and read they would be two. Two views of a
// machine share it.
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
