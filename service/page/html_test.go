package page_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// hostile are texts that would do harm if a page took them for anything but text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onfocus='alert(1)`, "</title></style></textarea>", "javascript:alert(1)",
	"{{.}}", "\u202egnihtemos", "a\x00\x1b[31mb\x07", "\xff\xfe", "&lt;b&gt;",
}

// TestPages: of every page that a link reaches: forms have labels, nothing is inline, no text is taken for anything else, headings do
// not skip a level, ids are there once, and every link answers.
func TestPages(t *testing.T) {
	s := start(t)
	for i, title := range hostile {
		s.book("ann", "link", title, "1", 6+i%8, 1).is(http.StatusOK)
	}
	s.get("ann", "/schedules/a%2Fb%20%3F&%3Cc%3E").form("Book").send("title", hostile[0], "start", local(8), "hours", "1", "by", local(20)).is(http.StatusOK)
	s.get("ann", "/schedules/gpus").form("Book").send("title", hostile[1], "start", local(8), "hours", "1", "hold", "99").is(http.StatusOK)
	s.get("root", "/operate").form("Close").send("schedule", "link", "units", "2", "start", local(9), "title", hostile[0], "act", "close").is(http.StatusOK)

	for _, by := range []string{"ann", "tom", "root"} {
		seen := map[string]bool{}
		queue := []string{"/", "/schedules/link?view=day&at=" + tomorrow(), "/schedules/link?view=month&at=2027-03-01"}
		for len(queue) > 0 && len(seen) < 60 {
			path := queue[0]
			queue = queue[1:]
			if seen[path] {
				continue
			}
			seen[path] = true
			a := s.get(by, path).is(http.StatusOK)
			if strings.HasPrefix(path, "/static/") {
				require.Contains(t, a.head.Get("Cache-Control"), "immutable")
				continue
			}
			a.isSound()
			for _, n := range all(a.root, "a") {
				link := attr(n, "href")
				require.True(t, strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//") || link == "#main", "%s links to %q", path, link)
				if link != "#main" && !strings.HasPrefix(link, "/log") {
					queue = append(queue, link)
				}
			}
			for _, name := range []string{"link", "script", "img"} {
				for _, n := range all(a.root, name) {
					queue = append(queue, attr(n, "href")+attr(n, "src"))
				}
			}
		}
		require.Greater(t, len(seen), 10)
	}
	for _, a := range []answer{
		s.get("ann", "/nowhere").is(http.StatusNotFound), s.get("ann", "/schedules/none").is(http.StatusNotFound), s.get("ann", "/static/none.js").is(http.StatusNotFound),
		s.get("tom", "/operate").is(http.StatusForbidden), s.post("tom", "/schedules/link", "start", local(8), "hours", "1").is(http.StatusForbidden),
		s.get("ann", "/schedules/link?at=9999-01-01&view=x&width=-4&cursor=").is(http.StatusOK), s.get("ann", "/schedules/link?cursor=x").is(http.StatusUnprocessableEntity),
		s.get("ann", "/schedules/link?at=1900-01-01").is(http.StatusUnprocessableEntity), s.get("root", "/operate?before=3&at=x").is(http.StatusOK),
	} {
		if strings.Contains(a.head.Get("Content-Type"), "text/html") {
			a.isSound()
		}
	}
}

// isSound checks the structure of a page.
func (a answer) isSound() {
	a.Helper()
	policy := a.head.Get("Content-Security-Policy")
	require.Contains(a, policy, "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-")
	require.NotContains(a, policy, "unsafe")
	ids, named := map[string]int{}, map[string]bool{}
	level := 0
	for n := range a.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, x := range n.Attr {
			require.False(a, strings.HasPrefix(x.Key, "on"), "%s: an inline handler %s=%q of %s", a.path, x.Key, x.Val, n.Data)
			require.NotEqual(a, "style", x.Key, "%s: an inline style of %s", a.path, n.Data)
			switch x.Key {
			case "id":
				ids[x.Val]++
			case "for", "aria-labelledby":
				named[x.Val] = true
			case "href", "src", "action", "formaction":
				require.NotContains(a, strings.ToLower(x.Val), "javascript:")
			}
		}
		switch n.Data {
		case "script":
			require.True(a, strings.HasPrefix(attr(n, "src"), "/static/") && n.FirstChild == nil, "%s: an inline script", a.path)
		case "style":
			require.Equal(a, "svg", n.Parent.Data)
		case "img":
			require.True(a, strings.HasPrefix(attr(n, "src"), "/static/"))
			require.True(a, has(n, "alt"))
		case "h1", "h2", "h3", "h4":
			now := int(n.Data[1] - '0')
			require.LessOrEqual(a, now, level+1, "%s: the heading %q skips a level", a.path, text(n))
			level = now
		case "input", "select", "textarea":
			require.True(a, attr(n, "type") == "hidden" || labelled(n), "%s: the field %q has no label", a.path, attr(n, "name"))
		case "button", "a", "summary", "caption", "title", "legend":
			require.NotEmpty(a, text(n), "%s: an empty %s", a.path, n.Data)
		case "th":
			require.True(a, has(n, "scope"))
		}
	}
	require.Len(a, all(a.root, "h1"), 1, a.path)
	require.Len(a, all(a.root, "main"), 1)
	for id, n := range ids {
		require.Equal(a, 1, n, "%s: the id %s", a.path, id)
	}
	for id := range named {
		require.Equal(a, 1, ids[id], "%s: nothing has the id %s", a.path, id)
	}
	shown := text(all(a.root, "main")[0])
	for _, r := range "\x00\x1b\x07\u202e" {
		require.NotContains(a, shown, string(r), a.path)
	}
}

