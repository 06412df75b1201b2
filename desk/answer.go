package desk

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead"
)

// Outage is units, servers or nodes of a schedule that are closed for a time, or that Extend has added for a time.
// Its slices belong to the desk, and must not be changed.
type Outage struct {
	ID OutageID
	// Close has the closed units, and the time: from the clock on if the command began in the past. For an
	// extension it has the added units, or the indices of the added servers or nodes.
	Close
	closure bookahead.ClosureID // the closure on the schedule
	added   bool                // an extension
}

// Added reports whether the outage is an extension, which an Extend has made.
func (o *Outage) Added() bool { return o.added }

// String formats the outage as `outage 3 of "gpus" [2, 5)`.
func (o Outage) String() string {
	kind := "outage"
	if o.added {
		kind = "extension"
	}
	return fmt.Sprintf("%s %d of %q %v", kind, o.ID, o.On, o.Interval)
}

// Listing describes a schedule of a desk.
type Listing struct {
	Name string
	// Kind is the Kind of the AddSchedule; a Nodes has also the nodes that Extend has added. Its slices belong to
	// the desk, and must not be changed.
	Kind Kind
	// Frame is the present limits of the schedule. A broker has the largest limits of its schedules.
	Frame bookahead.Frame
	// Terms are those of the last SetTerms; a broker has the zero Terms. Their slices belong to the desk, and must
	// not be changed.
	Terms Terms
}

// Filter says which bookings a caller asks for. A zero field sets no condition.
type Filter struct {
	// Window asks for bookings that have, or had, a place at some tick of it. Places and Past count, without their
	// buffers. A booking that was given up before it began has no place any more, nor has a displaced one.
	Window bookahead.Interval
	// On asks for bookings with a place on a schedule, or on one of the schedules of a broker. With a Window, the
	// place lies in both. No booking lies on an unknown name.
	On string
	// Owner and Label ask for bookings with this owner, and with this label.
	Owner, Label string
	// States asks for bookings in one of these states.
	States []State
	// Series asks for the bookings of a series.
	Series SeriesID
}

// Use is how much of a schedule an owner uses.
type Use struct {
	Owner string
	// Ticks are unit-ticks, which are units times ticks: one number, and on nodes one for each resource, in the
	// order of Nodes.Resources. They are exact, even beyond 64 bits, and belong to the caller.
	Ticks []*big.Int
}

// Excess is a stretch in which more is booked than a quota allows: the bookings were made before the quota was set, or
// their labels were others then. For a number beyond an int64 stands the greatest int64.
type Excess struct {
	// Quota names the quota, and Owner the owner of the use if the quota is for Each; otherwise Owner is "".
	Quota, Owner string
	// Interval is the stretch: of units at once, of one period or several that are alike, or of windows that
	// overlap.
	bookahead.Interval
	// Length is the length of each period or window; 0 for units at once.
	Length bookahead.Duration
	// Use is the most units at once, or the unit-ticks in one period or window, and Bound is the bound of the quota.
	Use, Bound int64
	// Waiting says that Use and Bound are numbers of waiting bookings. Interval is empty then, at the clock.
	Waiting bool
}

// Refusal says why a request has no place, or only a late one.
type Refusal struct {
	// Window is the time in which the request has no place: from its Ready, or from the clock if that is later, to
	// its Deadline. If the request has a place, but a late one, Window ends where the place would end if nothing
	// were in the way. An End of bookahead.MaxTime stands for no deadline.
	Window bookahead.Interval
	// Obstacles are in the way. Unless Together is true, each is in the way alone: without this obstacle, but with
	// all others, the request would have a place in Window. They come by shape: the units of its parts, then the
	// rules of Terms by part, then the quotas by name.
	Obstacles []Obstacle
	// Together says that no obstacle is in the way alone. Without all of Obstacles the request would have a place
	// in Window, and with any one of them it would have none.
	Together bool
	// Next is the place of the request without its Deadline, from its start to its end; empty if there is none.
	Next bookahead.Interval
	// Waiting are the quotas, by name, that do not even let the request wait: as many bookings wait as the quota
	// allows. Bookings are those bookings, by their turns, and Until is when one more may wait if no place is
	// granted before. A quota of None has the Bound 0. Waiting is empty if the request has a place.
	Waiting []Obstacle
}

// MaxNamed is how many bookings and how many outages an Obstacle has.
const MaxNamed = 8

