package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
)

// TestTitlesAreNowhere books with titles and labels that only the owner may see, and looks for them in every answer that others
// get: of each operation, in problems, in events and in feeds.
func TestTitlesAreNowhere(t *testing.T) {
	s := start(t, "")
	const title, label = "geheim-4711", "marke=0815"
	hidden := func(by string, a answer) {
		t.Helper()
		require.NotContains(t, string(a.body), title, by)
		require.NotContains(t, string(a.body), label, by)
		require.NotContains(t, fmt.Sprint(a.header), title, by)
	}
	book := func(schedule string, units int64, from, until int, more func(b *api.Book)) (v api.Booking) {
		t.Helper()
		w := want(title, schedule, units, from, until)
		w.Labels = []string{label}
		if more != nil {
			more(&w)
		}
		a := s.call("ann", "POST", "/v1/bookings", w)
		require.Less(t, a.code, 300, "%s", a.body)
		require.NoError(t, json.Unmarshal(a.body, &v))
		require.Equal(t, title, v.Title)
		return v
	}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	events := s.events(ctx, "eve", "")

	booked := book("link", 10, 8, 12, nil)
	book("lab", 2, 8, 12, nil)
	hold := time.Now().Add(time.Hour)
	book("gpus", 4, 8, 12, func(b *api.Book) { b.Hold = &hold })
	wait := tomorrow(20)
	book("link", 10, 8, 12, func(b *api.Book) { b.Wait = &wait })
	running := book("link", 1, 0, 1, func(b *api.Book) { b.Ready, b.Deadline = nil, nil })
	gone := book("link", 1, 14, 15, nil)
	s.call("ann", "DELETE", fmt.Sprintf("/v1/bookings/%d", gone.ID), nil).is(http.StatusOK, nil)
	series := s.weekly("ann", 20)
	series.Title, series.Labels = title, []string{label}
	s.call("ann", "POST", "/v1/series", series).is(http.StatusCreated, nil)
	start, end := tomorrow(8), tomorrow(9)
	s.call("root", "POST", "/v1/outages", api.Close{Schedule: "lab", Servers: []int{0}, Start: &start, End: &end, Preempt: "anybody"}).is(http.StatusCreated, nil)

	window := "from=" + tomorrow(-24).UTC().Format(time.RFC3339) + "&until=" + tomorrow(48).UTC().Format(time.RFC3339)
	for _, by := range []string{"eve", "tom"} {
		for _, path := range []string{
			"/v1/bookings", "/v1/bookings?owner=ann", "/v1/bookings?schedule=link&" + window, "/v1/bookings?state=held", "/v1/bookings?state=waiting", "/v1/bookings?series=1",
			"/v1/schedules", "/v1/schedules/link", "/v1/schedules/link/free?" + window, "/v1/schedules/link/use?" + window, "/v1/schedules/gpus/use?" + window,
			"/v1/outages", "/v1/quotas?" + window, "/v1/me", "/v1/openapi.json", "/v1/audit", "/v1/feeds",
		} {
			hidden(by+path, s.call(by, "GET", path, nil))
		}
		for id := booked.ID; id <= gone.ID+2; id++ {
			path := fmt.Sprintf("/v1/bookings/%d", id)
			a := s.call(by, "GET", path, nil).is(http.StatusOK, nil)
			hidden(by+path, a)
			require.NotContains(t, string(a.body), `"title"`)
			hidden(by+path, s.call(by, "DELETE", path, nil))
			hidden(by+path, s.call(by, "PUT", path, want("", "link", 1, 8, 9).Wish))
			hidden(by+path, s.call(by, "POST", path+"/commit", nil))
			hidden(by+path, s.call(by, "POST", path+"/end", nil, "If-Match", `"1-0000000000000000"`))
		}
		for _, schedule := range []string{"link", "lab", "gpus"} {
			w := want("", schedule, 2, 8, 9)
			for _, path := range []string{"/v1/searches", "/v1/reasons", "/v1/alternatives", "/v1/bookings"} {
				var body any = w.Wish
				if path == "/v1/bookings" {
					body = w
				}
				hidden(by+path, s.call(by, "POST", path, body))
			}
			start, end := tomorrow(0), tomorrow(24)
			hidden(by, s.call(by, "POST", "/v1/outages/preview", api.Close{Schedule: schedule, Units: 10, Start: &start, End: &end}).is(http.StatusOK, nil))
			var a struct{ URL string }
			s.call(by, "GET", "/v1/feeds?schedule="+schedule, nil).is(http.StatusOK, &a)
			u, err := url.Parse(a.URL)
			require.NoError(t, err)
			hidden(by+"'s feed", s.call("", "GET", u.RequestURI(), nil).is(http.StatusOK, nil))
		}
		// Whether a booking of others has a label is nothing to ask for.
		var page api.Page[api.Booking]
		s.call(by, "GET", "/v1/bookings?label="+url.QueryEscape(label), nil).is(http.StatusOK, &page)
		require.Empty(t, page.Items, by)
	}
	var page api.Page[api.Booking]
	s.call("ann", "GET", "/v1/bookings?label="+url.QueryEscape(label), nil).is(http.StatusOK, &page)
	require.Len(t, page.Items, 8)
	require.Equal(t, "running", s.state(running.ID))

	// A tag of others says nothing of the title: who guesses it finds no proof.
	path := fmt.Sprintf("/v1/bookings/%d", booked.ID)
	tag := s.call("eve", "GET", path, nil).header.Get("ETag")
	w := want("another", "link", 10, 8, 12).Wish
	s.call("ann", "PUT", path, w, "If-Match", `"`+booked.ETag+`"`).is(http.StatusOK, nil)
	require.Equal(t, tag, s.call("eve", "GET", path, nil).header.Get("ETag"))
	require.NotEqual(t, `"`+booked.ETag+`"`, s.call("ann", "GET", path, nil).header.Get("ETag"))

	stop()
	told := <-events
	require.Contains(t, told, `"booked"`)
	hidden("eve's stream", answer{s, 0, nil, []byte(told)})
}

