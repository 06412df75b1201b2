package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"
)

//go:embed templates/*.tmpl
var templates embed.FS

// page is a place that quotes figures.
type page struct {
	file string
	name string // of the mark, and of the template
}

// pages are all places that quote figures.
var pages = []page{
	{"README.md", "readme"},
	{"bench/README.md", "booking"},
	{"bench/README.md", "servers"},
	{"bench/README.md", "nodes"},
	{"bench/peers/README.md", "peers"},
	{"replicated/README.md", "three"},
	{"replicated/README.md", "replicated"},
	{"desk/doc.go", "desk"},
	{"nodes/doc.go", "gang"},
}

// writePages writes the figures into all pages under a folder, or into none.
func (r *results) writePages(root string) error {
	texts := map[string]string{}
	for _, p := range pages {
		path := filepath.Join(root, filepath.FromSlash(p.file))
		if texts[path] == "" {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			texts[path] = string(data)
		}
		made, err := r.render(p.name)
		if err == nil {
			texts[path], err = p.put(texts[path], made)
		}
		if err != nil {
			return fmt.Errorf("%s, %s: %w", p.file, p.name, err)
		}
	}
	for path, text := range texts {
		err := os.WriteFile(path, []byte(text), 0o666)
		if err != nil {
			return err
		}
	}
	return nil
}

// render makes the text of a template.
func (r *results) render(name string) (string, error) {
	r.used, r.spread = map[string]bool{}, 0
	t, err := template.New(name+".tmpl").Funcs(template.FuncMap{
		"time":  func(of, unit string) (string, error) { return r.format(of, unit, duration) },
		"count": func(of, unit string) (string, error) { return r.format(of, unit, count) },
		"share": func(of, unit string) (string, error) {
			return r.format(of, unit, func(x float64) string { return digits(x) + " %" })
		},
		"ratio": r.ratio,
		"text": func(of string) (string, error) {
			if r.texts[of] == "" {
				return "", fmt.Errorf("no sitting has run %q", of)
			}
			r.used[of] = true
			return strings.TrimSpace(r.texts[of]), nil
		},
		"note": r.note,
	}).ParseFS(templates, "templates/"+name+".tmpl")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, nil)
	return strings.TrimSpace(b.String()), err
}

func (r *results) format(of, unit string, f func(float64) string) (string, error) {
	x, err := r.median(of, unit)
	return f(x), err
}

// ratio returns how many times as large a figure is as another.
func (r *results) ratio(of, unit, by, byUnit string) (string, error) {
	a, err := r.median(of, unit)
	if err != nil {
		return "", err
	}
	b, err := r.median(by, byUnit)
	if err != nil {
		return "", err
	}
	return digits(a / b), nil
}

// note says when and where the figures of a template were measured, and how far they differ. It stands at the end of the
// template.
func (r *results) note() string {
	sittings, when := r.sittings()
	of := "One sitting"
	switch {
	case sittings == 2:
		of = "Means of 2 sittings"
	case sittings > 2:
		of = fmt.Sprintf("Medians of %d sittings", sittings)
	}
	text := fmt.Sprintf("%s, %s, on %s", of, when, r.machine)
	if r.spread > 0 {
		text += fmt.Sprintf("; the sittings differ by %.0f %% at the most, in %s", 100*r.spread, r.widest)
	}
	var disturbed []string
	for of := range r.used {
		if r.trouble[of] != "" && !slices.Contains(disturbed, r.trouble[of]) {
			disturbed = append(disturbed, r.trouble[of])
		}
	}
	if len(disturbed) == 0 {
		text += fmt.Sprintf("; before and after each command, other programs took less than %.0f %% of the processors", 100*mostBusy)
	} else {
		slices.Sort(disturbed)
		text += ". **The machine was disturbed**: " + strings.Join(disturbed, "; ")
	}
	return text + "."
}

// sittings returns how often the figures of a template were measured at least, and when.
func (r *results) sittings() (n int, when string) {
	var all []string
	for of := range r.used {
		dates := r.dates[of]
		if all == nil || len(dates) < n {
			n = len(dates)
		}
		all = append(all, dates...)
	}
	slices.SortFunc(all, func(a, b string) int { return day(a).Compare(day(b)) })
	when = all[0]
	if last := all[len(all)-1]; last != when {
		when += " to " + last
	}
	return n, when
}

// day is the date in the head of a sitting; one that does not parse is the first of all.
func day(text string) time.Time {
	t, _ := time.Parse(dates, text)
	return t
}

// put puts a text between the marks of the page, or into its section of a package comment.
func (p page) put(text, made string) (string, error) {
	begin, end := "<!-- figures "+p.name+" -->\n", "\n<!-- end of figures -->"
	if strings.HasSuffix(p.file, ".go") {
		begin, end = "// # Measured\n//\n", "\n//\n// # "
		var lines []string
		for line := range strings.Lines(made) {
			lines = append(lines, strings.TrimRight("// "+strings.TrimSuffix(line, "\n"), " "))
		}
		made = strings.ReplaceAll(strings.Join(lines, "\n"), "// \t", "//\t")
	}
	before, rest, ok := strings.Cut(text, begin)
	if !ok {
		return "", fmt.Errorf("%q is missing", strings.TrimSpace(begin))
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("%q is missing", strings.TrimSpace(end))
	}
	return before + begin + made + end + after, nil
}
