package nodes

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// A machine whose reservations have no terms is of the first kind, whose bytes stay as they were before there
// were terms. The second kind has the terms behind each reservation.
const (
	kind       = "nodes.Machine"
	kindTermed = "nodes.Machine with terms"
)

var (
	_ encoding.BinaryMarshaler   = (*Machine)(nil)
	_ encoding.BinaryUnmarshaler = (*Machine)(nil)
)

// MarshalBinary returns the whole state: the Config, the clock, the reservations and the closures. The bytes
// have a version and a checksum, and are the same for the same state on every computer. O(n) for n nodes, and
// the nodes of all reservations.
func (m *Machine) MarshalBinary() ([]byte, error) {
	termed := m.booked.termed(m.bounds.Now)
	k := kind
	if termed {
		k = kindTermed
	}
	w := snapshot.Begin(k)
	m.bounds.Write(w)
	w.Uint(m.policy.name)
	m.source.write(w)
	m.booked.write(w, m.bounds.Now, termed)
	w.Uint(uint64(m.closed.born))
	m.closed.list.Write(w, func(c bookahead.Closure) { writeSet(w, c.Servers) })
	return w.End()
}

// UnmarshalBinary replaces the machine, which may be a zero value, by the machine that MarshalBinary has
// written. If the bytes are cut off or damaged, or do not make a machine, the error wraps
// bookahead.ErrInvalid and the machine stays as it was. So it is if the bytes name the policy Own and the
// receiver has no such policy, because a function cannot be written. Memory is in proportion to the bytes.
// O(v) for each node of each reservation, where the node has v steps, and then O(n c + s log s) to build an
// index of n nodes, c chunks and s steps.
func (m *Machine) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kind, kindTermed)
	l := limits.Read(r)
	if r.Err() == nil && l.Capacity != 1 {
		r.Fail("capacity", l.Capacity, "is not 1")
	}
	policy := readPolicy(r, m.policy)
	c := readConfig(r)
	if r.Err() == nil {
		r.Check(c.check())
	}
	if r.Err() != nil {
		return r.Close()
	}
	x := &Machine{bounds: l, layout: newLayout(c), policy: policy}
	x.index = newIndex(l.Now, x.layout)
	bookable := bookahead.Interval{Start: l.Now, End: l.End}
	termed := false
	x.booked = readBooks(r, bookable, x.wide, func(w bookahead.Interval) *booking {
		b := x.readBooking(r, w)
		if r.Kind() == kindTermed {
			b.terms = x.readTerms(r)
			b.exclusive = b.terms.exclusive()
			x.checkBundles(r, b)
			termed = termed || b.terms != ""
		}
		return b
	})
	if r.Err() == nil && !termed && r.Kind() == kindTermed {
		r.Fail("terms", 0, "are of no reservation, although the kind says so")
	}
	x.readClosures(r)
	err := r.Close()
	if err != nil {
		return err
	}
	err = x.rebuild()
	if err != nil {
		return err
	}
	*m = *x
	return nil
}

// readClosures reads the closures and the extensions. The nodes of an extension follow each other, behind the
// nodes of all earlier extensions, so that no node is added twice. An extension that is over leaves a gap:
//
//	node      0  1  2  3  4  5  6  7  8  9
//	          └─ born ─┘  └#2┘     └─#5─┘      nodes 6 and 9 came with #4 and #6, which are over
func (m *Machine) readClosures(r *snapshot.Reader) {
	n := len(m.given)
	m.closed.born = int(r.Uint("nodes from the start", uint64(n)))
	next := m.closed.born // the nodes below next have been added
	m.closed.list = closures.Read(r, m.bounds.Now, func(c *bookahead.Closure) {
		c.Servers = readSet(r, n)
		c.Units = int64(len(c.Servers))
		if c.Units == 0 {
			r.Fail("closure", c.ID, "has no nodes")
			return
		}
		first, last := c.Servers[0], c.Servers[len(c.Servers)-1]
		switch {
		case !c.Added:
		case first < next:
			r.Fail("extension", c.ID, fmt.Sprintf("adds node %d, which exists already", first))
		case int64(last-first) >= c.Units:
			r.Fail("extension", c.ID, fmt.Sprintf("leaves out nodes between %d and %d", first, last))
		default:
			next = last + 1
		}
	})
	if m.closed.born == 0 || m.closed.born < n && !m.closed.list.Ever() {
		r.Fail("nodes from the start", m.closed.born, fmt.Sprintf("is 0, or less than all %d nodes although no node was added", n))
	}
}

