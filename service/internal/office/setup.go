package office

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated"
	"github.com/bookahead/bookahead/service/internal/config"
)

// by is who asks for what the file says.
const byFile = "the file"

// keep brings the file to the desk as soon as this member leads, and sets opening hours anew before they end.
func (o *Office) keep(ctx context.Context) {
	told := ""
	for {
		wait := 100 * time.Millisecond
		if o.Leads() {
			wait = time.Minute
			err := o.renew(ctx)
			if err != nil {
				wait = time.Second
			}
			if err != nil && err.Error() != told && ctx.Err() == nil {
				told = err.Error()
				o.log.Error("the desk does not follow the file", "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// renew carries out the commands that make the desk follow the file.
func (o *Office) renew(ctx context.Context) error {
	v, err := o.member.Read(ctx, replicated.Leading)
	if err != nil {
		return err
	}
	list, err := changes(o.Config, v.Desk)
	for _, c := range list {
		_, wrong := o.do(ctx, byFile, 0, 0, c)
		if wrong != nil {
			return wrong
		}
	}
	return err
}

// changes returns the commands by which a desk follows a file. The error says what a desk cannot follow: a schedule that has
// another kind, or that is gone. Everything else is changed nevertheless.
func changes(c *config.Config, d *desk.Desk) (list []desk.Command, err error) {
	has := map[string]desk.Listing{}
	for _, l := range d.Schedules() {
		has[l.Name] = l
		if c.Find(l.Name) == nil {
			err = fmt.Errorf("schedule %q is on the desk, and not in the file: close it instead", l.Name)
		}
	}
	for i := range c.Schedules {
		s := &c.Schedules[i]
		add, wrong := c.AddSchedule(s)
		if wrong != nil {
			return nil, wrong // the file was checked
		}
		old, known := has[s.Name]
		switch {
		case !known:
			list = append(list, add)
		case !follows(old.Kind, add.Kind):
			err = fmt.Errorf("schedule %q is of another kind on the desk, or of another size: close units, or extend it", s.Name)
		}
		if s.Kind == "broker" {
			continue
		}
		set, wrong := c.SetTerms(s, d.Now())
		if wrong != nil {
			return nil, wrong
		}
		if differs(&old.Terms, &set.Terms, d.Now()) {
			list = append(list, set)
		}
	}
	return append(list, quotaChanges(c, d)...), err
}

// follows reports whether a schedule of the desk is that of the file. A machine may have nodes that were added since.
func follows(has, wants desk.Kind) bool {
	a, ok := has.(desk.Nodes)
	b, both := wants.(desk.Nodes)
	if ok && both {
		return reflect.DeepEqual(a.Resources, b.Resources) && len(a.Nodes) >= len(b.Nodes) && reflect.DeepEqual(a.Nodes[:len(b.Nodes)], b.Nodes)
	}
	return reflect.DeepEqual(has, wants)
}

// differs reports whether terms are to be set anew: they are others, or their opening hours end in half of the time for
// which they are made.
func differs(has, wants *desk.Terms, now bookahead.Time) bool {
	a, b := *has, *wants
	late := a.Needs != 0 && a.Needs <= now
	a.Open, b.Open, a.Needs, b.Needs = sample(a.Open, now), sample(b.Open, now), 0, 0
	a.Owners, a.Labels = append([]string{}, a.Owners...), append([]string{}, a.Labels...)
	b.Owners, b.Labels = append([]string{}, b.Owners...), append([]string{}, b.Labels...)
	return late || !reflect.DeepEqual(a, b)
}

// sample returns the opening hours of the next year, in which both the old and the new are known.
func sample(open []bookahead.Interval, now bookahead.Time) (list []bookahead.Interval) {
	for _, w := range open {
		if w.Start > now && len(list) < 300 {
			list = append(list, w)
		}
	}
	return list
}

// quotaChanges returns the commands that set and drop quotas.
func quotaChanges(c *config.Config, d *desk.Desk) (list []desk.Command) {
	has := map[string]desk.Quota{}
	for _, q := range d.Quotas() {
		has[q.Name] = q.Quota
	}
	for i := range c.Quotas {
		set := c.SetQuota(&c.Quotas[i])
		old, known := has[set.Name]
		old.Owners, old.On, old.Periods = append([]string{}, old.Owners...), append([]string{}, old.On...), nil
		wants := set.Quota
		wants.Owners, wants.On = append([]string{}, wants.Owners...), append([]string{}, wants.On...)
		if !known || !reflect.DeepEqual(old, wants) {
			list = append(list, set)
		}
		delete(has, set.Name)
	}
	for _, q := range d.Quotas() {
		_, gone := has[q.Name]
		if gone {
			list = append(list, desk.DropQuota{Name: q.Name})
		}
	}
	return list
}
