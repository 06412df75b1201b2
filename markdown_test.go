package bookahead_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// files returns the files whose names end so, by path.
func files(t *testing.T, end string) map[string]string {
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "out") {
			return fs.SkipDir
		}
		if strings.HasSuffix(p, end) {
			text, err := os.ReadFile(p)
			all[p] = string(text)
			return err
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// block is a fenced block of a page; its language is "" if none is given.
type block struct{ language, text string }

// divide returns the blocks of a page, and its text without them.
func divide(page string) (prose string, blocks []block) {
	fence := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	return fence.ReplaceAllString(page, ""), blocks
}

// anchors returns the anchors that GitHub gives to the headings of a page.
func anchors(page string) map[string]bool {
	prose, _ := divide(page)
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(prose, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all[strings.ReplaceAll(name, " ", "-")] = true
	}
	return all
}

// TestLinks checks that relative links in Markdown files lead to files and headings that exist.
func TestLinks(t *testing.T) {
	pages := files(t, ".md")
	code := regexp.MustCompile("`[^`]*`")
	seen := 0
	for name, page := range pages {
		prose, _ := divide(page)
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(code.ReplaceAllString(prose, "code"), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			to, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if to != "" {
				target = path.Join(path.Dir(name), to)
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to %s", name, m[1])
			if anchor != "" {
				require.Contains(t, anchors(pages[target]), anchor, "%s links to %s", name, m[1])
			}
		}
	}
	require.Greater(t, seen, 60)
}

// TestCommands checks that CI finds the commands of Markdown files: in a block they stand in an sh
// block, as .ci/commands reads no other. A benchmark does not run all tests first.
func TestCommands(t *testing.T) {
	seen := 0
	for name, page := range files(t, ".md") {
		if path.Base(name) == "RESULTS.md" {
			continue // the commands of the run that made the page
		}
		_, blocks := divide(page)
		for _, b := range blocks {
			if b.language != "sh" {
				require.NotRegexp(t, `(?m)^(\$ |([A-Z_]+=\S+ )*(go (run|test|doc|get|-C)|bash) )`, b.text, "%s: a command outside of an sh block", name)
			}
		}
		for _, c := range regexp.MustCompile("go (?:-C \\S+ )?test [^`\n]*-bench [^`\n]*").FindAllString(page, -1) {
			seen++
			require.Contains(t, c, "-run '^$'", name)
		}
	}
	require.Greater(t, seen, 5)
}

// TestRecipes checks that the code of RECIPES.md is part of a test that is compiled, and that each
// Example that a page names exists.
func TestRecipes(t *testing.T) {
	level := regexp.MustCompile(`(?m)^\t+`)
	var code strings.Builder
	for _, text := range files(t, "_test.go") {
		code.WriteString(text)
	}
	compiled := level.ReplaceAllString(code.String(), "")

	pages := files(t, ".md")
	_, blocks := divide(pages["RECIPES.md"])
	require.NotEmpty(t, blocks)
	for _, b := range blocks {
		require.Equal(t, "go", b.language)
		require.True(t, strings.Contains(compiled, level.ReplaceAllString(b.text, "")), "no test has this code:\n%s", b.text)
	}
	seen := 0
	for name, page := range pages {
		for _, m := range regexp.MustCompile("`(Example\\w*)`").FindAllStringSubmatch(page, -1) {
			seen++
			require.True(t, strings.Contains(compiled, "\nfunc "+m[1]+"() {"), "%s names %s", name, m[1])
		}
	}
	require.Greater(t, seen, 25)
}
