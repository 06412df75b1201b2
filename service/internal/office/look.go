package office

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

// Look is the desk at one time, as a caller may see it. It is a copy: what others do later does not change it.
type Look struct {
	clock
	office    *Office
	caller    who.Caller
	desk      *desk.Desk
	schedules []desk.Listing
	effort    bookahead.Effort
}

// Desk returns the copy. It belongs to the look, and shows everything, whoever the caller is.
func (l *Look) Desk() *desk.Desk { return l.desk }

// Now returns the time of the desk.
func (l *Look) Now() time.Time { return l.wall(l.desk.Now()) }

// Schedules returns what can be booked, in the order of the file.
func (l *Look) Schedules() []api.Schedule {
	list := make([]api.Schedule, 0, len(l.schedules))
	for i := range l.schedules {
		list = append(list, l.scheduleOf(&l.schedules[i]))
	}
	return list
}

// Schedule returns a schedule by its name.
func (l *Look) Schedule(name string) (api.Schedule, error) {
	s := l.schedule(name)
	if s == nil {
		return api.Schedule{}, missing("schedule %q", name)
	}
	return l.scheduleOf(s), nil
}

func (l *Look) scheduleOf(s *desk.Listing) api.Schedule {
	v := api.Schedule{Name: s.Name, Terms: api.Terms{
		Longest: l.lasts(s.Terms.Longest), Notice: l.lasts(s.Terms.Notice), Ahead: l.lasts(s.Terms.Ahead),
		Before: l.lasts(s.Terms.Before), After: l.lasts(s.Terms.After), Owners: s.Terms.Owners, Labels: s.Terms.Labels,
	}}
	if s.Frame.Horizon < bookahead.MaxTime {
		v.Until = l.at(s.Frame.Horizon)
	}
	file := l.office.Config.Find(s.Name)
	if file != nil {
		v.Unit, v.Terms.Open = file.Unit, file.Open
	}
	switch k := s.Kind.(type) {
	case desk.Pool:
		v.Kind, v.Units = "pool", k.Units
	case desk.Servers:
		v.Kind, v.Units = "servers", k.Count
	case desk.Nodes:
		v.Kind, v.Units, v.Resources = "nodes", int64(len(k.Nodes)), k.Resources
		for _, level := range k.Levels {
			v.Levels = append(v.Levels, level.Name)
		}
	case desk.Broker:
		v.Kind, v.Of = "broker", k.Of
	}
	return v
}

// Free returns the units of a pool, or the servers, that are free in a window, step by step; of nodes how much of
// their first resource is.
func (l *Look) Free(name string, from, until time.Time) ([]api.Step, error) {
	w, err := l.window(from, until)
	if err != nil {
		return nil, err
	}
	s := l.schedule(name)
	if s == nil {
		return nil, missing("schedule %q", name)
	}
	steps, err := l.free(s, w)
	if err != nil {
		return nil, problemOf(err)
	}
	list := []api.Step{}
	for step := range steps {
		if len(list) == maxSteps {
			return nil, invalid("until", "the free units change more than %d times in the window: ask for less", maxSteps)
		}
		list = append(list, api.Step{Start: l.wall(step.Start), End: l.wall(step.End), Free: step.Free})
	}
	return list, nil
}

const maxSteps = 10_000

func (l *Look) free(s *desk.Listing, w bookahead.Interval) (iter.Seq[bookahead.Step], error) {
	switch s.Kind.(type) {
	case desk.Broker:
		return nil, invalid("schedule", "%q is a broker: ask for its schedules", s.Name)
	case desk.Nodes:
		machine, err := l.desk.Machine(s.Name, w)
		if err != nil {
			return nil, err
		}
		return firstResource(machine, w), nil
	}
	keeper, err := l.desk.Schedule(s.Name, w)
	if err != nil {
		return nil, err
	}
	steps, ok := bookahead.Steps(keeper, w)
	if !ok {
		return nil, invalid("schedule", "%q does not tell its free units", s.Name)
	}
	return steps, nil
}

// firstResource yields how much of the first resource is free on all nodes together.
func firstResource(m *nodes.Machine, w bookahead.Interval) iter.Seq[bookahead.Step] {
	changes := map[bookahead.Time]int64{}
	for k := range m.Config().Nodes {
		for at, free := range m.Free(k, w) {
			changes[at.Start] += free[0]
			changes[at.End] -= free[0]
		}
	}
	times := slices.Sorted(maps.Keys(changes))
	return func(yield func(bookahead.Step) bool) {
		step := bookahead.Step{}
		for i, at := range times {
			next := step.Free + changes[at]
			if i > 0 && (next != step.Free || i+1 == len(times)) {
				step.End = at
				if !step.Empty() && !yield(step) {
					return
				}
				step.Start = at
			}
			if i == 0 {
				step.Start = at
			}
			step.Free = next
		}
	}
}

// Filter says which bookings are asked for.
type Filter = api.Filter

