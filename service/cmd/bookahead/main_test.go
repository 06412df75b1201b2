package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/server"
	"github.com/bookahead/bookahead/service/internal/who"
)

// begin starts a service, and sets the environment of the commands.
func begin(t *testing.T) string {
	text := "zone: Europe/Berlin\nepoch: 2026-01-01\nschedules:\n  - {name: link, kind: pool, units: 10, unit: Gbit/s}\n  - {name: lab, kind: servers, count: 2}\n" +
		"  - {name: gpus, kind: nodes, resources: [gpus, cpus], levels: [rack], nodes: [{count: 2, has: [8, 64], in: {rack: a}}]}\n" +
		"tokens: [{owner: ann, role: booker, sha256: " + who.SumOf("hush") + "}]\n"
	c, err := config.Read([]byte(text), filepath.Join(t.TempDir(), "bookahead.yaml"))
	require.NoError(t, err)
	gate, err := who.NewGate(c, make([]byte, 32))
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	o, err := office.Open(c, office.Options{Log: log})
	require.NoError(t, err)
	s := server.New(o, gate, server.Options{Log: log})
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.End()
		h.Close()
		require.NoError(t, o.Close())
	})
	t.Setenv("BOOKAHEAD_URL", h.URL)
	t.Setenv("BOOKAHEAD_TOKEN", "hush")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	require.Eventually(t, func() bool {
		code, out, _ := typed(t, "schedules")
		return code == 0 && strings.Contains(out, "gpus")
	}, 20*time.Second, 10*time.Millisecond)
	return h.URL
}

func typed(t *testing.T, args ...string) (code int, out, wrong string) {
	var o, e strings.Builder
	code = run(t.Context(), args, &o, &e)
	return code, o.String(), e.String()
}

func TestCommands(t *testing.T) {
	begin(t)
	ok := func(args ...string) string {
		t.Helper()
		code, out, wrong := typed(t, args...)
		require.Zero(t, code, "%q: %s%s", args, out, wrong)
		require.Empty(t, wrong)
		return out
	}
	require.Contains(t, ok("schedules"), "link  pool     10     Gbit/s\n")
	tomorrow := time.Now().AddDate(0, 0, 1).Format("Mon 2 Jan")
	require.Contains(t, ok("search", "link", "--units", "4", "--for", "2h", "--from", "tomorrow 14:00"), tomorrow+" 14:00")
	out := ok("book", "link", "--units", "10", "--for", "2h", "--from", "tomorrow 14:00", "--title", "all\x1b[31m", "--key", "k")
	require.Contains(t, out, "#1 booked  "+tomorrow+" 14:00 to "+tomorrow+" 16:00\n  link: 10\n")
	require.Equal(t, out, ok("book", "link", "--units", "10", "--for", "2h", "--from", "tomorrow 14:00", "--title", "all\x1b[31m", "--key", "k"))
	want := []string{"link", "--units", "5", "--for", "1h", "--from", "tomorrow 14:00", "--until", "tomorrow 16:00"}
	code, out, wrong := typed(t, append([]string{"book"}, want...)...)
	require.Equal(t, 3, code)
	require.Empty(t, out)
	require.Contains(t, wrong, "because")
	require.Contains(t, wrong, "instead: ")
	code, _, _ = typed(t, append([]string{"search"}, want...)...)
	require.Equal(t, 3, code)
	why := ok(append([]string{"why"}, want...)...)
	require.Contains(t, why, "because 5 units of \"link\"")
	require.Contains(t, ok("why", "lab"), "nothing is in the way")
	require.Contains(t, ok("book", "gpus", "--units", "2", "--each", "gpus=4,cpus=16", "--per-node", "1", "--for", "90m", "--from", "tomorrow 9:00"), "node 0: 1, node 1: 1")
	require.Contains(t, ok("book", "lab", "--hold", "+1h", "--for", "1d", "--from", "mon 9:00"), "#3 held")
	require.Contains(t, ok(append([]string{"book", "--wait", "tomorrow 16:00"}, want...)...), "#4 waiting")

	week := ok("week", "link", "--columns", "80", "--days", "2")
	require.Contains(t, week, "a #1 ann all")
	require.Contains(t, week, "aa")
	require.NotContains(t, week, "\x1b")
	require.Contains(t, ok("week", "gpus", "--days", "3"), "#2 ann")
	require.Contains(t, ok("week", "lab", "--days", "8"), "#3 ann")
	ok("week", "lab", "--from", "2027-06-01")

	require.Contains(t, ok("cancel", "1", "#2"), "#1 cancelled\n")
	code, _, wrong = typed(t, "cancel", "77")
	require.Equal(t, 1, code)
	require.Contains(t, wrong, "there is no booking 77")

	for args, into := range map[string]any{
		"schedules": &[]api.Schedule{}, "search lab": &api.Offer{}, "why lab": &api.Refusal{}, "book lab": &api.Booking{}, "week lab": &[]api.Booking{}, "cancel 4": &api.Booking{},
	} {
		require.NoError(t, json.Unmarshal([]byte(ok(append(strings.Fields(args), "--json")...)), into), args)
	}

	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	seen := &until{text: "cancelled #1 ann", found: stop}
	run(ctx, []string{"watch", "--after", "1"}, seen, io.Discard)
	require.Contains(t, seen.String(), "booked #1 ann")
	require.Contains(t, seen.String(), "cancelled #1 ann")

	_, out, _ = typed(t, "__complete", "week", "")
	require.Contains(t, out, "gpus\n")
	_, out, _ = typed(t, "__complete", "book", "link", "")
	require.Equal(t, ":4\n", out)
	require.Contains(t, ok("completion", "bash"), "bookahead")
}

