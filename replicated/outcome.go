package replicated

import (
	"slices"

	"github.com/bookahead/bookahead/desk"
)

// copyOf returns a copy of an answer that shares no memory with the desk or the sessions. Callers may change the
// slices of an answer; if these were shared, that would change the state of this member only.
func copyOf(o desk.Outcome) desk.Outcome {
	o.Booking = copyOfBooking(o.Booking)
	o.Events = copies(o.Events, copyOfEvent)
	o.Batch = copies(o.Batch, copyOf)
	o.Occurrences = slices.Clone(o.Occurrences)
	o.Refused = slices.Clone(o.Refused)
	return o
}

// copies returns a copy of a list, with each element copied by one.
func copies[S ~[]E, E any](list S, one func(E) E) S {
	list = slices.Clone(list)
	for i := range list {
		list[i] = one(list[i])
	}
	return list
}

func copyOfBooking(b desk.Booking) desk.Booking {
	b.Request = b.Request.Clone()
	b.Places = copies(b.Places, copyOfPlace)
	b.Past = copies(b.Past, func(p desk.Piece) desk.Piece {
		p.Place = copyOfPlace(p.Place)
		p.Each, p.HeadTakes = slices.Clone(p.Each), slices.Clone(p.HeadTakes)
		return p
	})
	return b
}

func copyOfPlace(p desk.Place) desk.Place {
	p.Servers, p.Nodes = slices.Clone(p.Servers), slices.Clone(p.Nodes)
	return p
}

func copyOfEvent(e desk.Event) desk.Event {
	e.Before, e.After = copies(e.Before, copyOfPlace), copies(e.After, copyOfPlace)
	return e
}

// weigh returns about how many bytes an answer takes in memory. The weight is the same on each machine, and after a
// snapshot. The error of an answer is not counted: portable bounds it.
func weigh(o *desk.Outcome) uint64 {
	n := 512 + weighBooking(&o.Booking) + 8*uint64(len(o.Occurrences)) + 16*uint64(len(o.Refused))
	for i := range o.Events {
		e := &o.Events[i]
		n += 256 + uint64(len(e.Owner)+len(e.Schedule)+len(e.Quota)) + weighPlaces(e.Before) + weighPlaces(e.After)
	}
	for i := range o.Batch {
		n += weigh(&o.Batch[i])
	}
	return n
}

func weighBooking(b *desk.Booking) uint64 {
	n := uint64(len(b.Key)+len(b.Owner)+len(b.Title)) + weighPlaces(b.Places)
	for _, l := range b.Labels {
		n += 16 + uint64(len(l))
	}
	for _, s := range b.Shapes {
		n += 32
		for i := range s {
			p := &s[i]
			n += 128 + uint64(len(p.On)+8*len(p.Servers))
			if p.Tasks != nil {
				n += 256 + uint64(8*(len(p.Tasks.Each)+len(p.Tasks.Head)+len(p.Tasks.Nodes)+len(p.Tasks.Except)))
				n += uint64(len(p.Tasks.Set) + len(p.Tasks.Within) + len(p.Tasks.Together))
			}
		}
	}
	for i := range b.Past {
		p := &b.Past[i]
		n += 64 + weighPlace(&p.Place) + uint64(8*(len(p.Each)+len(p.HeadTakes)))
	}
	return n
}

func weighPlaces(list []desk.Place) (n uint64) {
	for i := range list {
		n += weighPlace(&list[i])
	}
	return n
}

func weighPlace(p *desk.Place) uint64 {
	return 128 + uint64(len(p.On)+8*len(p.Servers)+16*len(p.Nodes))
}
