package desk

import (
	"cmp"
	"fmt"

	"github.com/bookahead/bookahead/internal/limits"
)

// Limits bound the counts of things that take more memory than the bytes of the command that asks for them. They are checked
// before anything is made. A field that is 0 stands for its default, and all defaults together suit a machine of 4 GiB. A
// snapshot may have more, since its bytes bound what is read.
type Limits struct {
	// Servers is how many servers all Servers of the desk may have together, with those that Extend adds; 1<<20 if 0. A
	// server takes some 400 bytes.
	Servers int64
	// Nodes is how many nodes all Nodes of the desk may have together, with those that Extend adds; 1<<17 if 0. A node of
	// one resource takes some 300 bytes, and a node of eight some 2 KB when much is booked.
	Nodes int64
	// Groups is how many groups the levels of one Nodes may have together; 1<<16 if 0.
	Groups int64
	// Open is how many opening hours the Terms of a schedule may have; 1<<12 if 0.
	Open int64
	// Occurrences is how many windows a BookSeries or a Continue may have, 1<<10 if 0, and Parts is how many parts all of
	// these may have together, 1<<14 if 0.
	Occurrences, Parts int64
}

// withDefaults returns the limits with their defaults.
func (x Limits) withDefaults() Limits {
	return Limits{
		Servers:     cmp.Or(x.Servers, 1<<20),
		Nodes:       cmp.Or(x.Nodes, 1<<17),
		Groups:      cmp.Or(x.Groups, 1<<16),
		Open:        cmp.Or(x.Open, 1<<12),
		Occurrences: cmp.Or(x.Occurrences, 1<<10),
		Parts:       cmp.Or(x.Parts, 1<<14),
	}
}

func (x *Limits) check() error {
	for _, one := range []struct {
		name string
		n    int64
	}{{"Servers", x.Servers}, {"Nodes", x.Nodes}, {"Groups", x.Groups}, {"Open", x.Open}, {"Occurrences", x.Occurrences}, {"Parts", x.Parts}} {
		if one.n < 0 {
			return limits.Invalid("Config.Limits."+one.name, one.n, "is negative")
		}
	}
	return nil
}

// atMost returns an error that wraps bookahead.ErrInvalid if there would be more of something than a limit. has are there
// already.
func atMost(field string, asks, has, most int64, limit string) error {
	switch {
	case asks <= most-has:
		return nil
	case has == 0:
		return limits.Invalid(field, asks, fmt.Sprintf("is more than Config.Limits.%s, %d", limit, most))
	}
	return limits.Invalid(field, asks, fmt.Sprintf("and the %d that the desk has are more than Config.Limits.%s, %d", has, limit, most))
}

// servers returns how many servers all schedules of servers have, and nodes how many nodes the machines have.
func (b *books) servers() int64 {
	return b.sizes(func(k Kind) bool { _, ok := k.(Servers); return ok })
}

func (b *books) nodes() int64 {
	return b.sizes(func(k Kind) bool { _, ok := k.(Nodes); return ok })
}

func (b *books) sizes(of func(Kind) bool) (n int64) {
	for _, s := range b.schedules {
		if of(s.kind) {
			n += s.size
		}
	}
	return n
}

// bounds checks the counts of a schedule that is to be made.
func (b *books) bounds(kind Kind) error {
	most := &b.config.Limits
	switch k := kind.(type) {
	case Servers:
		return atMost("Servers.Count", k.Count, b.servers(), most.Servers, "Servers")
	case Nodes:
		groups := int64(0)
		for i := range k.Levels {
			groups += int64(len(k.Levels[i].Groups))
		}
		return cmp.Or(
			atMost("Nodes.Nodes", int64(len(k.Nodes)), b.nodes(), most.Nodes, "Nodes"),
			atMost("Nodes.Levels", groups, 0, most.Groups, "Groups"),
		)
	}
	return nil
}

// room checks the counts of an extension.
func (c *Extend) room(b *books, at *schedule) error {
	most := &b.config.Limits
	_, servers := at.kind.(Servers)
	switch {
	case at.machine != nil:
		return atMost("Extend.Nodes", int64(len(c.Nodes)), b.nodes(), most.Nodes, "Nodes")
	case servers:
		return atMost("Extend.Units", c.Units, b.servers(), most.Servers, "Servers")
	}
	return nil
}
