package desk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/volume"
)

// Request is a wish for units of schedules, with the name of its owner.
type Request struct {
	// Owner and Title may have any bytes, at most MaxText of them.
	Owner, Title string
	// Labels are texts such as "team=blue": at most MaxLabels of at most MaxText bytes, each once.
	// Their order does not matter.
	Labels []string
	// Priority orders bookings for Force: a booking of lower priority gives way first.
	Priority int64

	// Ready is the first tick at which the booking may start. No booking starts before the clock.
	Ready bookahead.Time
	// Deadline is the tick by which the booking ends; 0 for none.
	Deadline bookahead.Time
	// Shapes are the forms that the booking may have: 1 to MaxShapes, with at most MaxParts parts in all. The
	// shape that ends first is booked, and of several the first. A shape that is too long for the time from Ready to
	// Deadline is passed over; the request is invalid if all are.
	Shapes []Shape

	// Volume and Pieces make it a request for work that bends: the desk plans the parts, when it books them and each time that
	// the booking has to give way. Of the one part of the one shape, Duration is not read then; OfVolume and InPieces make such a
	// request. The Request of a booking has a part for each stretch or piece of the plan; any of them tells where the work may lie.
	//
	// Volume is a number of unit-ticks, for a part on a pool, whose Units are not read. It has no times of its own, and at most
	// MaxParts stretches; one, where parts have buffers. Desk.VolumeRequest says which rules its plan knows. It is nil for all others.
	Volume *volume.Request
	// Pieces says how work may be divided that stops and goes on later, in MaxParts pieces at most; nil for all others.
	Pieces *Pieces
}

// Shape is the parts of a booking, 1 to MaxParts: all are booked, or none is.
//
//	part 0   ██████                     a part with After begins a new step; the
//	part 1   ░░██████                   others lie Offset behind the start of their step
//	part 2              ████            After{2, 9}: 2 to 9 ticks after the end of part 1
type Shape []Part

// Part is units of one schedule for a time.
type Part struct {
	// On names the schedule.
	On string
	// Units is the number of units, servers or tasks; at least 1.
	Units int64
	// Duration is the length in ticks; at least 1.
	Duration bookahead.Duration
	// Offset is how many ticks the part starts after the start of its step; at least 0.
	Offset bookahead.Duration
	// After makes the part the first of a new step; nil leaves the part in the step of the part before. The
	// first part of a shape has no After.
	After *Gap
	// Servers limits the choice to the servers named, as in bookahead.Request; nil on nodes and on a broker.
	Servers []int
	// Tasks describes one task: the resources that the task takes, and the nodes on which it may run. Only parts
	// on nodes have Tasks, others nil. Its Ready, Deadline, Duration and Tasks are 0, since request and part
	// have them. With a Bundle the Units are a multiple of it. Exclusive takes whole nodes, of which quotas and Use count
	// what Each and Head ask for. Patience is for a shape of one part on a machine: the part waits so long, behind its
	// earliest start, for one group of Together. A booking that gives way while it runs waits for none.
	Tasks *nodes.Request
	// Swap lets a part on nodes keep its nodes when the booking has to give way while it runs: only the tasks of nodes that
	// the part cannot keep move, at once, to other nodes. If they find no room, or other parts cannot stay, the booking moves as
	// a whole.
	Swap bool
}

// Gap bounds the time between the end of a step, which is the end of its last part, and the start of the next
// step: Least ticks or more, and Most or fewer.
type Gap struct{ Least, Most bookahead.Duration }

// Bounds of a command. MaxParts bounds all shapes of a request together: each part is searched for, and other
// commands wait meanwhile.
const (
	MaxText   = 1 << 10
	MaxLabels = 64
	MaxShapes = 64
	MaxParts  = 64
)

// checkText checks the length of a text.
func checkText(field, text string) error {
	if len(text) > MaxText {
		return limits.Invalid(field, len(text), fmt.Sprintf("bytes are more than %d", MaxText))
	}
	return nil
}

func (f Force) check() error {
	switch f {
	case Nobody, Lower, Anybody:
		return nil
	}
	return limits.Invalid("Force", string(f), `is none of "", lower, anybody`)
}

