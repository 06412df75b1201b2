package desk

import "cmp"

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