// rebuild applies the bookings and closures that have been read. The error wraps bookahead.ErrInvalid if more
// is booked on a node than it has. Each booking is checked before it is applied, so that no sum overflows.
// The bookings come before the closures, because a closed node may be held.
func (m *Machine) rebuild() error {
	for id, b := range m.booked.all(m.bounds.Now) {
		if !m.holdsEver(b) || !m.hasRoom(b) {
			return limits.Invalid("snapshot: reservation", fmt.Sprintf("#%d", id), "takes more than is left on a node")
		}
		for k, v := range m.takes(b) {
			m.index.nodes[k].change(m.bounds.Ahead(b.Interval), v, -1)
		}
	}
	m.index.build()
	always := bookahead.Interval{Start: m.bounds.Now, End: bookahead.MaxTime}
	if !always.Empty() {
		added := make([]int, len(m.given)-m.closed.born)
		for i := range added {
			added[i] = m.closed.born + i
		}
		m.coverNodes(added, always)
	}
	for c := range m.closed.list.All() {
		w := m.bounds.Ahead(c.Interval)
		if c.Added {
			m.uncoverNodes(c.Servers, w)
		} else {
			m.coverNodes(c.Servers, w)
		}
	}
	return nil
}

func readPolicy(r *snapshot.Reader, own Policy) Policy {
	switch r.Uint("policy", callersOwn) {
	case bestFit:
		return BestFit()
	case fewestNodes:
		return FewestNodes()
	case spread:
		return Spread()
	case callersOwn:
		if own.name != callersOwn {
			r.Fail("policy", "of the caller", "is unknown: read it into a machine with the same Config.Policy")
		}
		return own
	}
	return LowestIndex()
}

// write writes the resources, nodes, levels and sets of a Config.
func (c *Config) write(w *snapshot.Writer) {
	w.Uint(uint64(len(c.Resources)))
	for _, name := range c.Resources {
		w.Bytes([]byte(name))
	}
	w.Uint(uint64(len(c.Nodes)))
	for _, v := range c.Nodes {
		w.Varints(appendVector(nil, v))
	}
	w.Uint(uint64(len(c.Levels)))
	for _, level := range c.Levels {
		w.Bytes([]byte(level.Name))
		w.Uint(uint64(len(level.Groups)))
		for _, group := range level.Groups {
			writeSet(w, group)
		}
	}
	w.Uint(uint64(len(c.Sets)))
	for _, name := range slices.Sorted(maps.Keys(c.Sets)) {
		w.Bytes([]byte(name))
		writeSet(w, c.Sets[name])
	}
}

func readConfig(r *snapshot.Reader) Config {
	c := Config{Sets: map[string][]int{}}
	// A name, a node, a group or a set takes at least one byte: so the bytes left bound each count.
	for range r.Uint("resources", MaxResources) {
		c.Resources = append(c.Resources, string(r.Bytes("resource")))
	}
	if len(c.Resources) == 0 {
		r.Fail("resources", 0, "is less than 1")
	}
	n := int(r.Uint("nodes", uint64(min(maxNodes, r.Left()))))
	for range n {
		c.Nodes = append(c.Nodes, readVector(r, len(c.Resources)))
	}
	for range r.Uint("levels", maxLevels) {
		level := Level{Name: string(r.Bytes("level"))}
		for range r.Uint("groups", uint64(r.Left())) {
			level.Groups = append(level.Groups, readSet(r, n))
		}
		c.Levels = append(c.Levels, level)
	}
	last := ""
	for range r.Uint("sets", uint64(r.Left())) {
		name := string(r.Bytes("set"))
		if name <= last {
			r.Fail("set", name, fmt.Sprintf("does not come after %q", last))
		}
		c.Sets[name], last = readSet(r, n), name
	}
	return c
}

// readBooking reads a booking as pack has packed it. It checks that each node, when all is free, can hold its
// tasks.
func (m *Machine) readBooking(r *snapshot.Reader, span bookahead.Interval) *booking {
	b := &booking{Interval: span, each: readVector(r, m.wide)}
	q := query{perNode: math.MaxInt64, each: b.each}
	r.Check(amounts("snapshot: tasks", b.each))
	next := 0
	n := r.Uint("nodes of a reservation", uint64(min(len(m.given), r.Left())))
	for range n {
		k := next + int(r.Uint("node", uint64(max(0, len(m.given)-next-1))))
		tasks := int64(r.Uint("tasks", math.MaxInt64))
		if r.Err() != nil || k >= len(m.given) || tasks < 1 || tasks > q.fit(m.given[k]) {
			r.Fail("tasks", tasks, fmt.Sprintf("is less than 1, or more than node %d holds", k))
			return b
		}
		b.shares = append(b.shares, Share{k, tasks})
		next = k + 1
	}
	if n == 0 {
		r.Fail("nodes of a reservation", 0, "is less than 1")
	}
	b.head = int(r.Uint("head", uint64(len(m.given)))) - 1
	if b.head >= 0 {
		b.headTakes = readVector(r, m.wide)
		r.Check(amounts("snapshot: head", b.headTakes))
	}
	return b
}

