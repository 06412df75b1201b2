package plan

import "math"

// Backfill says which jobs may overtake one that cannot start yet. The zero value is None.
//
//	None          nobody overtakes
//	FirstFit      whoever fits now; a large job may starve
//	EASY(k)       whoever fits now beside the promises to the first k that wait
//	Conservative  whoever fits now beside the promises to all that come before it in turn
type Backfill struct {
	promises int
	overtake bool
}

// None lets nobody overtake: jobs start strictly in turn.
func None() Backfill { return Backfill{} }

// FirstFit lets every job start that fits now, in turn, whoever waits before it. It promises nothing, so a large job may
// starve. Kurowski et al. call it first come, first served with backfilling (§4.4.3).
func FirstFit() Backfill { return Backfill{overtake: true} }

// EASY promises the first k waiting jobs their earliest places, and lets another job start if it fits now beside these
// promises. Below 1, k counts as 1, which is the scheduler of that name (Lifka 1995).
//
//	units  4 ████░░░░▒▒▒▒    █ runs until 4
//	       3 ████░░░░▒▒▒▒    ▒ the place of the first, of 4 units and 4 ticks
//	       2 ████████▒▒▒▒    █ runs until 8
//	       1 ████████▒▒▒▒
//	at 4: a job of 2 units and 4 ticks overtakes; one of 5 ticks would be in the way
//
// A job keeps its promise until it starts, even if others come before it in turn meanwhile. So more than k jobs may have one. One
// that has no place, since it asks for more than there is or was postponed for ever, counts as one of the first nevertheless:
// withdraw it, or the next ones have no promise.
func EASY(k int) Backfill { return Backfill{max(1, k), true} }

// Conservative promises every job its earliest place, in turn, so that no job delays one that came before it. When
// capacity is given back, jobs move to earlier places, one after the other in turn, until none can move with the others where
// they are (Mu'alem and Feitelson, IEEE TPDS 12, 2001, go through the queue once).
func Conservative() Backfill { return Backfill{math.MaxInt, true} }
