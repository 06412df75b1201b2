package grid

import (
	"reflect"

	"github.com/bookahead/bookahead"
)

// composite is a Member that books on other schedules, and has its own books of these
// reservations: a Broker or a Binder.
type composite interface{ members() []bookahead.Schedule }

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
