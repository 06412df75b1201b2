package config

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/recur"
)

// AddSchedule returns the command that adds a schedule.
func (c *Config) AddSchedule(s *Schedule) (desk.AddSchedule, error) {
	horizon := c.Ticks(cmp.Or(s.Horizon, Length(365*24*time.Hour)).Time())
	add := desk.AddSchedule{Name: s.Name}
	switch s.Kind {
	case "pool":
		add.Kind = desk.Pool{Units: s.Units, Horizon: horizon}
	case "servers":
		add.Kind = desk.Servers{Count: s.Count, Horizon: horizon, Prefer: s.Prefer}
	case "nodes":
		k := desk.Nodes{Horizon: horizon, Resources: s.Resources, Policy: s.Policy}
		for _, name := range s.Levels {
			k.Levels = append(k.Levels, nodes.Level{Name: name})
		}
		groups := map[[2]string]int{}
		for _, n := range s.Nodes {
			for range max(1, n.Count) {
				for i, name := range s.Levels {
					in, ok := n.In[name]
					if !ok {
						continue
					}
					g, known := groups[[2]string{name, in}]
					if !known {
						g = len(k.Levels[i].Groups)
						groups[[2]string{name, in}] = g
						k.Levels[i].Groups = append(k.Levels[i].Groups, nil)
					}
					k.Levels[i].Groups[g] = append(k.Levels[i].Groups[g], len(k.Nodes))
				}
				k.Nodes = append(k.Nodes, nodes.Vector(slices.Clone(n.Has)))
			}
		}
		add.Kind = k
	case "broker":
		add.Kind = desk.Broker{Of: s.Of, Policy: s.Policy}
	default:
		return add, fmt.Errorf("%q is none of pool, servers, nodes and broker", s.Kind)
	}
	return add, nil
}

// openFor is how far ahead opening hours are known, and they are made anew when half of it is left. A desk takes 4 096 opening
// hours at the most, which are as many days with two openings each.
const openFor = 2 * 365 * 24 * time.Hour

// SetTerms returns the command that sets the terms of a schedule, with opening hours from now on for two years or to the
// horizon, and the tick at which they are to be set anew.
func (c *Config) SetTerms(s *Schedule, now bookahead.Time) (desk.SetTerms, error) {
	set := desk.SetTerms{On: s.Name, Terms: desk.Terms{
		Longest: c.Ticks(s.Longest.Time()), Notice: c.Ticks(s.Notice.Time()), Ahead: c.Ticks(s.Ahead.Time()),
		Before: c.Ticks(s.Before.Time()), After: c.Ticks(s.After.Time()), Owners: s.Owners, Labels: s.Labels,
	}}
	if len(s.Open) == 0 {
		return set, nil
	}
	w := bookahead.Interval{Start: now, End: now + bookahead.Time(c.Ticks(openFor))}
	from, err := c.clock.Wall(now)
	if err != nil {
		return set, err
	}
	var rules []recur.Rule
	for _, text := range s.Open {
		rule, err := parseHours(text, from.AddDate(0, 0, -8)) // hours that began yesterday, or last week, count too
		if err != nil {
			return set, err
		}
		rules = append(rules, rule)
	}
	set.Open, err = recur.Hours(c.clock, w, rules...)
	if err != nil {
		return set, err
	}
	if len(set.Open) == 0 {
		return set, fmt.Errorf("%q are shorter than a tick", s.Open)
	}
	set.Needs = now + bookahead.Time(c.Ticks(openFor/2))
	return set, nil
}

// SetQuota returns the command that sets a quota. Periods begin at the epoch.
func (c *Config) SetQuota(q *Quota) desk.SetQuota {
	return desk.SetQuota{Name: q.Name, Quota: desk.Quota{
		Owners: q.Owners, Each: q.Each, Label: q.Label, On: q.On, Resource: q.Resource,
		Units: q.Units, Ticks: q.Hours * int64(c.Ticks(time.Hour)), Every: c.Ticks(q.Every.Time()), Window: c.Ticks(q.Any.Time()),
		Waiting: q.Waiting, None: q.None,
	}}
}

// Find returns a schedule by its name; nil if there is none.
func (c *Config) Find(name string) *Schedule {
	for i := range c.Schedules {
		if c.Schedules[i].Name == name {
			return &c.Schedules[i]
		}
	}
	return nil
}
