package desk

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead"
)

// Obstacle is something that is in the way of a request: the units that a part wants.
type Obstacle struct {
	// Shape and Part are the indices of the part, and On is the schedule or the broker that the part names.
	Shape, Part int
	On          string
	// Units is how many units, servers or tasks the part wants.
	Units int64
	// Window is the time in which the part may lie, so that its shape lies in Refusal.Window.
	Window bookahead.Interval
	// Bookings hold units of the schedule, or of those of the broker, in Window. If the part names servers
	// or nodes, they hold one of these. They come by the start of their parts there, then by ID. Outages close
	// units there, and come by ID. Of each there are MaxNamed at most, and More says that there are others:
	// InTheWay has all bookings.
	Bookings []BookingID
	Outages  []OutageID
	More     bool
	// Until is the tick at which the part starts if the request has no Deadline and no other shape; of
	// several obstacles that are in the way Together, if it were not for the others. bookahead.MaxTime is never.
	Until bookahead.Time

	kind    string // "unit", "server" or "task"
	servers []int  // to which the part is limited, if it names some
}

// MaxNamed is how many bookings and how many outages an Obstacle has.
const MaxNamed = 8

// name adds the bookings and outages that have units which a part may have.
func (q *inquiry) name(o *Obstacle, p *Part) {
	o.kind, o.servers = q.unitOf(p), p.Servers
	var list []starting
	for _, k := range q.behind(p.On) {
		list = append(list, q.holding(reach{k, o.Window, p.named()})...)
		for _, out := range q.outages {
			if !out.added && out.On == q.schedules[k].name && out.Overlaps(o.Window) && out.closesOneOf(p.named()) {
				o.Outages = append(o.Outages, out.ID)
			}
		}
	}
	slices.SortFunc(list, starting.compare)
	for _, x := range list {
		if !slices.Contains(o.Bookings, x.id) {
			o.Bookings = append(o.Bookings, x.id)
		}
	}
	slices.Sort(o.Outages)
	o.More = len(o.Bookings) > MaxNamed || len(o.Outages) > MaxNamed
	o.Bookings, o.Outages = o.Bookings[:min(len(o.Bookings), MaxNamed)], o.Outages[:min(len(o.Outages), MaxNamed)]
}

// closesOneOf reports whether an outage closes one of some servers or nodes; nil stands for all.
func (o *Outage) closesOneOf(named []int) bool {
	return named == nil || o.Servers == nil || slices.ContainsFunc(o.Servers, func(k int) bool { return slices.Contains(named, k) })
}

// unitOf returns what the units of a part are called. Those of a broker are servers if all of its schedules have servers.
func (b *books) unitOf(p *Part) string {
	if p.Tasks != nil {
		return "task"
	}
	for _, k := range b.behind(p.On) {
		if b.schedules[k].frame().Servers == 0 {
			return "unit"
		}
	}
	return "server"
}

// starting is a booking by the start of a part.
type starting struct {
	start bookahead.Time
	id    BookingID
}

func (x starting) compare(y starting) int {
	return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.id, y.id))
}

// holding returns the first bookings that hold a place within reach, of which one more than MaxNamed are enough.
func (b *books) holding(x reach) (list []starting) {
	seen := map[BookingID]bool{}
	for k := range b.holders(x) {
		if seen[k.ID] {
			continue
		}
		seen[k.ID] = true
		list = append(list, starting{x.start(k), k.ID})
		if len(list) > MaxNamed {
			break
		}
	}
	return list
}

// start returns the start of the first place that a booking holds within reach.
func (x *reach) start(k *Booking) bookahead.Time {
	first := bookahead.MaxTime
	for i := range k.Places {
		p := &k.Places[i]
		if k.on[i] == x.on && p.Overlaps(x.when) && p.holds(x.servers) {
			first = min(first, p.Start)
		}
	}
	return first
}

// String formats the obstacle as `8 units of "gpus" are taken by #3, #7, and free at 14`, in ticks.
func (o Obstacle) String() string {
	return o.text(func(t bookahead.Time) string { return strconv.FormatInt(int64(t), 10) })
}

// Text formats the obstacle as `8 units of "gpus" are taken by #3, #7, and free at 14:00`: in a layout of package time,
// with the times of a clock, in the time zone of its Epoch. A time that is too far from the Epoch stays a tick.
func (o Obstacle) Text(c bookahead.Clock, layout string) string {
	return o.text(func(t bookahead.Time) string {
		wall, err := c.Wall(t)
		if err != nil {
			return fmt.Sprintf("tick %d", t)
		}
		return wall.Format(layout)
	})
}

// text formats the obstacle, with times as at formats them.
func (o *Obstacle) text(at func(bookahead.Time) string) string {
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