// Obstacle is one thing in the way of a request: the units that a part wants, a rule of the Terms of a schedule, or a
// quota.
type Obstacle struct {
	// Shape and Part are the indices of the part: for a rule or a quota the first part of the shape that it may
	// bind.
	Shape, Part int
	// On is the schedule or the broker that the part names. For a rule it is the schedule that has the Terms, and
	// for a quota "".
	On string
	// Rule names the field of Terms that is in the way: Open, Longest, Notice, Ahead, Before, After, or Owners,
	// which stands for Labels too. Otherwise it is "".
	Rule string
	// Quota names the quota that is in the way; otherwise it is "". Obstacle.String names the bound of the quota; in
	// Refusal.Waiting that bound is a number of waiting bookings.
	Quota string
	// Units is how many units, servers or tasks the part wants. For a quota it is how much of the Bound the request
	// would use in Window, and for a rule 0.
	Units int64
	// Bound is the number of ticks of a rule that has one, or the Units or Ticks of a quota. Use is how much of the
	// quota is in use in Window without the request: the most units at once if Length is 0, and otherwise the
	// unit-ticks of a period or window of that Length. For a number beyond an int64 stands the greatest int64.
	Bound, Use int64
	Length     bookahead.Duration
	// Window is the time in which the part may lie while its shape lies in Refusal.Window; for units it includes the
	// buffers around the part. For a quota it is a time in which the place without the quota would break the quota:
	// units at once come before a period, and of windows the one with the most use is taken.
	Window bookahead.Interval
	// Bookings hold units of the schedule, or of the schedules of the broker, in Window, also by their buffers. If
	// the part names servers or nodes, they hold one of these. For a quota they are the bookings whose parts the
	// quota counts in Window, unless the parts are over. They come by the start of these parts, then by ID. Outages
	// close units there, and come by ID. Each list has at most MaxNamed, and More says that there are others:
	// InTheWay has all bookings that hold units. A rule has neither.
	Bookings []BookingID
	Outages  []OutageID
	More     bool
	// Until is the tick at which the part would start if the request had no Deadline and no other shape; of several
	// obstacles that are in the way Together, if the others were left out as well. bookahead.MaxTime means never,
	// as the clock stands: a part that is too far Ahead can be booked later.
	Until bookahead.Time

	kind    string // "unit", "server" or "task"; kindBooking for bookings that wait
	servers []int  // the servers that the part names, if any
	owner   string // who may not book
}

// kindBooking is the kind of an obstacle that bounds how many bookings wait.
const kindBooking = "booking"

// The rules of Terms in an Obstacle, by the names of their fields. Labels belong to Owners.
const (
	ruleOpen    = "Open"
	ruleLongest = "Longest"
	ruleNotice  = "Notice"
	ruleAhead   = "Ahead"
	ruleBefore  = "Before"
	ruleAfter   = "After"
	ruleOwners  = "Owners"
)

// String formats the obstacle in ticks: as `8 units of "gpus" are taken by #3, #7, and free at 14`, `"lab" is closed, and
// free at 8`, or `quota "gold" has 62 of 100 unit-ticks in use by #3, and room for 40 at 14`.
func (o Obstacle) String() string {
	return o.text(func(t bookahead.Time) string { return strconv.FormatInt(int64(t), 10) }, ticksText)
}

// ticksText formats a number of ticks.
func ticksText(n int64) string {
	if n == 1 {
		return "1 tick"
	}
	return strconv.FormatInt(n, 10) + " ticks"
}

// Text formats the obstacle as `8 units of "gpus" are taken by #3, #7, and free at 14:00`: with the times of a clock, in a
// layout of package time and the time zone of the clock's Epoch, and with lengths of time as "4h" or "1h30m". A time that is too far
// from the Epoch stays a tick.
func (o Obstacle) Text(c bookahead.Clock, layout string) string {
	return o.text(func(t bookahead.Time) string {
		wall, err := c.Wall(t)
		if err != nil {
			return fmt.Sprintf("tick %d", t)
		}
		return wall.Format(layout)
	}, func(n int64) string {
		end, err := c.Wall(bookahead.Time(n))
		if err != nil {
			return ticksText(n)
		}
		s := end.Sub(c.Epoch).String()
		for _, zero := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(s, zero) {
				s = s[:len(s)-2]
			}
		}
		return s
	})
}

// text formats the obstacle; at formats its times, and lasts its lengths of time.
func (o *Obstacle) text(at func(bookahead.Time) string, lasts func(ticks int64) string) string {
	switch {
	case o.Quota != "":
		return o.quotaText(at)
	case o.Rule != "":
		return o.ruleText(at, lasts(o.Bound))
	}
	s, are := fmt.Sprintf("%d %ss", o.Units, o.kind), "are"
	if o.Units == 1 {
		s, are = "1 "+o.kind, "is"
	}
	if o.servers != nil {
		s = fmt.Sprintf("%d of the servers %v", o.Units, o.servers)
	}
	s = fmt.Sprintf("%s of %q %s ", s, o.On, are)
	if o.Until == bookahead.MaxTime {
		return s + "never free"
	}
	var why []string
	if len(o.Bookings) > 0 {
		why = append(why, "taken by "+listed("#", o.Bookings, o.More))
	}
	if len(o.Outages) > 0 {
		why = append(why, "closed by outage "+listed("", o.Outages, o.More))
	}
	if why == nil {
		why = []string{"not free"}
	}
	return s + strings.Join(why, " or ") + ", and free at " + at(o.Until)
}

