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
	return fmt.Sprintf("%d of %d tasks have room%s", min(e.Room, tasks), tasks, l.inTheWay(e.Short))
}

// mostNames is how many of those in the way a sentence names. A node may be full of pods, and a cluster of such nodes.
const mostNames = 3

// inTheWay names those who hold the first nodes that lack something, and until when.
func (l *line) inTheWay(short []nodes.Shortage) string {
	var list []string
	others := false
	add := func(name string, until bookahead.Time) {
		name = fmt.Sprintf("%s until %s", name, text(until))
		switch {
		case slices.Contains(list, name):
		case len(list) == mostNames:
			others = true
		default:
			list = append(list, name)
		}
	}
	for _, s := range short {
		for _, id := range s.Reservations {
			x, err := l.machine.Reservation(id)
			if name := l.names.holders[id]; err == nil && name != "" {
				add(name, x.End)
			}
			if others {
				break
			}
		}
		for c := range l.machine.Closures() {
			if slices.Contains(s.Closures, c.ID) {
				add(l.names.closed[c.ID], c.End)
			}
		}
		if others {
			list = append(list, "and others")
			break
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "; in the way: " + strings.Join(list, ", ")
}
