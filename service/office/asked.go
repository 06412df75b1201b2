package office

import (
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
)

// asked returns the wish of a booking as it was last asked for, so that whoever may change it can ask for a little else. The
// places of a volume and of pieces are parts of the wish, since they were planned before they were booked.
func (l *Look) asked(b *desk.Booking) *api.Wish {
	w := &api.Wish{Owner: b.Owner, Title: b.Title, Labels: b.Labels, Priority: b.Priority, Ready: l.at(b.Ready), Deadline: l.at(b.Deadline)}
	for i, shape := range b.Shapes {
		var parts []api.Part
		for k := range shape {
			parts = append(parts, l.askedPart(&shape[k]))
		}
		if i == 0 {
			w.Parts = parts
		} else {
			w.Or = append(w.Or, parts)
		}
	}
	return w
}

func (l *Look) askedPart(p *desk.Part) api.Part {
	v := api.Part{Schedule: p.On, Units: p.Units, Duration: l.lasts(p.Duration), Offset: l.lasts(p.Offset), Servers: p.Servers}
	if p.After != nil {
		v.After = &api.Gap{Least: l.lasts(p.After.Least), Most: l.lasts(p.After.Most)}
	}
	if p.Tasks == nil {
		return v
	}
	v.PerNode, v.Nodes, v.Within, v.Packed = p.Tasks.PerNode, p.Tasks.Nodes, p.Tasks.Within, p.Tasks.Together
	names := l.resources(l.schedule(p.On))
	for i, amount := range p.Tasks.Each {
		if amount > 0 {
			if v.Each == nil {
				v.Each = map[string]int64{}
			}
			v.Each[names[i]] = amount
		}
	}
	return v
}