// check checks the fields that do not depend on the desk.
func (r *Request) check() error {
	err := checkText("Request.Owner", r.Owner)
	if err == nil {
		err = checkText("Request.Title", r.Title)
	}
	if err != nil {
		return err
	}
	if len(r.Labels) > MaxLabels {
		return limits.Invalid("Request.Labels", len(r.Labels), fmt.Sprintf("are more than %d", MaxLabels))
	}
	for i, text := range r.Labels {
		if len(text) <= MaxText && !slices.Contains(r.Labels[:i], text) {
			continue
		}
		field := fmt.Sprintf("Request.Labels[%d]", i)
		return cmp.Or(checkText(field, text), limits.Invalid(field, text, "is given twice"))
	}
	if len(r.Shapes) == 0 || len(r.Shapes) > MaxShapes {
		return limits.Invalid("Request.Shapes", len(r.Shapes), fmt.Sprintf("are not 1 to %d", MaxShapes))
	}
	parts := 0
	for i, shape := range r.Shapes {
		err := shape.check(i)
		if err != nil {
			return err
		}
		parts += len(shape)
		if parts > MaxParts {
			return limits.Invalid(fmt.Sprintf("Request.Shapes[%d]", i), parts, fmt.Sprintf("parts in all are more than %d", MaxParts))
		}
	}
	err = r.checkBent()
	if err != nil {
		return err
	}
	return r.checkTime()
}

// checkTime checks that some shape can lie between Ready and Deadline. Searches pass over the others.
func (r *Request) checkTime() error {
	shortest := bookahead.Duration(bookahead.MaxTime)
	for _, shape := range r.Shapes {
		if r.inTime(shape) {
			return nil
		}
		shortest = min(shortest, r.leastOf(shape))
	}
	if bookahead.Time(shortest) > bookahead.MaxTime-max(r.Ready, 0) {
		return limits.Invalid("Request.Shapes", shortest, fmt.Sprintf("ticks after Request.Ready %d overflow", r.Ready))
	}
	return limits.Invalid("Request.Deadline", r.Deadline, fmt.Sprintf("is before Ready + the %d ticks of Shapes", shortest))
}

// inTime reports whether a shape can end by the deadline, and on the axis, if each gap is as short as it can be.
func (r *Request) inTime(shape Shape) bool {
	whole := bookahead.Time(r.leastOf(shape))
	return whole <= bookahead.MaxTime-max(r.Ready, 0) && (r.Deadline == 0 || r.Ready+whole <= r.Deadline)
}

// partOf says which part of a request an error is about. The text is made only for an error, since most parts have none.
type partOf struct{ shape, part int }

// field returns the name of a field of the part.
func (x partOf) field(name string) string {
	return fmt.Sprintf("Request.Shapes[%d][%d]%s", x.shape, x.part, name)
}

// check checks the parts of the shape with an index in the request.
func (s Shape) check(index int) error {
	if len(s) == 0 || len(s) > MaxParts {
		return limits.Invalid(fmt.Sprintf("Request.Shapes[%d]", index), len(s), fmt.Sprintf("parts are not 1 to %d", MaxParts))
	}
	for i := range s {
		p := &s[i]
		x := partOf{index, i}
		if p.After != nil {
			err := p.After.check(x)
			if err != nil {
				return err
			}
		}
		err := p.check(x)
		if err != nil {
			return err
		}
		if p.Tasks != nil && p.Tasks.Patience != 0 && (len(s) > 1 || p.Offset != 0) {
			return limits.Invalid(x.field(".Tasks.Patience"), p.Tasks.Patience, "is set in a shape of several parts, or with an Offset")
		}
	}
	return nil
}

// least returns the least length of a shape: its steps, and the least gaps between them.
func (s Shape) least() bookahead.Duration {
	length, before := bookahead.Duration(0), bookahead.Duration(0) // the length of the present step, and the time before it
	for i := range s {
		p := &s[i]
		if p.After != nil {
			before, length = addUp(before, length, p.After.Least), 0
		}
		length = max(length, addUp(p.Offset, p.Duration))
	}
	return addUp(before, length)
}

// addUp returns a sum, or the greatest Duration if the sum is greater. No number is negative.
func addUp(list ...bookahead.Duration) (sum bookahead.Duration) {
	for _, d := range list {
		if d > bookahead.Duration(bookahead.MaxTime)-sum {
			return bookahead.Duration(bookahead.MaxTime)
		}
		sum += d
	}
	return sum
}

func (g *Gap) check(x partOf) error {
	switch {
	case x.part == 0:
		return limits.Invalid(x.field(".After"), *g, "is of the first part, which follows none")
	case g.Least < 0:
		return limits.Invalid(x.field(".After.Least"), g.Least, "is negative")
	case g.Most < g.Least:
		return limits.Invalid(x.field(".After.Most"), g.Most, fmt.Sprintf("is less than Least %d", g.Least))
	}
	return nil
}

