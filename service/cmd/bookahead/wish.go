package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/client"
)

// want is a wish as flags say it.
type want struct {
	units, perNode      int64
	length, from, until string
	owner, title, key   string
	labels              []string
	nodes, servers      []int
	within, hold, wait  string
	each                map[string]int64
}

// flags adds the flags of a wish.
func (w *want) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Int64Var(&w.units, "units", 1, "how many units, servers or tasks")
	f.StringVar(&w.length, "for", "1h", "how long, such as 90m, 2h or 1d12h")
	f.StringVar(&w.from, "from", "", `not before, such as "tomorrow 14:00", 14:00, "mon 9:00" or 2026-12-01T14:00; now if left out`)
	f.StringVar(&w.until, "until", "", "over by then; any time if left out")
	f.IntSliceVar(&w.servers, "servers", nil, "only these servers")
	f.IntSliceVar(&w.nodes, "nodes", nil, "on nodes: only these")
	f.StringToInt64Var(&w.each, "each", nil, "on nodes: what one task takes, such as gpus=2,cpus=16")
	f.Int64Var(&w.perNode, "per-node", 0, "on nodes: the most tasks on one")
	f.StringVar(&w.within, "within", "", "on nodes: all tasks in one group of this level, such as rack")
	f.StringVar(&w.owner, "owner", "", "whose booking it is: a group of yours; you if left out")
	f.StringVar(&w.title, "title", "", "title")
	f.StringSliceVar(&w.labels, "label", nil, "label, such as team=blue")
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
	p := api.Part{Schedule: schedule, Units: w.units, Duration: api.DurationOf(length), Each: w.each, Servers: w.servers, Nodes: w.nodes, PerNode: w.perNode, Within: w.within}
	v = api.Wish{Owner: w.owner, Title: w.title, Labels: w.labels, Parts: []api.Part{p}}
	return v, t.times(timed{"from", w.from, &v.Ready}, timed{"until", w.until, &v.Deadline})
}

// timed is a flag with a time.
type timed struct {
	flag, text string
	at         **time.Time
}

// times reads times; one that is left out stays nil.
func (t *tool) times(list ...timed) error {
	for _, one := range list {
		if one.text == "" {
			continue
		}
		at, err := timeOf(one.text, t.now())
		if err != nil {
			return fmt.Errorf("--%s: %w", one.flag, err)
		}
		*one.at = &at
	}
	return nil
}

// wishing makes a command on a schedule with the flags of a wish.
func (t *tool) wishing(w *want, verb, short string, f func(ctx context.Context, c *client.Client, wish api.Wish) error) *cobra.Command {
	cmd := t.command(verb+" SCHEDULE", short, cobra.ExactArgs(1), func(ctx context.Context, c *client.Client, args []string) error {
		wish, err := w.wish(t, args[0])
		if err != nil {
			return err
		}
		return f(ctx, c, wish)
	})
	cmd.ValidArgsFunction = t.names
	w.flags(cmd)
	return cmd
}

func (t *tool) search() *cobra.Command {
	return t.wishing(&want{}, "search", "The earliest place", func(ctx context.Context, c *client.Client, wish api.Wish) error {
		o, err := c.Search(ctx, wish)
		return t.show(err, o, func() error { return t.offers([]api.Offer{o}) })
	})
}

func (t *tool) why() *cobra.Command {
	return t.wishing(&want{}, "why", "Why there is no place, or only a late one", func(ctx context.Context, c *client.Client, wish api.Wish) error {
		r, err := c.Why(ctx, wish)
		return t.show(err, r, func() error {
			if len(r.Reasons) == 0 {
				fmt.Fprintln(t.out, "nothing is in the way")
			}
			t.refusal(t.out, &r)
			return nil
		})
	})
}

func (t *tool) book() *cobra.Command {
	w := &want{}
	cmd := t.wishing(w, "book", "Book", func(ctx context.Context, c *client.Client, wish api.Wish) error {
		b := api.Book{Wish: wish}
		err := t.times(timed{"hold", w.hold, &b.Hold}, timed{"wait", w.wait, &b.Wait})
		if err != nil {
			return err
		}
		made, err := c.Book(ctx, w.key, b)
		return t.booking(&made, err)
	})
	cmd.Flags().StringVar(&w.hold, "hold", "", "hold the place until then, and give it up unless it is committed")
	cmd.Flags().StringVar(&w.wait, "wait", "", "wait for a place until then, if there is none")
	cmd.Flags().StringVar(&w.key, "key", "", "a text by which the same command, given twice, books once")
	return cmd
}
