// Package hooks calls webhooks: it posts the events of the desk, in order, to the receivers of the file.
//
//	journal ──► After(number) ──► filter ──► POST, signed ──► 2xx ──► number ──► a note in the log of the desk
//	               ▲                           │                                     │
//	               │                           └─ again, for days                    ▼
//	               └───────────────────── another leader goes on behind the note ────┘
//
// The member that leads calls. It notes in the log of the desk up to which number a receiver has heard, so a receiver hears of each
// event at least once, and after a change of the leader of some events again: it knows them by their number. A receiver hears of
// an event of its filter before it hears of the next one.
//
// A receiver that is new, or for which events are gone, or that has taken nothing for days, gets an event "gone": it has
// not heard of all events up to the number of it, and reads the calendar.
//
// Files:
//
//	hooks.go  who calls, and from where on
//	post.go   one call, signed, and again until it is taken
//	tells.go  which events a hook tells
package hooks