// until keeps what is written, and says when a text has come.
type until struct {
	strings.Builder
	text  string
	found func()
}

func (u *until) Write(p []byte) (int, error) {
	n, err := u.Builder.Write(p)
	if strings.Contains(u.String(), u.text) {
		u.found()
	}
	return n, err
}

func TestWhatIsWrong(t *testing.T) {
	url := begin(t)
	for _, one := range []struct {
		args, says string
	}{
		{"book", "accepts 1 arg"}, {"book nowhere", "nowhere"}, {"book link --for never", "--for"}, {"book link --from sometime", "--from"},
		{"book link --hold 25:00", "--hold"}, {"cancel x", "no number"}, {"week nowhere", "nowhere"}, {"week link --from x", "--from"},
		{"book link --units 0", "units"}, {"schedules --token wrong", "token is unknown"}, {"schedules --url http://127.0.0.1:1/", "refused"}, {"nothing", "unknown command"},
	} {
		if strings.Contains(one.args, "127.0.0.1") && testing.Short() {
			continue // half a minute
		}
		code, out, wrong := typed(t, strings.Fields(one.args)...)
		require.Equal(t, 1, code, one.args)
		require.Empty(t, out, one.args)
		require.Contains(t, wrong, one.says, one.args)
	}
	t.Setenv("BOOKAHEAD_TOKEN", "")
	t.Setenv("BOOKAHEAD_URL", "")
	code, _, wrong := typed(t, "schedules")
	require.Equal(t, 1, code)
	require.Contains(t, wrong, "BOOKAHEAD_TOKEN")

	home, err := os.UserConfigDir()
	require.NoError(t, err)
	file := filepath.Join(home, "bookahead", "login.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte("url: "+url+"\ntoken: hush\n"), 0o644))
	code, _, wrong = typed(t, "schedules")
	require.Equal(t, 1, code)
	require.Contains(t, wrong, "chmod 600")
	require.NoError(t, os.Chmod(file, 0o600))
	code, out, _ := typed(t, "schedules")
	require.Zero(t, code)
	require.Contains(t, out, "lab")
	require.NoError(t, os.WriteFile(file, []byte("url: [\n"), 0o600))
	code, _, _ = typed(t, "schedules")
	require.Equal(t, 1, code)
}

func TestTimes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	now := time.Date(2026, 3, 28, 15, 30, 0, 0, berlin) // the Saturday before the clocks change
	for text, want := range map[string]string{
		"tomorrow 14:00": "2026-03-29T14:00:00+02:00", "14:00": "2026-03-28T14:00:00+01:00", "today": "2026-03-28T00:00:00+01:00",
		"Tomorrow": "2026-03-29T00:00:00+01:00", "mon 9:00": "2026-03-30T09:00:00+02:00", "Saturday 9:00": "2026-04-04T09:00:00+02:00",
		"sun": "2026-03-29T00:00:00+01:00", "2026-12-01T14:00": "2026-12-01T14:00:00+01:00", "2026-12-01 14:00": "2026-12-01T14:00:00+01:00",
		"2026-12-01": "2026-12-01T00:00:00+01:00", "2026-12-01T14:00:00Z": "2026-12-01T14:00:00Z", "now": "2026-03-28T15:30:00+01:00",
		"+90m": "2026-03-28T17:00:00+01:00", "+1d": "2026-03-29T16:30:00+02:00", " 23:59 ": "2026-03-28T23:59:00+01:00",
	} {
		at, err := timeOf(text, now)
		require.NoError(t, err, text)
		require.Equal(t, want, at.Format(time.RFC3339), text)
	}
	for _, text := range []string{"", "24:00", "noon", "tomorrow noon", "monday 9", "2026-13-01", "+", "+x", "mo 9:00", "tomorrow 14:00 x"} {
		_, err := timeOf(text, now)
		require.Error(t, err, text)
	}
	for text, want := range map[string]time.Duration{"2h": 2 * time.Hour, "1d": 24 * time.Hour, "1d12h": 36 * time.Hour, "90m": 90 * time.Minute} {
		d, err := lengthOf(text)
		require.NoError(t, err, text)
		require.Equal(t, want, d)
	}
	for _, text := range []string{"", "0", "0d", "-2h", "1d-2h", "2", "d", "1d1d", "999999d"} {
		_, err := lengthOf(text)
		require.Error(t, err, text)
	}
}
