package replicated

import (
	"context"

	"github.com/bookahead/bookahead/desk"
)

// Freshness says how fresh a Read is.
type Freshness uint8

const (
	// Linearizable is a state that has all that was answered, by whomever, before the Read began. The leader asks its peers
	// whether it still leads, once for many reads.
	Linearizable Freshness = iota
	// Leading is the state of a member that takes itself for the leader: it may have been replaced for as long as an
	// election takes.
	Leading
	// Local is the state of this member, of whatever age.
	Local
)

// View is a state that was read: a desk of the caller's own, who may try out commands on it.
type View struct {
	*desk.Desk
	// Applied is the index of the last entry in it.
	Applied uint64
}

// Read returns the state. It stops no writer: it costs a Clone of the desk. A member that is not the leader forwards
// nothing for a Linearizable read: it asks the leader for its index, and waits until it is there itself.
func (m *Member) Read(ctx context.Context, f Freshness) (View, error) { panic("not yet") }
