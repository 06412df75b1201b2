package grid

import "github.com/bookahead/bookahead"

// Member books a part of a job. It is any bookahead.Schedule, or another type that finds
// and books places in its own way, such as a path through a network, or a Gang on the
// nodes of a machine. It must keep the laws of a Schedule that concern these methods.
type Member interface {
	Search(r bookahead.Request) (bookahead.Offer, error)
	Reserve(r bookahead.Request) (bookahead.Reservation, error)
	Release(id bookahead.ID) error
}

// framer is a Member that has a Frame, as every bookahead.Keeper does.
type framer interface{ Frame() bookahead.Frame }

// framed is a Schedule that has a Frame.
type framed interface {
	bookahead.Schedule
	framer
}

// leaper is a Broker, which knows the first place at any of its providers.
type leaper interface {
	earliest(bookahead.Request) (bookahead.Offer, error)
}

// verify calls the Verify of a schedule, if it has one.
func verify(s bookahead.Schedule) (err error) {
	bookahead.View(s, func(v interface{ Verify() error }) { err = v.Verify() })
	return err
}
