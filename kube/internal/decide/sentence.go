package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// names are the holders and the closures of a machine, for sentences.
type names struct {
	holders map[bookahead.ID]string
	closed  map[bookahead.ClosureID]string
}

// explain says why tasks have no room from a time on: "2 of 4 tasks have room; pod a/b until 2026-03-01T10:00:00Z is in the way".
func (l *line) explain(r nodes.Request, tasks int64, length bookahead.Duration, ready bookahead.Time) string {
	r.Ready, r.Deadline, r.Duration, r.Tasks = ready, 0, length, tasks
	e, err := l.machine.Explain(r)
	if err != nil {
		return err.Error()
	}
	switch {
	case e.Err == nodes.ErrNever:
		return fmt.Sprintf("no nodes have so much: room for %d of %d tasks", e.Room, tasks)
	case len(e.Short) == 0 && e.Room >= tasks:
		return "what was promised to others is in the way"
	}
	until := map[string]bookahead.Time{}
	var list []string
	add := func(name string, end bookahead.Time) {
		if _, ok := until[name]; !ok {
			list = append(list, name)
		}
		until[name] = max(until[name], end)
	}
	for _, s := range e.Short {
		for _, id := range s.Reservations {
			x, err := l.machine.Reservation(id)
			if name := l.names.holders[id]; err == nil && name != "" {
				add(name, x.End)
			}
		}
	}
	closed := map[bookahead.ClosureID]bool{}
	for _, s := range e.Short {
		for _, id := range s.Closures {
			closed[id] = true
		}
	}
	for c := range l.machine.Closures() {
		if closed[c.ID] {
			add(l.names.closed[c.ID], c.End)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return strings.Compare(a, b) })
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d tasks have room", min(e.Room, tasks), tasks)
	for i, name := range list[:min(3, len(list))] {
		b.WriteString([]string{"; in the way: ", ", ", ", "}[i])
		fmt.Fprintf(&b, "%s until %s", name, text(until[name]))
	}
	if more := len(list) - 3; more > 0 {
		fmt.Fprintf(&b, ", and %d more", more)
	}
	return b.String()
}