// filter makes a filter of the desk.
func (l *Look) filter(f *Filter) (asked desk.Filter, err error) {
	asked = desk.Filter{On: f.Schedule, Owner: f.Owner, Label: f.Label, Series: desk.SeriesID(f.Series)}
	if !f.From.IsZero() || !f.Until.IsZero() {
		asked.Window, err = l.window(cmp.Or(f.From, l.Epoch), cmp.Or(f.Until, time.Date(2200, time.January, 1, 0, 0, 0, 0, time.UTC)))
		if err != nil {
			return asked, err
		}
	}
	if f.Schedule != "" && l.schedule(f.Schedule) == nil {
		return asked, missing("schedule %q", f.Schedule)
	}
	for i, name := range f.States {
		s, ok := stateOf(name)
		if !ok {
			return asked, invalid(fmt.Sprintf("state[%d]", i), "%q is no state", name)
		}
		asked.States = append(asked.States, s)
	}
	return asked, nil
}

// Bookings returns a page of bookings, by start, then by number.
func (l *Look) Bookings(f Filter) (page api.Page[api.Booking], err error) {
	page.Items = []api.Booking{}
	asked, err := l.filter(&f)
	if err != nil {
		return page, err
	}
	after, err := readCursor(f.Cursor)
	if err != nil {
		return page, err
	}
	if f.Limit < 1 {
		f.Limit = 100
	}
	for b, err := range l.desk.Bookings(asked, l.effort) {
		if err != nil {
			return page, problemOf(err)
		}
		at := cursor{b.Start, b.ID}
		if !at.behind(after) || f.Label != "" && !l.seesTitles(b.Owner) {
			continue
		}
		if len(page.Items) == f.Limit {
			page.Next = after.text()
			break
		}
		after = at
		page.Items = append(page.Items, l.booking(&b))
	}
	return page, nil
}

// cursor is the place of a booking in a list.
type cursor struct {
	start bookahead.Time
	id    desk.BookingID
}

func (c cursor) behind(o cursor) bool {
	return o.id == 0 || c.start > o.start || c.start == o.start && c.id > o.id
}

func (c cursor) text() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", c.start, c.id))
}

func readCursor(text string) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	start, id, ok := strings.Cut(string(data), ".")
	s, wrong := strconv.ParseInt(start, 10, 64)
	n, bad := strconv.ParseUint(id, 10, 64)
	if err != nil || !ok || wrong != nil || bad != nil || n == 0 {
		return c, invalid("cursor", "is not the next of another page")
	}
	return cursor{bookahead.Time(s), desk.BookingID(n)}, nil
}

var states = []desk.State{desk.Held, desk.Booked, desk.Running, desk.Ended, desk.Cancelled, desk.Expired, desk.Displaced, desk.Waiting}

func stateOf(name string) (desk.State, bool) {
	i := slices.IndexFunc(states, func(s desk.State) bool { return s.String() == name })
	if i < 0 {
		return 0, false
	}
	return states[i], true
}

// Booking returns a booking by its number, with its wish for a caller who may change it.
func (l *Look) Booking(id uint64) (api.Booking, error) {
	b, err := l.desk.Booking(desk.BookingID(id))
	if err != nil {
		return api.Booking{}, missing("booking %d, or it is forgotten", id)
	}
	v := l.booking(&b)
	if v.Mine {
		v.Wish = l.asked(&b)
	}
	return v, nil
}

// booking returns a booking as the caller may see it.
func (l *Look) booking(seen *desk.Booking) api.Booking {
	b := l.hiding(seen)
	v := api.Booking{
		ID: uint64(b.ID), Owner: b.Owner, Title: clean(b.Title), Labels: cleanAll(b.Labels), Priority: b.Priority, State: b.State.String(), Series: uint64(b.Series),
		Ready: l.at(b.Ready), Deadline: l.at(b.Deadline), Mine: l.caller.May(b.Owner), Places: []api.Place{}, ETag: etag(b),
	}
	if b.Expiry != 0 {
		v.Expires = l.at(b.Expiry)
	}
	if b.State != desk.Waiting && len(b.Places) > 0 {
		start, end := l.wall(b.Start), l.wall(b.End)
		v.Start, v.End = &start, &end
	}
	for i := range b.Places {
		v.Places = append(v.Places, l.place(&b.Places[i]))
	}
	for i := range b.Past {
		v.Past = append(v.Past, l.place(&b.Past[i].Place))
	}
	return v
}

// hiding returns a booking without what the caller may not see. Its sum is another then, and confirms no guess of a title.
func (l *Look) hiding(b *desk.Booking) *desk.Booking {
	if l.seesTitles(b.Owner) {
		return b
	}
	hidden := *b
	hidden.Title, hidden.Labels = "", nil
	return &hidden
}

// seesTitles reports whether the caller may see the titles of an owner.
func (l *Look) seesTitles(owner string) bool {
	return l.office.Config.Titles == "all" || l.caller.Role >= who.Operator || l.caller.Is(owner)
}

