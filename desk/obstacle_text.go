package desk

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead"
)

// String formats the obstacle in ticks: as `8 units of "gpus" are taken by #3, #7, and free at 14`, `"lab" is closed, and
// free at 8`, or `quota "gold" has 62 of 100 unit-ticks in use by #3, and room for 40 at 14`.
func (o Obstacle) String() string {
	return o.text(func(t bookahead.Time) string { return strconv.FormatInt(int64(t), 10) })
}

// Text formats the obstacle as `8 units of "gpus" are taken by #3, #7, and free at 14:00`: with the times of a clock, in a
// layout of package time and the time zone of the clock's Epoch. A time that is too far from the Epoch stays a tick.
func (o Obstacle) Text(c bookahead.Clock, layout string) string {
	return o.text(func(t bookahead.Time) string {
		wall, err := c.Wall(t)
		if err != nil {
			return fmt.Sprintf("tick %d", t)
		}
		return wall.Format(layout)
	})
}

// text formats the obstacle; at formats its times.
func (o *Obstacle) text(at func(bookahead.Time) string) string {
	switch {
	case o.Quota != "":
		return o.quotaText(at)
	case o.Rule != "":
		return o.ruleText(at)
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
func (o *Obstacle) ruleText(at func(bookahead.Time) string) string {
	s, free := fmt.Sprintf("%q ", o.On), ""
	if o.Until != bookahead.MaxTime {
		free = ", and free at " + at(o.Until)
	}
	ticks := strconv.FormatInt(o.Bound, 10) + " ticks"
	if o.Bound == 1 {
		ticks = "1 tick"
	}
	switch o.Rule {
	case ruleOpen:
		if free == "" {
			free = ", and never open for so long"
		}
		return s + "is closed" + free
	case ruleLongest:
		return s + "is booked for " + ticks + " at the longest" + free
	case ruleNotice:
		return s + "is booked " + ticks + " ahead at the latest" + free
	case ruleAhead:
		return s + "is booked " + ticks + " ahead at the earliest" + free
	case ruleBefore:
		return s + "is set up for " + ticks + " before" + free
	case ruleAfter:
		return s + "is cleaned for " + ticks + " after" + free
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
