package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/client"
)

func (t *tool) week() *cobra.Command {
	from, days, columns := "today", 7, 0
	cmd := t.command("week SCHEDULE", "A week of bookings", cobra.ExactArgs(1), func(ctx context.Context, c *client.Client, args []string) error {
		at, err := timeOf(from, t.now())
		if err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		until := at.AddDate(0, 0, days)
		s, err := c.Schedule(ctx, args[0])
		if err != nil {
			return err
		}
		list := []api.Booking{}
		for b, err := range c.Bookings(ctx, url.Values{"schedule": {args[0]}, "from": {at.Format(time.RFC3339)}, "until": {until.Format(time.RFC3339)}}) {
			if err != nil {
				return err
			}
			list = append(list, b)
		}
		return t.show(nil, list, func() error {
			chart, err := chartOf(&s, list, at, until)
			if err == nil {
				_, err = chart.WriteText(t.out, width(columns))
			}
			return err
		})
	})
	cmd.ValidArgsFunction = t.names
	cmd.Flags().StringVar(&from, "from", "today", "the first day")
	cmd.Flags().IntVar(&days, "days", 7, "how many days")
	cmd.Flags().IntVar(&columns, "columns", 0, "how wide; as the terminal is if left out")
	return cmd
}

// width returns how many columns a week has: those of the terminal without room for the names.
func width(columns int) int {
	if columns == 0 {
		columns, _ = strconv.Atoi(os.Getenv("COLUMNS"))
		columns -= 24
	}
	if columns < 20 {
		columns = 84
	}
	return min(columns, 1000)
}

// chartOf draws bookings of a schedule: on a pool in as many lanes as it takes, else in a row for each server or node.
func chartOf(s *api.Schedule, list []api.Booking, from, until time.Time) (*gantt.Chart, error) {
	clock := bookahead.Clock{Epoch: from, Tick: time.Minute}
	axis, err := gantt.WallClock(clock)
	end, wrong := clock.Ceil(until)
	if err != nil || wrong != nil {
		return nil, errors.Join(err, wrong)
	}
	c := &gantt.Chart{Title: s.Name, Window: bookahead.Interval{End: end}, Axis: axis}
	c.Now, _ = clock.Floor(time.Now())
	var pool []bookahead.Reservation
	names := map[bookahead.ID]string{}
	for _, b := range list {
		label := fmt.Sprintf("#%d %s %s", b.ID, b.Owner, b.Title)
		for i := range b.Places {
			p := &b.Places[i]
			start, err := clock.Floor(p.Start)
			end, wrong := clock.Ceil(p.End)
			if p.Schedule != s.Name || err != nil || wrong != nil || start >= end {
				continue
			}
			bar := gantt.Bar{Interval: bookahead.Interval{Start: start, End: end}, Label: label, Key: label, Held: b.State == "held"}
			rows := p.Servers
			for _, n := range p.Nodes {
				rows = append(rows, n.Node)
			}
			for _, row := range rows {
				bar.Row = row
				c.Bars, c.Rows = append(c.Bars, bar), max(c.Rows, row+1)
			}
			if s.Kind == "pool" {
				id := bookahead.ID(len(pool) + 1)
				pool, names[id] = append(pool, bookahead.Reservation{ID: id, Offer: bookahead.Offer{Interval: bar.Interval}}), label
			}
		}
	}
	if s.Kind == "pool" {
		c.Bars, c.Rows, err = gantt.Lanes(pool, func(r bookahead.Reservation) (string, string) { return names[r.ID], names[r.ID] })
		c.RowName = func(int) string { return "" }
	}
	if s.Kind == "servers" || s.Kind == "nodes" {
		c.Rows = max(c.Rows, int(min(s.Units, 64)))
	}
	c.Rows = max(c.Rows, 1)
	return c, err
}