// etag returns the tag of a booking as it is now.
func etag(b *desk.Booking) string { return fmt.Sprintf("%d-%016x", b.ID, b.Sum()) }

// Matches reports whether a header If-Match or If-None-Match has a tag: it is a list of tags, or "*". A proxy that compresses answers
// makes their tags weak, W/"...": these count too, since bookings with the same tag are the same.
func Matches(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		one := strings.Trim(strings.TrimPrefix(strings.TrimSpace(part), "W/"), `"`)
		if one == "*" || one == tag {
			return true
		}
	}
	return false
}

func (l *Look) place(p *desk.Place) api.Place {
	v := api.Place{Schedule: p.On, Start: l.wall(p.Start), End: l.wall(p.End), Units: p.Units, Servers: p.Servers, Before: l.lasts(p.Before), After: l.lasts(p.After)}
	for _, n := range p.Nodes {
		v.Nodes = append(v.Nodes, api.NodeUse{Node: n.Node, Tasks: n.Tasks})
	}
	return v
}

// Outages returns what is closed, or was added, and is not over; of all schedules for "".
func (l *Look) Outages(schedule string) []api.Outage {
	list := []api.Outage{}
	for _, o := range l.desk.Outages(schedule) {
		list = append(list, l.outage(&o))
	}
	return list
}

func (l *Look) outage(o *desk.Outage) api.Outage {
	v := api.Outage{ID: uint64(o.ID), Schedule: o.On, Start: l.wall(o.Start), Units: o.Units, Servers: o.Servers, Title: clean(o.Title), Added: o.Added()}
	if o.End < bookahead.MaxTime {
		end := l.wall(o.End)
		v.End = &end
	}
	return v
}

// Quotas returns the quotas, and how much the caller uses of each in a window.
func (l *Look) Quotas(from, until time.Time) ([]api.Quota, error) {
	w, err := l.window(from, until)
	if err != nil {
		return nil, err
	}
	list := []api.Quota{}
	for _, q := range l.desk.Quotas() {
		most, ticks, err := l.desk.QuotaUse(q.Name, l.caller.Owner, w)
		if err != nil {
			return nil, problemOf(err)
		}
		list = append(list, api.Quota{
			Name: q.Name, Owners: q.Owners, Each: q.Each, On: q.On, Label: q.Label, Resource: q.Resource, Text: l.quotaText(&q.Quota), Units: q.Units,
			Amount: l.seconds(q.Ticks), Used: most, UsedAmount: l.seconds(ticks),
		})
	}
	return list, nil
}

// seconds returns unit-ticks as units times seconds.
func (l *Look) seconds(ticks int64) int64 {
	tick := int64(l.Tick.Seconds())
	if ticks > (1<<63-1)/tick {
		return 1<<63 - 1
	}
	return ticks * tick
}

// quotaText says what a quota bounds.
func (l *Look) quotaText(q *desk.Quota) string {
	var list []string
	if q.None {
		list = append(list, "nothing at all")
	}
	if q.Units > 0 {
		list = append(list, fmt.Sprintf("%d at once", q.Units))
	}
	if q.Ticks > 0 {
		hours := float64(l.seconds(q.Ticks)) / 3600
		period := "in each period"
		switch {
		case q.Every > 0:
			period = "every " + string(l.lasts(q.Every))
		case q.Window > 0:
			period = "in any " + string(l.lasts(q.Window))
		}
		list = append(list, fmt.Sprintf("%g hours %s", hours, period))
	}
	if q.Waiting > 0 {
		list = append(list, fmt.Sprintf("%d waiting", q.Waiting))
	}
	return strings.Join(list, ", ")
}

// Use returns how much of a schedule each owner uses in a window. Only an operator sees other owners than his own.
func (l *Look) Use(schedule string, from, until time.Time) ([]api.Use, error) {
	w, err := l.window(from, until)
	if err != nil {
		return nil, err
	}
	uses, err := l.desk.Use(w, schedule, l.effort)
	if err != nil {
		return nil, problemOf(err)
	}
	names := []string{"units"}
	if s := l.schedule(schedule); s != nil && l.resources(s) != nil {
		names = l.resources(s)
	}
	list := []api.Use{}
	for _, u := range uses {
		if l.caller.Role < who.Operator && !l.caller.Is(u.Owner) {
			continue
		}
		amount := map[string]float64{}
		for i, t := range u.Ticks {
			hours, _ := new(big.Float).Quo(new(big.Float).SetInt(t), big.NewFloat(float64(time.Hour/l.Tick))).Float64()
			amount[names[i]] = hours
		}
		list = append(list, api.Use{Owner: u.Owner, Amount: amount})
	}
	return list, nil
}

// cleanAll cleans some texts.
func cleanAll(list []string) (clear []string) {
	for _, text := range list {
		clear = append(clear, clean(text))
	}
	return clear
}

// clean returns a text that can be shown: bytes that are no UTF-8, control characters and marks that turn the direction of writing
// are replaced.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0,
			r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
