package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// MaxKinds is how many kinds of tasks a request may have.
const MaxKinds = 8

// Request asks for tasks of several kinds that start together and run side by side for the same time.
type Request struct {
	// Ready, Deadline and Duration mean the same as in bookahead.Request.
	Ready    bookahead.Time
	Deadline bookahead.Time
	Duration bookahead.Duration
	// Kinds are the tasks of each kind, and the nodes on which they may lie: 1 to MaxKinds kinds. Their Ready, Deadline
	// and Duration must be 0, because the request has them. They have no Head, because a head is a kind of its own, and
	// neither Together nor Patience. Kinds may share a node, unless one of the two is Exclusive.
	Kinds []nodes.Request
	// Within names a level, and all tasks of all kinds lie in one group of this level. "" allows any nodes.
	Within string
}

// Validate returns an error that wraps bookahead.ErrInvalid if the request is invalid for any machine: its times are, or a kind
// is, or the number of kinds. O(n) for the n nodes that the kinds name.
func (r Request) Validate() error {
	err := r.times().Validate()
	if err != nil {
		return err
	}
	if len(r.Kinds) < 1 || len(r.Kinds) > MaxKinds {
		return limits.Invalid("Request.Kinds", len(r.Kinds), fmt.Sprintf("is not in 1 to %d", MaxKinds))
	}
	for i := range r.Kinds {
		err := r.checkKind(i)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkKind checks that a kind has nothing that the request has, and that it makes sense.
func (r *Request) checkKind(i int) error {
	k := &r.Kinds[i]
	field := func(name string) string { return fmt.Sprintf("Request.Kinds[%d].%s", i, name) }
	switch {
	case k.Ready != 0:
		return limits.Invalid(field("Ready"), k.Ready, "is not 0: the request has it")
	case k.Deadline != 0:
		return limits.Invalid(field("Deadline"), k.Deadline, "is not 0: the request has it")
	case k.Duration != 0:
		return limits.Invalid(field("Duration"), k.Duration, "is not 0: the request has it")
	case k.Head != nil:
		return limits.Invalid(field("Head"), k.Head, "is not nil: a head is a kind of its own")
	case k.Together != "":
		return limits.Invalid(field("Together"), k.Together, "is set: kinds lie wherever all of them have room")
	case k.Patience != 0:
		return limits.Invalid(field("Patience"), k.Patience, "is not 0: all kinds start as early as they can")
	}
	return r.about(i, r.kind(i, r.Ready, r.Deadline).Validate())
}

// about says of which kind an error is.
func (r *Request) about(i int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("kinds: Request.Kinds[%d]: %w", i, err)
}

// times returns a request for one unit at the same times.
func (r *Request) times() bookahead.Request {
	return bookahead.Request{Ready: r.Ready, Deadline: r.Deadline, Duration: r.Duration, Units: 1}
}

// kind returns the request for a kind alone at some times.
func (r *Request) kind(i int, ready, deadline bookahead.Time) nodes.Request {
	k := r.Kinds[i]
	k.Ready, k.Deadline, k.Duration = ready, deadline, r.Duration
	return k
}

// Offer is a place for all kinds.
type Offer struct {
	bookahead.Interval
	// Tasks are the numbers of tasks on nodes of each kind, by node. The slices are the caller's.
	Tasks [][]nodes.Share
	// Bound is a start before which there is surely no place. If it equals Start, no start is earlier.
	Bound bookahead.Time
}

// Proven reports whether no start is earlier.
func (o Offer) Proven() bool { return o.Bound == o.Start }

// String formats the offer as "[2, 5) 2 on 0, 1 on 3; 4 on 3", and says how early the start might be if it is not proven.
func (o Offer) String() string {
	var b strings.Builder
	fmt.Fprint(&b, o.Interval)
	for i, shares := range o.Tasks {
		if i > 0 {
			b.WriteByte(';')
		}
		for j, s := range shares {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %d on %d", s.Tasks, s.Node)
		}
	}
	if !o.Proven() {
		fmt.Fprintf(&b, ", not before %d", o.Bound)
	}
	return b.String()
}

// Reservation is an offer that has been booked, as a reservation of the machine for each kind.
type Reservation struct {
	Offer
	// IDs are those of the reservations, by kind. The slice is the caller's.
	IDs []bookahead.ID
}

// String formats the reservation as "#7 #8 [2, 5) 2 on 0; 4 on 3".
func (r Reservation) String() string {
	var b strings.Builder
	for _, id := range r.IDs {
		fmt.Fprintf(&b, "#%d ", id)
	}
	return b.String() + r.Offer.String()
}

// known reports whether "" or one of some levels has a name.
func known(levels []nodes.Level, name string) bool {
	return name == "" || slices.ContainsFunc(levels, func(l nodes.Level) bool { return l.Name == name })
}

// finer returns the first of two names in a list of levels from fine to coarse, without regard to "".
func finer(levels []nodes.Level, a, b string) string {
	at := func(name string) int {
		i := slices.IndexFunc(levels, func(l nodes.Level) bool { return l.Name == name })
		if i < 0 {
			return len(levels)
		}
		return i
	}
	if a == "" || b != "" && at(b) < at(a) {
		return b
	}
	return a
}
