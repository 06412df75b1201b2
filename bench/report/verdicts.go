package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// What becomes of a claim.
const (
	holds        = "holds"
	fails        = "does not hold"
	inconclusive = "inconclusive"
	untested     = "cannot be tested"
)

var outcomes = []string{holds, fails, inconclusive, untested}

// class is how an outcome is marked in the page.
func class(outcome string) string {
	switch outcome {
	case holds:
		return "holds"
	case fails:
		return "fails"
	case inconclusive:
		return "open"
	}
	return "untested"
}

// verdict is a claim of a paper, and what became of it here.
type verdict struct {
	Where, Claim, Outcome string
	Paper                 string // its numbers, if they are told apart
	Numbers               []string
}

// counted says how many claims have an outcome.
var counted = map[string]string{holds: "%d hold", fails: "%d do not hold", inconclusive: "%d inconclusive", untested: "%d cannot be tested"}

// count says how many verdicts of the section have an outcome.
func (s section) count(outcome string) int {
	n := 0
	for _, v := range s.Verdicts {
		if v.Outcome == outcome {
			n++
		}
	}
	return n
}

// spoken begins with an outcome, in the words of one of the papers' programs.
var spoken = regexp.MustCompile(`^(holds|does not hold|refuted|inconclusive|cannot be tested)( \([^)]*\))?: (.*)$`)

// outcome splits a line that begins with an outcome.
func outcome(line string) (verdict, rest string, ok bool) {
	m := spoken.FindStringSubmatch(line)
	if m == nil {
		return "", line, false
	}
	if m[1] == "refuted" {
		m[1] = fails
	}
	return m[1], strings.TrimSpace(m[2] + " " + m[3]), true
}

// printedVerdicts reads the claims in what a paper's program prints, after a line
// that begins with "Claims": each is a line that says where it stands, what is
// claimed, and in some programs the verdict; lines that are set in follow, of
// which the first has the verdict otherwise.
func printedVerdicts(in io.Reader) ([]verdict, error) {
	var all []verdict
	began := false
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), " ")
		text := strings.TrimSpace(line)
		where, what, split := strings.Cut(line, "  ")
		switch {
		case !began:
			began = strings.HasPrefix(line, "Claims")
		case text == "":
		case line[0] != ' ' && !split:
			return all, nil // the next chapter
		case line[0] != ' ':
			v := verdict{Where: where}
			v.Outcome, v.Claim, _ = outcome(strings.TrimSpace(what))
			v.Claim = strings.TrimSuffix(v.Claim, ".")
			all = append(all, v)
		case len(all) == 0:
			return nil, fmt.Errorf("claims begin with %q, which belongs to none", text)
		default:
			v := &all[len(all)-1]
			if v.Outcome == "" {
				v.Outcome, text, _ = outcome(text)
			}
			v.Numbers = append(v.Numbers, text)
		}
	}
	return all, lines.Err()
}

// tabledVerdicts reads the claims from a CSV file: where, claim and paper, then
// the circumstances, the verdict, what the numbers are, and their mean with its
// half width. Claims that differ in the last circumstance only, which is how the
// work is read, are one here, and the first of them decides.
func tabledVerdicts(t *table) ([]verdict, error) {
	columns := map[string][]string{}
	for _, name := range []string{"where", "claim", "paper", "verdict", "numbers", "a", "b", "value", "half"} {
		cells, err := t.texts(name)
		if err != nil {
			return nil, err
		}
		columns[name] = cells
	}
	from, to := slices.Index(t.header, "paper")+1, slices.Index(t.header, "verdict")
	if from >= to {
		return nil, fmt.Errorf("%s: there is no column between paper and verdict", t.name)
	}
	var all []verdict
	var before string
	for i, row := range t.rows {
		cell := func(name string) string { return columns[name][i] }
		v := verdict{Where: cell("where"), Claim: cell("claim"), Paper: cell("paper"), Outcome: cell("verdict")}
		about := strings.Join(row[from:to], ", ")
		if v.Outcome != untested {
			about += "; " + numbers(cell)
		}
		if key := fmt.Sprint(v.Where, v.Claim, row[from:to-1]); key == before {
			last := &all[len(all)-1]
			last.Numbers = append(last.Numbers, v.Outcome+", "+about)
		} else {
			before, v.Numbers = key, []string{about}
			all = append(all, v)
		}
	}
	return all, nil
}

// numbers are those behind a verdict.
func numbers(cell func(name string) string) string {
	rounded := func(name string) string {
		if v, err := parseValue(cell(name)); err == nil && v.known {
			return short(v.x)
		}
		return cell(name)
	}
	text := cell("numbers") + ": " + rounded("a")
	if strings.Contains(cell("numbers"), ", ") {
		text += ", " + rounded("b")
	}
	if half := cell("half"); half != "" && half != "0" {
		text += fmt.Sprintf(" (%s ± %s)", rounded("value"), rounded("half"))
	}
	return text
}
