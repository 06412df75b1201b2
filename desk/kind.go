package desk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/nodes"
)

// Kind describes a schedule that AddSchedule makes: a Pool, Servers, Nodes or a Broker.
type Kind interface {
	kind() string // the name in a log and in error texts
}

// Pool counts units that are alike: a carts.Indexed.
type Pool struct {
	// Units is the number of units, at least 1.
	Units int64
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to the end of the axis.
	Horizon bookahead.Duration
}

// Servers knows each server by its index: an idletree.Tree.
type Servers struct {
	// Count is the number of servers, at least 1.
	Count int64
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to the end of the axis.
	Horizon bookahead.Duration
	// Prefer names the servers that are used first: "lowest" for the lowest index, "best" for the
	// tightest idle period, "worst" for the longest, and "" for the first that are found.
	Prefer string
}

// Nodes is a machine whose nodes have several resources: a nodes.Machine.
type Nodes struct {
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to the end of the axis.
	Horizon bookahead.Duration
	// Resources, Nodes, Levels and Sets are those of nodes.Config.
	Resources []string
	Nodes     []nodes.Vector
	Levels    []nodes.Level
	Sets      map[string][]int
	// Policy names the nodes that are used first: "" or "lowest", "best", "fewest" or "spread".
	Policy string
}

// Broker stands for several schedules of the desk. A part on a broker lies on one of them: of the schedules that
// have room at the earliest start, the Policy chooses one.
type Broker struct {
	// Of names the schedules. All of them are Nodes or none is, and none is a broker.
	Of []string
	// Policy is "" or "first" for the first in the order of Of, "least-loaded" for the schedule with
	// the largest share of units free throughout the part, or "shortest-queue" for the schedule with the
	// fewest live bookings.
	Policy string
}

func (Pool) kind() string { return "pool" }

func (Servers) kind() string { return "servers" }

func (Nodes) kind() string { return "nodes" }

func (Broker) kind() string { return "broker" }

// copyOf returns a kind that shares no slice with the caller's.
func copyOf(kind Kind) Kind {
	switch k := kind.(type) {
	case Nodes:
		k.Resources, k.Nodes, k.Levels = cloneOf(k.Resources), cloneOf(k.Nodes), cloneOf(k.Levels)
		for i, v := range k.Nodes {
			k.Nodes[i] = slices.Clone(v)
		}
		for i := range k.Levels {
			groups := cloneOf(k.Levels[i].Groups)
			for g := range groups {
				groups[g] = slices.Clone(groups[g])
			}
			k.Levels[i].Groups = groups
		}
		if k.Sets != nil {
			sets := make(map[string][]int, len(k.Sets))
			for name, set := range k.Sets {
				sets[name] = slices.Clone(set)
			}
			k.Sets = sets
		}
		return k
	case Broker:
		k.Of = cloneOf(k.Of)
		return k
	}
	return kind
}

// with returns the kind with the nodes that a machine has taken, behind its other nodes. So the kind of a schedule always
// describes its machine, and a snapshot, a listing and a chart need nothing else. The old kind stays as it is, since
// clones share it.
func (k Nodes) with(more []nodes.Added) Nodes {
	k.Nodes, k.Levels, k.Sets = slices.Clip(k.Nodes), slices.Clone(k.Levels), maps.Clone(k.Sets)
	for i := range k.Levels {
		k.Levels[i].Groups = slices.Clone(k.Levels[i].Groups)
	}
	for _, node := range more {
		index := len(k.Nodes)
		k.Nodes = append(k.Nodes, slices.Clone(node.Has))
		for i := range k.Levels {
			level := &k.Levels[i]
			g, ok := node.Groups[level.Name]
			if !ok {
				continue
			}
			if g == len(level.Groups) {
				level.Groups = append(level.Groups, nil)
			}
			level.Groups[g] = append(slices.Clip(level.Groups[g]), index)
		}
		for _, name := range node.Sets {
			k.Sets[name] = append(slices.Clip(k.Sets[name]), index)
		}
	}
	return k
}

// describes reports whether a machine has the nodes of the kind, whose groups and sets may come in any order.
func (k Nodes) describes(c nodes.Config) bool {
	alike := func(a, b []int) bool { return slices.Equal(slices.Sorted(slices.Values(a)), b) }
	same := func(a, b nodes.Vector) bool { return slices.Equal(a, b) }
	level := func(a, b nodes.Level) bool { return a.Name == b.Name && slices.EqualFunc(a.Groups, b.Groups, alike) }
	return slices.Equal(k.Resources, c.Resources) && slices.EqualFunc(k.Nodes, c.Nodes, same) &&
		slices.EqualFunc(k.Levels, c.Levels, level) && maps.EqualFunc(k.Sets, c.Sets, alike)
}