func labelled(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Data == "label" {
			return text(p) != ""
		}
	}
	return has(n, "aria-label")
}

// TestHostileTitlesAreShown: they are texts on all pages that have them, for those who may see them.
func TestHostileTitlesAreShown(t *testing.T) {
	s := start(t)
	s.book("ann", "link", hostile[0], "1", 8, 1).is(http.StatusOK)
	day := "/schedules/link?view=day&at=" + tomorrow()
	for _, path := range []string{"/bookings/1", day, "/mine"} {
		require.Contains(t, text(s.get("ann", path).root), hostile[0], path)
		require.NotContains(t, s.get("ann", path).text, hostile[0], path)
	}
	for _, by := range []string{"bob", "tom"} {
		require.NotContains(t, s.get(by, day).text, "alert(1)", "the title is ann's")
	}
	require.Contains(t, text(s.get("root", day).root), hostile[0], "operators see all titles")
}

// TestWithoutACaller: whoever is unknown sees a link to log in, and nothing else.
func TestWithoutACaller(t *testing.T) {
	s := start(t)
	s.book("ann", "link", "secret", "1", 8, 1)
	for _, path := range []string{"/", "/schedules/link?view=day&at=" + tomorrow(), "/bookings/1", "/mine", "/operate"} {
		a := s.get("", path).is(http.StatusUnauthorized)
		require.NotContains(t, a.text, "ann")
		require.NotContains(t, a.text, "link</")
		require.Len(t, all(a.root, "script"), 0)
		a.isSound()
		found := false
		for _, n := range all(a.root, "a") {
			found = found || strings.HasPrefix(attr(n, "href"), "/login?back=%2f")
		}
		require.True(t, found, a.text)
	}
	s.post("", "/schedules/link", "start", local(9), "hours", "1").is(http.StatusUnauthorized)
}

// TestFeedOfThePage: the address on the page is one that the service knows.
func TestFeedOfThePage(t *testing.T) {
	s := start(t)
	s.book("ann", "link", "copies", "1", 8, 1)
	a := s.get("ann", "/mine")
	for _, n := range all(a.root, "input") {
		if feed := attr(n, "value"); strings.Contains(feed, "/calendar/owner/") {
			res, err := http.Get(feed)
			require.NoError(t, err)
			defer res.Body.Close()
			require.Equal(t, http.StatusOK, res.StatusCode)
			require.Contains(t, res.Header.Get("Content-Type"), "text/calendar")
			return
		}
	}
	require.Fail(t, "there is no feed", a.text)
}
