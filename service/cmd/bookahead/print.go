package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/bookahead/bookahead/service/api"
)

const clockForm = "Mon 2 Jan 15:04"

// show prints an answer as it came with --json, and else for people. An error is returned as it is.
func (t *tool) show(err error, v any, text func() error) error {
	switch {
	case err != nil:
		return err
	case t.json:
		to := json.NewEncoder(t.out)
		to.SetIndent("", "  ")
		return to.Encode(v)
	}
	return text()
}

// columns prints rows below a head whose names are separated by tabs.
func (t *tool) columns(head string, rows func(row func(...any))) error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	rows(func(cells ...any) {
		var texts []string
		for _, c := range cells {
			texts = append(texts, printable(fmt.Sprint(c)))
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(texts, "\t"), "\t"))
	})
	return w.Flush()
}

// printable replaces what could move the cursor of a terminal, or do worse: texts come from other people.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// at formats a time on the clocks of the caller; "" for nil.
func (t *tool) at(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.In(t.now().Location()).Format(clockForm)
}

// booking prints a booking.
func (t *tool) booking(b *api.Booking, err error) error {
	return t.show(err, b, func() error {
		fmt.Fprintf(t.out, "#%d %s", b.ID, b.State)
		if b.Start != nil && b.Start.Before(*b.End) { // it was not given up before it began
			fmt.Fprintf(t.out, "  %s to %s", t.at(b.Start), t.at(b.End))
		}
		_, err := fmt.Fprintln(t.out)
		for i := range b.Places {
			if p := &b.Places[i]; p.Start.Before(p.End) {
				fmt.Fprintln(t.out, "  "+t.placeText(p))
			}
		}
		return err
	})
}

func (t *tool) placeText(p *api.Place) string {
	s := fmt.Sprintf("%s: %d", p.Schedule, p.Units)
	if len(p.Servers) > 0 {
		s += fmt.Sprintf(", servers %v", p.Servers)
	}
	for _, n := range p.Nodes {
		s += fmt.Sprintf(", node %d: %d", n.Node, n.Tasks)
	}
	return printable(s)
}

// offers prints places.
func (t *tool) offers(list []api.Offer) error {
	return t.columns("START\tEND\tWHERE\tHOW", func(row func(...any)) {
		for _, o := range list {
			var places []string
			for i := range o.Places {
				places = append(places, t.placeText(&o.Places[i]))
			}
			row(t.at(&o.Start), t.at(&o.End), strings.Join(places, "; "), o.Text)
		}
	})
}

// refusal prints why there is no place, and what would do instead.
func (t *tool) refusal(w io.Writer, r *api.Refusal) {
	if r == nil {
		return
	}
	for _, reason := range r.Reasons {
		fmt.Fprintln(w, "  because", printable(reason))
	}
	if r.Next != nil {
		fmt.Fprintln(w, "  the next place is on", t.at(r.Next))
	}
	for _, o := range r.Alternatives {
		fmt.Fprintln(w, "  instead:", t.at(&o.Start), "to", t.at(&o.End), printable(o.Text))
	}
}

func eventText(e *api.Event) string {
	s := fmt.Sprintf("%d %s %s", e.Number, e.At.Local().Format(clockForm), e.What)
	if e.Booking > 0 {
		s += fmt.Sprintf(" #%d", e.Booking)
	}
	for _, text := range []string{e.Owner, e.Schedule} {
		if text != "" {
			s += " " + text
		}
	}
	if e.To != nil {
		s += " " + e.To.Start.Local().Format(clockForm) + " to " + e.To.End.Local().Format(clockForm)
	}
	return printable(s)
}