func (s *service) state(id uint64) string {
	s.Helper()
	var b api.Booking
	s.call("root", "GET", fmt.Sprintf("/v1/bookings/%d", id), nil).is(http.StatusOK, &b)
	return b.State
}

// events reads a stream until the context ends.
func (s *service) events(ctx context.Context, by, until string) <-chan string {
	r, err := http.NewRequestWithContext(ctx, "GET", s.server.URL+"/v1/events", nil)
	require.NoError(s, err)
	r.Header.Set("Authorization", "Bearer "+by+"'s token")
	r.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(r)
	require.NoError(s, err)
	all := make(chan string, 1)
	go func() {
		defer res.Body.Close()
		text := ""
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			text += lines.Text() + "\n"
			if until != "" && strings.Contains(text, until) {
				break
			}
		}
		all <- text
	}()
	return all
}

// TestHostileTexts books with texts that no page and no terminal should show as they are.
func TestHostileTexts(t *testing.T) {
	s := start(t, "")
	for _, title := range []string{
		"<script>alert(1)</script>", "\u202egnissim\u202c", "a\u0000b\u001b[31mred\u0007", "\u0085\u009b", "bad \xff bytes", "\u2066x\u2069", "a\r\nSet-Cookie: x=y",
		"{{.}} ${x} %s %n", "BEGIN:VEVENT\r\nUID:x", "\ufeff", strings.Repeat("\u0301", 300),
	} {
		w := want(title, "link", 1, 8, 9)
		w.Labels = []string{"l=" + title[:min(len(title), 20)]}
		var b api.Booking
		a := s.call("ann", "POST", "/v1/bookings", w, "Idempotency-Key", strings.Map(printable, title[:min(len(title), 100)])).is(http.StatusCreated, &b)
		require.Equal(t, "application/json", a.header.Get("Content-Type"))
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
		for _, text := range append(b.Labels, b.Title) {
			require.Equal(t, -1, strings.IndexFunc(text, unshowable), "%q", text)
		}
		s.call("ann", "DELETE", fmt.Sprintf("/v1/bookings/%d", b.ID), nil).is(http.StatusOK, nil)
	}
	var a struct{ URL string }
	s.call("ann", "GET", "/v1/feeds", nil).is(http.StatusOK, &a)
	u, err := url.Parse(a.URL)
	require.NoError(t, err)
	feed := string(s.call("", "GET", u.RequestURI(), nil).is(http.StatusOK, nil).body)
	require.NotContains(t, feed, "\r\nUID:x\r\n")
	require.NotContains(t, feed, "\x1b")
	require.NotContains(t, feed, "\u202e")
}

func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return '.'
	}
	return r
}

// unshowable reports whether a character is a control, or turns the direction of writing.
func unshowable(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}