// readTerms reads terms as termCode packs them; a single 0 stands for none. Memory is in proportion to the bytes.
func (l *layout) readTerms(r *snapshot.Reader) numbers {
	which := r.Uint("terms", 2*hasBundle-1)
	if which == 0 {
		return ""
	}
	list := binary.AppendUvarint(nil, which)
	number := func(what string, most uint64) {
		list = binary.AppendUvarint(list, r.Uint(what, most))
	}
	index := func(what string, n int) {
		if n == 0 {
			r.Fail(what, 0, "is named, but the machine has none")
			return
		}
		number(what, uint64(n-1))
	}
	if which&hasPerNode != 0 {
		n := r.Uint("tasks a node", math.MaxInt64)
		if n == 0 {
			r.Fail("tasks a node", n, "is less than 1")
		}
		list = binary.AppendUvarint(list, n)
	}
	if which&hasNodes != 0 {
		list = l.readRuns(r, list)
	}
	if which&hasSet != 0 {
		index("set", len(l.terms.sets))
	}
	if which&hasExcept != 0 {
		before := len(list)
		list = l.readRuns(r, list)
		if r.Err() == nil && list[before] == 0 {
			r.Fail("nodes excepted", 0, "is less than 1")
		}
	}
	if which&hasWithin != 0 {
		index("level", len(l.terms.levels))
	}
	if which&hasTogether != 0 {
		index("level", len(l.terms.levels))
	}
	if which&hasBundle != 0 {
		n := r.Uint("tasks of a bundle", math.MaxInt64)
		if n == 0 {
			r.Fail("tasks of a bundle", n, "is less than 1")
		}
		list = binary.AppendUvarint(list, n)
		index("level", len(l.terms.levels))
	}
	return numbers(list)
}

// checkBundles checks that a booking which was read has whole bundles, in groups that Together does not cut.
func (l *layout) checkBundles(r *snapshot.Reader, b *booking) {
	if r.Err() != nil || b.terms == "" || b.terms[0]&hasBundle == 0 {
		return
	}
	t := l.terms.unpack(b.terms)
	over := int64(0)
	for _, s := range b.shares {
		over = (over + s.Tasks%t.Bundle) % t.Bundle // no overflow: all tasks have room on the empty nodes
	}
	switch {
	case over > 0:
		r.Fail("tasks beyond whole bundles", over, fmt.Sprintf("is not 0: a bundle has %d", t.Bundle))
	case l.finer(t.Together, t.Bundled):
		r.Fail("level of Together", t.Together, fmt.Sprintf("is finer than that of bundles, %q", t.Bundled))
	}
}

// readRuns reads runs of nodes, and appends them. Runs do not touch, or they would be one.
func (l *layout) readRuns(r *snapshot.Reader, into []byte) []byte {
	all := len(l.given)
	n := r.Uint("runs of nodes", uint64(min(all, r.Left())))
	into = binary.AppendUvarint(into, n)
	next := 0
	for i := range n {
		skip := r.Uint("nodes skipped", uint64(all))
		more := r.Uint("nodes of a run", uint64(all))
		next += int(skip) + int(more) + 1
		if i > 0 && skip == 0 || next > all {
			r.Fail("run of nodes", next, fmt.Sprintf("touches the run before, or ends behind the %d nodes", all))
		}
		if r.Err() != nil {
			return into
		}
		into = binary.AppendUvarint(into, skip)
		into = binary.AppendUvarint(into, more)
	}
	return into
}

func readVector(r *snapshot.Reader, wide int) Vector {
	v := make(Vector, wide)
	for i := range v {
		v[i] = int64(r.Uint("amount", MaxAmount))
	}
	return v
}

// writeSet writes ascending nodes, each as the number of nodes skipped since the node before.
func writeSet(w *snapshot.Writer, set []int) {
	w.Uint(uint64(len(set)))
	next := 0
	for _, k := range set {
		w.Uint(uint64(k - next))
		next = k + 1
	}
}

// readSet reads ascending nodes below n.
func readSet(r *snapshot.Reader, n int) []int {
	var set []int
	next := 0
	for range r.Uint("nodes of a set", uint64(min(n, r.Left()))) {
		if r.Err() != nil || next >= n {
			r.Fail("node", next, fmt.Sprintf("is not one of the %d nodes", n))
			return nil
		}
		next += int(r.Uint("node", uint64(n-next-1)))
		set = append(set, next)
		next++
	}
	return set
}
