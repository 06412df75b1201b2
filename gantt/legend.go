package gantt

import (
	"cmp"
	"fmt"
	"slices"
)

// explanation is an entry of a legend: a square that looks like a bar or the past, and its meaning.
type explanation struct{ class, fill, name string }

// legend returns the explanations that a chart needs: of keys that are not labels, of signs of bars, and
// of the past.
func (c *Chart) legend(bars []Bar, place map[string]int, shaded bool) []explanation {
	var list []explanation
	add := func(yes bool, class, fill, name string) {
		if yes {
			list = append(list, explanation{class, fill, name})
		}
	}
	if !shaded {
		for _, k := range explained(keysOf(bars), bars) {
			add(true, "bar", palette[place[k]], k)
		}
		add(slices.ContainsFunc(bars, nameless), "bar", palette[0], "taken")
		add(slices.ContainsFunc(bars, func(b Bar) bool { return b.Held && !b.Expected && !b.Closed }), "bar held", palette[0], cmp.Or(c.held, "on hold"))
		add(slices.ContainsFunc(bars, func(b Bar) bool { return b.Expected && !b.Closed }), "bar expected", palette[0], "expected")
		add(slices.ContainsFunc(bars, func(b Bar) bool { return b.Closed }), "closed", "url(#"+hatch+")", "closed")
	}
	add(c.split(), "past", "", "past")
	return list
}

// nameless reports whether a bar has neither a key nor a label, and is not closed.
func nameless(b Bar) bool { return b.Key == "" && b.Label == "" && !b.Closed }

// explained returns the keys that a chart explains: keys that are not the labels of
// their own bars, if there are no more of them than colours.
func explained(keys []string, bars []Bar) []string {
	apart := map[string]bool{}
	for _, b := range bars {
		if b.Key != b.Label {
			apart[b.Key] = true
		}
	}
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !apart[k] })
	if len(keys) > colours {
		return nil
	}
	return keys
}

// legendName returns the name of an entry, cut to the width of the plot.
func (l *layout) legendName(e explanation) string {
	return fit(cut(e.name, maxLabelLetters), l.plot()-key)
}

// legendPlace returns the line of the i-th entry, and the x at which it begins.
func (l *layout) legendPlace(legend []explanation, i int) (line, x int) {
	x = l.left
	for k := 0; ; k++ {
		width := key + measure(l.legendName(legend[k]))
		if x > l.left && x+width > l.right {
			line, x = line+1, l.left
		}
		if k == i {
			return line, x
		}
		x += width + 2*space
	}
}

// explain draws the legend.
func (d *drawing) explain(legend []explanation) {
	for i, e := range legend {
		line, x := d.legendPlace(legend, i)
		y := d.legendTop + line*lineHeight
		fill := ""
		if e.fill != "" {
			fill = fmt.Sprintf(` fill="%s"`, e.fill)
		}
		fmt.Fprintf(d, `<rect class="%s key"%s x="%s" y="%s" width="12" height="12"/>`, e.class, fill, number(x), number(y))
		d.text("faint", "start", x+key, y+10*px, d.legendName(e))
	}
}
