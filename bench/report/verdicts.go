package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// verdicts reads the claims of a paper from a CSV file: where, claim and paper, then the
// circumstances if there are any, the verdict, the names of the numbers, their means, and the value that is
// judged with its half width, its bounds and a note. Claims that differ in the last circumstance only, such as
// the load, are one here, and the first of them decides. A claim about times is judged anew if the
// machine was busy.
func verdicts(t *table, l load) ([]verdict, error) {
	for _, name := range []string{"where", "claim", "paper", "verdict", "numbers", "a", "b", "value", "half", "from", "to"} {
		t.column(name)
	}
	if t.err != nil {
		return nil, t.err
	}
	from, to := t.column("paper")+1, t.column("verdict")
	var all []verdict
	var before string
	for _, row := range t.rows {
		c := finding{t.header, row}
		outcome, note := c.outcome(l)
		about := slices.Clone(row[from:to])
		if c.cell("verdict") != trial.Untested {
			about = append(about, c.numbers())
		}
		text := strings.Join(about, "; ")
		key := fmt.Sprint(c.cell("where"), c.cell("claim"), row[from:max(from, to-1)])
		if key == before {
			text = outcome + ": " + text
		} else {
			before = key
			all = append(all, verdict{Where: c.cell("where"), Claim: c.cell("claim"), Paper: c.cell("paper"), Outcome: outcome})
		}
		last := &all[len(all)-1]
		last.Numbers = append(last.Numbers, evidence{text, note})
	}
	return all, nil
}

// finding is a row of a file of claims.
type finding struct{ header, cells []string }

// cell returns the cell of a column; "" if there is no such column.
func (f finding) cell(name string) string {
	i := slices.Index(f.header, name)
	if i < 0 {
		return ""
	}
	return f.cells[i]
}

// number returns the number in a column.
func (f finding) number(name string) float64 {
	x, err := strconv.ParseFloat(f.cell(name), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// outcome returns the verdict, for a machine under some load, and the note. All programs measure the times of calls
// in µs; times in other units are simulated, and no load changes them.
func (f finding) outcome(l load) (outcome, note string) {
	said, note := f.cell("verdict"), f.cell("note")
	if !strings.Contains(f.cell("numbers"), "µs") {
		return said, note
	}
	logarithm := strings.Contains(f.cell("numbers"), "logarithm")
	outcome = l.judge(said, logarithm, f.number("value"), f.number("half"), f.number("from"), f.number("to"))
	if outcome != said {
		busy := fmt.Sprintf("load average %.1f on %d cores; the numbers alone say: %s", l.most(), l.cores, said)
		note = strings.TrimSuffix(busy+". "+note, ". ")
	}
	return outcome, note
}

// numbers are those behind the verdict.
func (f finding) numbers() string {
	rounded := func(name string) string {
		v, err := parseValue(f.cell(name))
		if err != nil || !v.known {
			return f.cell(name)
		}
		return short(v.x)
	}
	text := f.cell("numbers") + ": " + rounded("a")
	if strings.Contains(f.cell("numbers"), ", ") {
		text += ", " + rounded("b")
	}
	half := f.cell("half")
	if half != "" && half != "0" {
		text += fmt.Sprintf(" (%s ± %s)", rounded("value"), rounded("half"))
	}
	return text
}