// ruleText formats a rule of terms. A rule that does not depend on the time is mostly in the way for ever, so its text
// does not say "never".
func (o *Obstacle) ruleText(at func(bookahead.Time) string, length string) string {
	s, free := fmt.Sprintf("%q ", o.On), ""
	if o.Until != bookahead.MaxTime {
		free = ", and free at " + at(o.Until)
	}
	switch o.Rule {
	case ruleOpen:
		if free == "" {
			free = ", and never open for so long"
		}
		return s + "is closed" + free
	case ruleLongest:
		return s + "is booked for " + length + " at the longest" + free
	case ruleNotice:
		return s + "is booked " + length + " ahead at the latest" + free
	case ruleAhead:
		return s + "is booked " + length + " ahead at the earliest" + free
	case ruleBefore:
		return s + "is set up for " + length + " before" + free
	case ruleAfter:
		return s + "is cleaned for " + length + " after" + free
	}
	return s + fmt.Sprintf("is not for %q", o.owner) + free
}

// quotaText formats a quota.
func (o *Obstacle) quotaText(at func(bookahead.Time) string) string {
	if o.Bound == 0 {
		return fmt.Sprintf("quota %q allows nothing", o.Quota)
	}
	if o.kind == kindBooking {
		s := fmt.Sprintf("quota %q lets %d wait, and %d do: %s", o.Quota, o.Bound, o.Use, listed("#", o.Bookings, o.More))
		return s + ", and another may at " + at(o.Until)
	}
	unit := "unit-ticks"
	if o.Length == 0 {
		unit = "units"
	}
	s := fmt.Sprintf("quota %q has %d of %d %s in use", o.Quota, o.Use, o.Bound, unit)
	if len(o.Bookings) > 0 {
		s += " by " + listed("#", o.Bookings, o.More)
	}
	if o.Until == bookahead.MaxTime {
		return s + fmt.Sprintf(", and never room for %d", o.Units)
	}
	return s + fmt.Sprintf(", and room for %d at %s", o.Units, at(o.Until))
}

// listed formats numbers as "#3, #7", and says that there are others.
func listed[ID BookingID | OutageID](sign string, list []ID, more bool) string {
	var texts []string
	for _, id := range list {
		texts = append(texts, fmt.Sprintf("%s%d", sign, id))
	}
	s := strings.Join(texts, ", ")
	if more && len(list) == MaxNamed {
		s += " and others"
	}
	return s
}

// Vary says how an alternative may differ from a wish. The schedule, the units and the duration of the wish itself are
// always allowed, too.
type Vary struct {
	// On names other schedules, the best first. They come behind the schedule of the part.
	On []string
	// Units are fewer units, and Durations shorter durations, in any order: more units and longer durations are
	// better. Down makes such a list. For a volume, Units are fewer units at once than its Most: fewer are better then, and it is
	// done later. Of tasks in bundles, Units are whole bundles.
	Units     []int64
	Durations []bookahead.Duration
	// Until is the tick by which an alternative ends; 0 for none. It replaces Request.Deadline.
	Until bookahead.Time
	// Keep orders the criteria: the first is given up last. Criteria that are left out follow in the order of
	// their declaration. nil keeps the units for longest, then the duration, then the schedule.
	Keep []Criterion
}

// Criterion is a property of a wish that an alternative may give up.
type Criterion uint8

const (
	// KeepUnits is for the number of units.
	KeepUnits Criterion = 1 + iota
	// KeepDuration is for the duration.
	KeepDuration
	// KeepOn is for the schedule.
	KeepOn
)

// MaxCombinations is how many combinations of a schedule, units and a duration Alternatives looks at.
const MaxCombinations = 1 << 12

// Down returns the values from - step, from - 2 step, and so on, that are at least least: Down(8, 2, 2) is 6, 4, 2. It
// stops after MaxCombinations values, since Alternatives takes no more. A step below 1 gives none.
func Down[T ~int64](from, least, step T) (list []T) {
	if step < 1 {
		return nil
	}
	for from >= least && uint64(from)-uint64(least) >= uint64(step) && len(list) < MaxCombinations {
		from -= step
		list = append(list, from)
	}
	return list
}
