// Package quota finds the first start at which a booking breaks no quota. It knows no desk. It has the use
// that a quota counts so far, as a step function over time, and the parts of a booking that count too.
//
//	steps.go     the use so far, a step function
//	node.go      its edges, in a B+ tree that shares its nodes with its clones
//	look.go      values, areas and stretches of it
//	wide.go      its sums, which are exact however large
//	bounds.go    the limits of a quota
//	claim.go     the parts, and the first start for all bounds
//	units.go     the bound on units at once
//	periods.go   the bound in each of some periods
//	window.go    the bound in any window of a length
//	worse.go     whether a change of the use breaks a bound, or breaks it further
//	over.go      where the use exceeds a bound
//	breach.go    the bound that a claim breaks, for a caller who asks why
//	ration.go    the most that work of any form may take, from the left
//
// # Windows
//
// A booking that starts at s uses A(w - s) unit-ticks in the window [w, w+W). Other bookings use
// V(w) there. No window that the booking uses may have V(w) + A(w - s) > Ticks. Both functions
// consist of straight pieces:
//
//	V bends at w      where a window begins or ends at an edge of the use
//	A bends at w - s  where a window begins or ends at an edge of a part
//
//	         V(w)  ____                  A(w-s)      ____
//	            __/    \___                         /    \
//	        ___/           \____            _______/      \______
//
// So for a given s the sum is greatest at one of the bends: at a fixed w, or at w = s + x for a
// fixed x. Each bend forbids starts of its own: those s with A(w - s) > Ticks - V(w), or those
// with V(s + x) > Ticks - A(x). The starts that a bend forbids form intervals. A search that
// meets such an interval leaps to its end, and is done when it meets none. Only bends within
// reach of s are looked at.
//
// Most starts break nothing, and a search need not look at bends to find that out. No window
// within a stretch of the use has more area than the stretch. So windows are passed together as
// long as the stretch around them leaves enough for the whole booking:
//
//	use            ▒▒▒▒   ▒▒    ▒▒▒▒▒▒     ▒▒
//	stretch    ├──────────────────────────┤        has no more than Ticks less the whole booking
//	windows    ├───────────┤
//	                          to ├────────┤        break no bound
//
// A stretch takes two ways down the tree, however many bends it has. Where a stretch ends soon,
// because the first window alone has nearly as much, the search looks at the next 32 bends
// instead: a window slides from bend to bend, mostly within one leaf at each end.
//
// A window that a booking does not use is not checked, although it may exceed the bound: other
// bookings were made before the bound was set. So a straight piece of A that rises from 0 counts
// from its first tick, which is a bend too.
//
// A period is a window that stands still, so that only V(w) at its start counts. Equal periods, without a bend
// between them, are looked at once.
//
// # Costs
//
// No loop counts ticks, periods or windows: each turn passes a change of the use within reach, an end of a part, or a
// listed period. So a search takes as many looks at 2^61 ticks as at 2^20 (TestLooksDoNotDependOnTicks):
//
//	use       ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒    2^61 ticks: two edges
//	windows   ├─┤               ├─┤     of 20 ticks, looked at where one bends: at 4 places
//	periods   │ │ │ │ │ │ │ │ │ │ │     of 5 ticks: one run of equal ones, and the period at each edge
//
// Bounds of one quota agree after as many calls of Next as there are leaps of units, windows and listed periods,
// because the periods of Every pass all starts that they refuse in one call. Quotas with periods of different
// lengths may agree late or never. Therefore a meter counts the looks. A look is a way down the tree, a step to the next
// edge or bend, or eight parts of a claim.
package quota
