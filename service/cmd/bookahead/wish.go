package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/bookahead/bookahead/service/api"
)

// want is a wish as flags say it.
type want struct {
	units, perNode      int64
	length, from, until string
	owner, title, key   string
	labels              []string
	nodes, servers      []int
	within, hold, wait  string
	each                map[string]int
}

// flags adds the flags of a wish to a command on a schedule.
func (w *want) flags(t *tool, cmd *cobra.Command) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = cobra.ExactArgs(1), t.names
	f := cmd.Flags()
	f.Int64Var(&w.units, "units", 1, "how many units, servers or tasks")
	f.StringVar(&w.length, "for", "1h", "how long, such as 90m, 2h or 1d12h")
	f.StringVar(&w.from, "from", "", `not before, such as "tomorrow 14:00", 14:00, "mon 9:00" or 2026-12-01T14:00; now if left out`)
	f.StringVar(&w.until, "until", "", "over by then; any time if left out")
	f.IntSliceVar(&w.servers, "servers", nil, "only these servers")
	f.IntSliceVar(&w.nodes, "nodes", nil, "on nodes: only these")
	f.StringToIntVar(&w.each, "each", nil, "on nodes: what one task takes, such as gpus=2,cpus=16")
	f.Int64Var(&w.perNode, "per-node", 0, "on nodes: the most tasks on one")
	f.StringVar(&w.within, "within", "", "on nodes: all tasks in one group of this level, such as rack")
	f.StringVar(&w.owner, "owner", "", "whose booking it is: a group of yours; you if left out")
	f.StringVar(&w.title, "title", "", "title")
	f.StringSliceVar(&w.labels, "label", nil, "label, such as team=blue")
	return cmd
}

// wish makes the wish for a schedule.
func (w *want) wish(t *tool, schedule string) (v api.Wish, err error) {
	length, err := lengthOf(w.length)
	if err != nil {
		return v, fmt.Errorf("--for: %w", err)
	}
	if w.units < 1 {
		return v, fmt.Errorf("--units: %d is less than 1", w.units)
	}
	p := api.Part{Schedule: schedule, Units: w.units, Duration: api.DurationOf(length), Servers: w.servers, Nodes: w.nodes, PerNode: w.perNode, Within: w.within}
	for name, n := range w.each {
		if p.Each == nil {
			p.Each = map[string]int64{}
		}
		p.Each[name] = int64(n)
	}
	v = api.Wish{Owner: w.owner, Title: w.title, Labels: w.labels, Parts: []api.Part{p}}
	for _, one := range []struct {
		flag, text string
		at         **time.Time
	}{{"from", w.from, &v.Ready}, {"until", w.until, &v.Deadline}} {
		*one.at, err = t.time(one.flag, one.text)
		if err != nil {
			return v, err
		}
	}
	return v, nil
}

// time reads the time of a flag; nil for "".
func (t *tool) time(flag, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	at, err := timeOf(text, t.now())
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return &at, nil
}

func (t *tool) search() *cobra.Command {
	w := &want{}
	return w.flags(t, &cobra.Command{Use: "search SCHEDULE", Short: "The earliest place", RunE: func(cmd *cobra.Command, args []string) error {
		c, wish, err := connect(t, w, args[0])
		if err != nil {
			return err
		}
		o, err := c.Search(cmd.Context(), wish)
		return t.show(err, o, func() error { return t.offers([]api.Offer{o}) })
	}})
}

func (t *tool) why() *cobra.Command {
	w := &want{}
	return w.flags(t, &cobra.Command{Use: "why SCHEDULE", Short: "Why there is no place, or only a late one", RunE: func(cmd *cobra.Command, args []string) error {
		c, wish, err := connect(t, w, args[0])
		if err != nil {
			return err
		}
		r, err := c.Why(cmd.Context(), wish)
		return t.show(err, r, func() error {
			if len(r.Reasons) == 0 {
				fmt.Fprintln(t.out, "nothing is in the way")
			}
			t.refusal(t.out, &r)
			return nil
		})
	}})
}

func (t *tool) book() *cobra.Command {
	w := &want{}
	cmd := w.flags(t, &cobra.Command{Use: "book SCHEDULE", Short: "Book", RunE: func(cmd *cobra.Command, args []string) error {
		c, wish, err := connect(t, w, args[0])
		if err != nil {
			return err
		}
		b := api.Book{Wish: wish}
		b.Hold, err = t.time("hold", w.hold)
		if err == nil {
			b.Wait, err = t.time("wait", w.wait)
		}
		if err != nil {
			return err
		}
		made, err := c.Book(cmd.Context(), w.key, b)
		return t.booking(&made, err)
	}})
	cmd.Flags().StringVar(&w.hold, "hold", "", "hold the place until then, and give it up unless it is committed")
	cmd.Flags().StringVar(&w.wait, "wait", "", "wait for a place until then, if there is none")
	cmd.Flags().StringVar(&w.key, "key", "", "a text by which the same command, given twice, books once")
	return cmd
}
