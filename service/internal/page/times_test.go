package page

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/service/api"
)

// TestMoments: brute force over days on which clocks change, every five minutes.
func TestMoments(t *testing.T) {
	for name, from := range map[string]string{
		"Europe/Berlin": "2027-03-27", "America/New_York": "2026-10-31", "Australia/Lord_Howe": "2027-04-03", "Asia/Kathmandu": "2027-01-01", "America/Santiago": "2026-09-05",
	} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		begin, err := time.ParseInLocation(time.DateOnly, from, zone)
		require.NoError(t, err)
		for _, begin := range []time.Time{begin, begin.AddDate(0, 7, 0).AddDate(0, 0, -4)} {
			when := map[string][]time.Time{}
			for at := begin.Add(-day); at.Before(begin.Add(12 * day)); at = at.Add(5 * time.Minute) {
				when[at.Format(minutes)] = append(when[at.Format(minutes)], at)
			}
			twice, never := 0, 0
			for at := time.Date(begin.Year(), begin.Month(), begin.Day(), 0, 0, 0, 0, time.UTC); at.Before(begin.Add(10 * day)); at = at.Add(5 * time.Minute) {
				text := at.Format(minutes)
				want := when[text]
				got := moments(zone, at)
				require.Len(t, got, len(want), "%s %s", name, text)
				for i := range want {
					require.True(t, want[i].Equal(got[i]))
				}
				first, err := readLocal(zone, text)
				switch len(want) {
				case 0:
					never++
					require.ErrorContains(t, err, "clocks skip "+at.Format("15:04"))
					continue
				case 2:
					twice++
				}
				require.NoError(t, err)
				require.True(t, want[0].Equal(first))
			}
			if name == "Europe/Berlin" {
				require.Equal(t, 12, twice+never)
			}
		}
	}
	at, err := readLocal(time.UTC, "2026-10-25T02:30:00+01:00")
	require.NoError(t, err)
	require.Equal(t, "2026-10-25T01:30:00Z", at.Format(time.RFC3339))
}

// TestWindows: windows follow each other without a gap, begin at the first moment of a day, also if its midnight comes twice or never,
// and hold the day that was asked for.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"Europe/Berlin", "America/Santiago", "Africa/Cairo", "America/Havana", "Atlantic/Azores", "UTC"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for range 400 {
			now := time.Date(2020+rng.IntN(20), time.Month(1+rng.IntN(12)), 1+rng.IntN(31), rng.IntN(24), 0, 0, 0, zone)
			for _, view := range views {
				w := windowAt(view, now.Format(time.DateOnly), time.Date(2026, 1, 1, 0, 0, 0, 0, zone))
				require.False(t, now.Before(w.From), "%v %v", now, w)
				require.True(t, now.Before(w.To))
				require.NotEqual(t, w.From.Day(), w.From.Add(-time.Second).Day(), "%v", w.From)
				require.NotEqual(t, w.To.Day(), w.To.Add(-time.Second).Day(), "%v", w.To)
				next := windowAt(view, w.After(), now)
				require.True(t, next.From.Equal(w.To))
				require.True(t, windowAt(view, next.Before(), now).From.Equal(w.From))
				days := map[string][]int{"day": {1}, "week": {7}, "month": {28, 29, 30, 31}}[view]
				require.Contains(t, days, int((w.To.Sub(w.From)+2*time.Hour)/day))
				if view == "week" {
					require.Equal(t, time.Monday, w.From.Weekday())
				}
			}
		}
	}
	at := time.Date(2026, 12, 31, 9, 0, 0, 0, time.UTC)
	require.Equal(t, "Thursday 31 December 2026", windowAt("day", "", at).Window())
	require.Equal(t, "28 December 2026 – 3 January 2027, week 53", windowAt("", "", at).Window())
	require.Equal(t, "December 2026", windowAt("month", "2026-12-09", at).Window())
}

func TestTexts(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, berlin)
	at := func(text string) *time.Time {
		at, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return &at
	}
	for want, ends := range map[string][2]*time.Time{
		"Fri 27 Nov, 10:00 – 11:30":               {at("2026-11-27T09:00:00Z"), at("2026-11-27T10:30:00Z")},
		"Fri 27 Nov, 23:00 – 24:00":               {at("2026-11-27T22:00:00Z"), at("2026-11-27T23:00:00Z")},
		"Fri 27 Nov, 23:00 – Sat 28 Nov, 00:30":   {at("2026-11-27T22:00:00Z"), at("2026-11-27T23:30:00Z")},
		"Sun 31 Oct 2027, 02:30 CEST – 02:30 CET": {at("2027-10-31T00:30:00Z"), at("2027-10-31T01:30:00Z")},
	} {
		require.Equal(t, want, stripped(string(span(ends[0].In(berlin), ends[1].In(berlin), now))))
	}
	require.Equal(t, "2 d 3 h", lasting(51*time.Hour))
	require.Equal(t, "1 d 30 min 5 s", lasting(24*time.Hour+30*time.Minute+5*time.Second))
	require.Equal(t, "0-2, 5, 7-8", list([]int{0, 1, 2, 5, 7, 8}))
	require.Equal(t, []int{0, 1, 2, 5, 7, 8}, (&form{Values: map[string][]string{"x": {"5, 7-8 0-2,1"}}}).numbers("x"))
}

// TestExact: fields that show minutes alone mean the exact start and length that the form was given, as long as they show these.
func TestExact(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	clock := bookahead.Clock{Epoch: time.Date(2026, 1, 1, 0, 0, 0, 0, berlin), Tick: 30 * time.Second}
	start := time.Date(2027, 10, 31, 1, 30, 30, 0, time.UTC) // the second 2:30, and half a minute
	for _, d := range []time.Duration{30 * time.Second, time.Minute, 90 * time.Second, time.Hour - 30*time.Second, time.Hour, 25*time.Hour + 90*time.Second} {
		w := api.Wish{Ready: &start, Parts: []api.Part{{Schedule: "x", Units: 3, Duration: api.DurationOf(d), Servers: []int{0}}}}
		fields := fieldsOf(&w, berlin)
		got, length := (&form{Values: fields, clock: clock}).wish(&api.Schedule{}, w)
		require.True(t, got.Ready.Equal(start))
		require.Equal(t, d, length)
		require.Equal(t, w.Parts, got.Parts)
		fields.Set("minutes", "7")
		_, length = (&form{Values: fields, clock: clock}).wish(&api.Schedule{}, w)
		require.Equal(t, 7*time.Minute, length%time.Hour)
		fields.Set("start", "2027-10-31T02:31")
		got, _ = (&form{Values: fields, clock: clock}).wish(&api.Schedule{}, w)
		require.Equal(t, "2027-10-31T00:31:00Z", got.Ready.UTC().Format(time.RFC3339))
	}
}

// stripped returns a text without its elements.
func stripped(text string) (out string) {
	inside := false
	for _, r := range text {
		switch {
		case r == '<':
			inside = true
		case r == '>':
			inside = false
		case !inside:
			out += string(r)
		}
	}
	return out
}