func (p *Part) check(x partOf) error {
	switch {
	case p.Offset < 0:
		return limits.Invalid(x.field(".Offset"), p.Offset, "is negative")
	case p.Units < 1:
		return limits.Invalid(x.field(".Units"), p.Units, "is less than 1")
	case p.Duration < 1:
		return limits.Invalid(x.field(".Duration"), p.Duration, "is less than 1")
	}
	if p.Servers != nil {
		err := bookahead.Request{Duration: 1, Units: p.Units, Servers: p.Servers}.Validate()
		if err != nil {
			return fmt.Errorf("desk: %s: %w", x.field(""), err)
		}
	}
	if p.Tasks == nil {
		if p.Swap {
			return limits.Invalid(x.field(".Swap"), p.Swap, "is set, but the part has no Tasks")
		}
		return nil
	}
	t := *p.Tasks
	if p.Servers != nil {
		return limits.Invalid(x.field(".Servers"), p.Servers, "are named, but Tasks names the nodes")
	}
	if t.Ready != 0 || t.Deadline != 0 || t.Duration != 0 || t.Tasks != 0 {
		return limits.Invalid(x.field(".Tasks"), t, "has times or a number of tasks of its own")
	}
	t.Duration, t.Tasks = p.Duration, p.Units
	err := t.Validate()
	if err != nil {
		return fmt.Errorf("desk: %s: %w", x.field(".Tasks"), err)
	}
	return nil
}

// equal reports whether two requests ask for the same place.
func (r *Request) equal(o *Request) bool {
	return r.Ready == o.Ready && r.Deadline == o.Deadline && same(r.Volume, o.Volume) && same(r.Pieces, o.Pieces) && slices.EqualFunc(r.Shapes, o.Shapes, func(a, b Shape) bool {
		return slices.EqualFunc(a, b, func(p, q Part) bool { return p.equal(&q) })
	})
}

// same reports whether two values are equal, or both are missing.
func same[T comparable](a, b *T) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

func (p *Part) equal(q *Part) bool {
	alike := p.On == q.On && p.Units == q.Units && p.Duration == q.Duration && p.Offset == q.Offset && p.Swap == q.Swap &&
		same(p.After, q.After) && (p.Tasks == nil) == (q.Tasks == nil) && slices.Equal(p.Servers, q.Servers)
	if !alike || p.Tasks == nil {
		return alike
	}
	a, b := p.Tasks, q.Tasks
	return slices.Equal(a.Each, b.Each) && slices.Equal(a.Head, b.Head) && slices.Equal(a.Nodes, b.Nodes) && slices.Equal(a.Except, b.Except) &&
		a.PerNode == b.PerNode && a.Set == b.Set && a.Within == b.Within && a.Together == b.Together &&
		a.Exclusive == b.Exclusive && a.Patience == b.Patience && a.Bundle == b.Bundle && a.Bundled == b.Bundled
}

// same reports whether two requests ask for the same booking.
func (r *Request) same(o *Request) bool {
	return r.Owner == o.Owner && r.Title == o.Title && r.Priority == o.Priority &&
		slices.Equal(slices.Sorted(slices.Values(r.Labels)), slices.Sorted(slices.Values(o.Labels))) && r.equal(o)
}

// addTicks returns a time so many ticks later, or the end of the axis. Neither is negative.
func addTicks(t bookahead.Time, d bookahead.Duration) bookahead.Time {
	return bookahead.Time(addUp(bookahead.Duration(t), d))
}

// Clone returns a copy that shares no slice with the request. O(n) for n parts, labels and named units.
func (r *Request) Clone() Request {
	c := *r
	c.Labels = append([]string(nil), r.Labels...)
	c.Volume, c.Pieces = another(r.Volume), another(r.Pieces)
	c.Shapes = slices.Clone(r.Shapes)
	for i, shape := range r.Shapes {
		c.Shapes[i] = append(Shape(nil), shape...)
		for j := range c.Shapes[i] {
			c.Shapes[i][j] = shape[j].clone()
		}
	}
	return c
}

// clone returns a copy that shares nothing.
func (p Part) clone() Part {
	p.Servers = cloneOf(p.Servers)
	p.After = another(p.After)
	if p.Tasks != nil {
		t := *p.Tasks
		t.Each, t.Head, t.Nodes, t.Except = cloneOf(t.Each), cloneOf(t.Head), cloneOf(t.Nodes), cloneOf(t.Except)
		p.Tasks = &t
	}
	return p
}

// another returns a pointer to a copy, and nil for nil.
func another[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}

// cloneOf returns a copy, and nil for nil.
func cloneOf[S ~[]E, E any](s S) S {
	if s == nil {
		return nil
	}
	return append(S{}, s...)
}