// kindForms are the coders of the kinds, by number, as commandForms are those of commands. Number 5 was that of a kind that
// is gone, and is refused: the next kind is number 6.
var kindForms = []func(*code.Coder, Kind) Kind{nil, code.As[Kind]((*Pool).code), code.As[Kind]((*Servers).code), code.As[Kind]((*Nodes).code), code.As[Kind]((*Broker).code), goneKind}

// goneKind is in the place of a kind that no version writes any more.
func goneKind(x *code.Coder, _ Kind) Kind {
	x.Fail("type", 5, "is a kind that is gone")
	return nil
}

// codeKind codes a kind with its number.
func codeKind(x *code.Coder, k *Kind) {
	number := uint8(0)
	switch (*k).(type) {
	case Pool:
		number = 1
	case Servers:
		number = 2
	case Nodes:
		number = 3
	case Broker:
		number = 4
	}
	if number == 0 && !x.Reads() {
		x.Fail("AddSchedule.Kind", fmt.Sprintf("%T", *k), "is none of this package")
		return
	}
	x.Word("type", &number, len(kindForms)-1)
	if x.OK() {
		*k = kindForms[number](x, *k)
	}
}

func (k *Pool) code(x *code.Coder) {
	code.Number(x, "units", &k.Units)
	code.Number(x, "horizon", &k.Horizon)
}

func (k *Servers) code(x *code.Coder) {
	code.Number(x, "count", &k.Count)
	code.Number(x, "horizon", &k.Horizon)
	x.Text("prefer", &k.Prefer)
}

func (k *Nodes) code(x *code.Coder) {
	code.Number(x, "horizon", &k.Horizon)
	code.Texts(x, "resources", &k.Resources)
	code.List(x, "nodes", &k.Nodes, func(v *nodes.Vector, x *code.Coder) { code.Numbers(x, "amounts", (*[]int64)(v)) })
	code.List(x, "levels", &k.Levels, func(l *nodes.Level, x *code.Coder) {
		x.Text("name", &l.Name)
		code.List(x, "groups", &l.Groups, func(group *[]int, x *code.Coder) { code.Steps(x, "group", group) })
	})
	codeSets(x, &k.Sets)
	x.Text("policy", &k.Policy)
}

// set is a named set of nodes.
type set struct {
	name  string
	nodes []int
}

// codeSets codes the sets of nodes in the order of their names.
func codeSets(x *code.Coder, sets *map[string][]int) {
	var sorted []set
	for name, list := range *sets {
		sorted = append(sorted, set{name, list})
	}
	slices.SortFunc(sorted, func(a, b set) int { return cmp.Compare(a.name, b.name) })
	code.List(x, "sets", &sorted, func(s *set, x *code.Coder) {
		x.Text("name", &s.name)
		code.Steps(x, "nodes", &s.nodes)
	})
	if !x.Reads() || len(sorted) == 0 {
		return
	}
	*sets = map[string][]int{}
	for i, s := range sorted {
		if i > 0 && s.name <= sorted[i-1].name {
			x.Fail("sets", s.name, "does not come behind the last")
		}
		(*sets)[s.name] = s.nodes
	}
}

func (k *Broker) code(x *code.Coder) {
	code.Texts(x, "of", &k.Of)
	x.Text("policy", &k.Policy)
}

// addedNode is a nodes.Added with its fields.
type addedNode nodes.Added

func (a *addedNode) code(x *code.Coder) {
	code.Numbers(x, "has", (*[]int64)(&a.Has))
	var in []group
	for _, level := range slices.Sorted(maps.Keys(a.Groups)) {
		in = append(in, group{level, a.Groups[level]})
	}
	code.List(x, "groups", &in, func(g *group, x *code.Coder) {
		x.Text("level", &g.level)
		code.Number(x, "group", &g.group)
	})
	code.Texts(x, "sets", &a.Sets)
	if !x.Reads() || len(in) == 0 {
		return
	}
	a.Groups = map[string]int{}
	for i, g := range in {
		if i > 0 && g.level <= in[i-1].level {
			x.Fail("groups", g.level, "does not come behind the last")
		}
		a.Groups[g.level] = g.group
	}
}

// group is a group of a level.
type group struct {
	level string
	group int
}
