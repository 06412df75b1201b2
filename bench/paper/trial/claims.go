package trial

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// ClaimRows is a table of all findings for a file, after its header. Circumstances
// names the columns for the In of the findings.
func ClaimRows(circumstances []string, all []Finding) [][]string {
	header := append([]string{"where", "claim", "paper"}, circumstances...)
	rows := [][]string{append(header, "verdict", "numbers", "a", "b", "value", "half", "from", "to", "note")}
	for _, f := range all {
		names := append([]string{f.Where, f.What, f.Paper}, f.In...)
		row := Row(append(names, f.Verdict, f.Names), f.A, f.B, f.Value.Mean, f.Value.Half, f.From, f.To)
		rows = append(rows, append(row, f.Note))
	}
	return rows
}

// WriteClaims prints the findings in Markdown. Findings in turn that differ in the
// last circumstance only share a row, in which each has a column:
//
//	| where  | claim     | paper | log | numbers | logged      | estimates           |
//	|--------|-----------|-------|-----|---------|-------------|---------------------|
//	| Fig. 9 | It waits. | long  | KTH | hours   | **holds** 2 | **inconclusive** 9  |
//
// The first column decides: below the table, the verdicts in it are counted. Then
// come the notes.
func WriteClaims(out io.Writer, circumstances []string, all []Finding) {
	var columns []string
	for _, f := range all {
		_, last := f.split()
		if !slices.Contains(columns, last) {
			columns = append(columns, last)
		}
	}
	fmt.Fprint(out, "## Claims\n\nThe first column of verdicts decides. Where another one is empty, the verdict is that of the first. In parentheses: mean and 95 % confidence interval of the number that is judged, where it depends on chance.\n\n")
	t := Table{Header: []string{"where", "claim", "paper"}}
	if len(circumstances) > 0 {
		t.Header = append(t.Header, circumstances[:len(circumstances)-1]...)
	}
	t.Header = append(append(t.Header, "numbers"), columns...)
	before := ""
	var theirs, ours []Finding
	for _, f := range all {
		rest, last := f.split()
		column := slices.Index(columns, last)
		key := fmt.Sprint(f.Where, f.What, rest)
		if key != before {
			before = key
			row := append([]string{f.Where, f.What, f.Paper}, rest...)
			t.Rows = append(t.Rows, append(append(row, f.Names), make([]string, len(columns))...))
		}
		row := t.Rows[len(t.Rows)-1]
		row[len(row)-len(columns)+column] = f.Text()
		switch {
		case column > 0:
		case f.Where == Ours:
			ours = append(ours, f)
		default:
			theirs = append(theirs, f)
		}
	}
	t.write(out)
	fmt.Fprintf(out, "In the first column, of the paper's claims: %s; of ours: %s.\n\n", tally(theirs), tally(ours))
	writeNotes(out, all)
}

// split returns the circumstances before the last one, and the last one.
func (f Finding) split() (rest []string, last string) {
	n := len(f.In)
	if n == 0 {
		return nil, "verdict"
	}
	return f.In[:n-1], f.In[n-1]
}

// tally counts the verdicts.
func tally(all []Finding) string {
	return fmt.Sprintf("%d hold, %d do not, %d are inconclusive, %d cannot be told, %d cannot be tested",
		count(all, Holds), count(all, Fails), count(all, Inconclusive), count(all, Untold), count(all, Untested))
}

// writeNotes prints each note once, with all circumstances to which it applies.
func writeNotes(out io.Writer, all []Finding) {
	var notes []string
	in := map[string][]string{}
	for _, f := range all {
		if f.Note == "" {
			continue
		}
		note := fmt.Sprintf("- %s, %s: %s.", f.Where, f.What, f.Note)
		if in[note] == nil {
			notes = append(notes, note)
		}
		in[note] = append(in[note], strings.Join(f.In, " "))
	}
	for _, note := range notes {
		fmt.Fprintf(out, "%s (%s)\n", note, strings.Join(in[note], ", "))
	}
	if len(notes) > 0 {
		fmt.Fprintln(out)
	}
}
