package grid

import (
	"fmt"
	"reflect"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// sources returns a member and all schedules that it books on: the one behind a lock,
// of a Desk or of a Binder, and the providers of a Broker. A wrapper of the caller's own
// hides the schedule in it.
//
//	Locked ─► Broker ─┬─► Desk ─► carts.Indexed
//	                  └─► Binder ─► freelist.Used      six sources
func sources(m Member) []Member {
	all := []Member{m}
	switch m := m.(type) {
	case *bookahead.LockedSchedule:
		m.View(func(s bookahead.Schedule) { all = append(all, sources(s)...) })
	case *Desk:
		all = append(all, sources(m.Schedule())...)
	case *Binder:
		all = append(all, sources(m.pool)...)
	case *Broker:
		for _, p := range m.providers {
			all = append(all, sources(p.Schedule)...)
		}
	}
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
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// checkProviders returns an error that wraps bookahead.ErrInvalid if a provider is nil,
// or shares a schedule with another: once written and read they would be two.
func checkProviders(providers []bookahead.Schedule) error {
	owner := map[Member]int{}
	for k, p := range providers {
		name := fmt.Sprintf("providers[%d]", k)
		if err := limits.CheckNil(name, p); err != nil {
			return err
		}
		for _, s := range sources(p) {
			if !reflect.ValueOf(s).Comparable() {
				continue
			}
			if first, ok := owner[s]; ok && first != k {
				return limits.Invalid(name, fmt.Sprintf("%T", p), fmt.Sprintf("is, or shares a schedule with, providers[%d]", first))
			}
			owner[s] = k
		}
	}
	return nil
}
