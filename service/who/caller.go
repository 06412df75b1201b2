// Package who knows the callers of the service: who somebody is, by a token or a login, and what he may do.
package who

import (
	"fmt"
	"slices"
	"time"
)

// Role is what a caller may do. Each role may do what the roles before it may.
type Role uint8

const (
	// Nobody may do nothing: the caller is unknown.
	Nobody Role = iota
	// Reader may look.
	Reader
	// Booker may book, and change his own bookings and those of his groups.
	Booker
	// Operator may book for anybody, change all bookings, let others give way, close schedules, and read the audit.
	Operator
)

var roleNames = [...]string{"nobody", "reader", "booker", "operator"}

// String returns "nobody", "reader", "booker" or "operator".
func (r Role) String() string {
	if int(r) >= len(roleNames) {
		return fmt.Sprintf("role %d", uint8(r))
	}
	return roleNames[r]
}

// RoleOf returns the role of a name; Nobody if there is none.
func RoleOf(name string) Role { return Role(max(0, slices.Index(roleNames[:], name))) }

// Caller is somebody who asks.
type Caller struct {
	// Owner is the name under which the caller books.
	Owner string
	// Groups are owners for whom the caller may book, too.
	Groups []string
	Role   Role
	// By says for the audit who it is, and how we know: "ann by login", "ci by token 4f1c0a2b".
	By string
	// Until is when what the caller has shown expires; zero for never.
	Until time.Time
}

// Is reports whether bookings of an owner are the caller's own.
func (c Caller) Is(owner string) bool {
	return owner != "" && (owner == c.Owner || slices.Contains(c.Groups, owner))
}

// May reports whether the caller may change bookings of an owner.
func (c Caller) May(owner string) bool {
	return c.Role >= Operator || c.Role >= Booker && c.Is(owner)
}
