package recur

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func TestParseRule(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	start := time.Date(2026, time.January, 6, 9, 0, 0, 0, berlin)
	for text, want := range map[string]Rule{
		"FREQ=DAILY":                                    {},
		"rrule:freq=weekly;wkst=su;byday=tu,th":         {Freq: Weekly, WeekStart: 6, Days: []time.Weekday{time.Tuesday, time.Thursday}},
		"BYDAY=-1FR,MO,2TU;FREQ=MONTHLY;INTERVAL=1":     {Freq: Monthly, Interval: 1, Days: []time.Weekday{time.Monday}, Nth: []Nth{{-1, time.Friday}, {2, time.Tuesday}}},
		"FREQ=MONTHLY;BYDAY=+2TU;BYMONTHDAY=+8,-24":     {Freq: Monthly, MonthDays: []int{8, -24}, Nth: []Nth{{2, time.Tuesday}}},
		"FREQ=YEARLY;BYMONTH=11,1;COUNT=3":              {Freq: Yearly, Months: []time.Month{11, 1}, Count: 3},
		"FREQ=DAILY;UNTIL=20260701T070000Z":             {Until: time.Date(2026, 7, 1, 7, 0, 0, 0, time.UTC)},
		"FREQ=DAILY;UNTIL=20260701T090000":              {Until: time.Date(2026, 7, 1, 7, 0, 0, 0, time.UTC)},
		"FREQ=DAILY;UNTIL=20260701":                     {Until: time.Date(2026, 7, 1, 7, 0, 0, 0, time.UTC)},
		"FREQ=DAILY;UNTIL=20261201":                     {Until: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)},
		"UNTIL=20261201;FREQ=DAILY;WKST=MO":             {Until: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)},
		"FREQ=WEEKLY;INTERVAL=1048576;BYDAY=SU;WKST=TU": {Freq: Weekly, Interval: maxInterval, WeekStart: 1, Days: []time.Weekday{time.Sunday}},
	} {
		want.Start, want.Length = start, time.Hour
		got := recurring(t, text, start, time.Hour)
		require.Equal(t, want, got, text)
		require.Equal(t, want, recurring(t, got.String(), start, time.Hour), got.String())
	}
	require.Equal(t, "FREQ=MONTHLY;INTERVAL=2;WKST=SU;BYMONTH=1;BYMONTHDAY=-1;BYDAY=MO,2TU;COUNT=4", Rule{
		Freq: Monthly, Interval: 2, WeekStart: 6, Months: []time.Month{1}, MonthDays: []int{-1}, Days: []time.Weekday{time.Monday},
		Nth: []Nth{{2, time.Tuesday}}, Count: 4,
	}.String())
	require.Equal(t, "FREQ=freq 9;BYDAY=%!Weekday(9);UNTIL=20260701T070000Z", Rule{
		Freq: 9, Days: []time.Weekday{9}, Until: time.Date(2026, 7, 1, 9, 0, 0, 0, berlin),
	}.String())
}

// Nothing is left unread: an error names the part.
func TestParseRuleRefuses(t *testing.T) {
	start := time.Date(2026, time.January, 6, 9, 0, 0, 0, time.UTC)
	for text, field := range map[string]string{
		"":                                      "RRULE",
		"RRULE:":                                "RRULE",
		"FREQ":                                  "RRULE",
		"COUNT=3":                               "RRULE",
		"FREQ=DAILY;":                           "RRULE",
		"FREQ=DAILY;;COUNT=3":                   "RRULE",
		"FREQ=HOURLY":                           "RRULE.FREQ",
		"FREQ=":                                 "RRULE.FREQ",
		"FREQ=DAıLY":                            "RRULE.FREQ",
		"FREQ=DAILY;FREQ=DAILY":                 "RRULE.FREQ",
		"FREQ=DAILY;BYSETPOS=1":                 `"RRULE.BYSETPOS"`,
		"FREQ=DAILY;BYHOUR=9,10":                `"RRULE.BYHOUR"`,
		"FREQ=YEARLY;BYWEEKNO=20":               `"RRULE.BYWEEKNO"`,
		"FREQ=YEARLY;BYYEARDAY=-1":              `"RRULE.BYYEARDAY"`,
		"FREQ=DAILY; COUNT=3":                   `"RRULE. COUNT"`,
		"FREQ=DAILY;INTERVAL=0":                 "RRULE.INTERVAL",
		"FREQ=DAILY;INTERVAL=-1":                "RRULE.INTERVAL",
		"FREQ=DAILY;INTERVAL=+1":                "RRULE.INTERVAL",
		"FREQ=DAILY;INTERVAL=1048577":           "Rule.Interval",
		"FREQ=DAILY;COUNT=0":                    "RRULE.COUNT",
		"FREQ=DAILY;COUNT=99999999999999999999": "RRULE.COUNT",
		"FREQ=DAILY;COUNT=3;UNTIL=20270101":     "Rule.Count",
		"FREQ=DAILY;UNTIL=2027":                 "RRULE.UNTIL",
		"FREQ=DAILY;UNTIL=20270230":             "RRULE.UNTIL",
		"FREQ=DAILY;UNTIL=20270101Z":            "RRULE.UNTIL",
		"FREQ=DAILY;UNTIL=20270101T120000.5Z":   "RRULE.UNTIL",
		"FREQ=DAILY;UNTIL=00000101":             "RRULE.UNTIL",
		"FREQ=DAILY;UNTIL=00000101T000000Z":     "Rule.Until",
		"FREQ=WEEKLY;WKST=XX":                   "RRULE.WKST",
		"FREQ=WEEKLY;BYDAY=":                    "RRULE.BYDAY",
		"FREQ=WEEKLY;BYDAY=MO,":                 "RRULE.BYDAY",
		"FREQ=WEEKLY;BYDAY=M":                   "RRULE.BYDAY",
		"FREQ=WEEKLY;BYDAY=2TU":                 "Rule.Nth",
		"FREQ=YEARLY;BYDAY=20MO":                "Rule.Nth[0].N",
		"FREQ=MONTHLY;BYDAY=xTU":                "RRULE.BYDAY",
		"FREQ=MONTHLY;BYDAY=0TU":                "Rule.Nth[0].N",
		"FREQ=WEEKLY;BYMONTHDAY=1":              "Rule.MonthDays",
		"FREQ=MONTHLY;BYMONTHDAY=32":            "Rule.MonthDays[0]",
		"FREQ=MONTHLY;BYMONTHDAY=1;BYMONTH=13":  "Rule.Months[0]",
		"FREQ=MONTHLY;BYMONTH=-1":               "RRULE.BYMONTH",
	} {
		_, err := ParseRule(text, start, time.Hour)
		var invalid *bookahead.InvalidError
		require.ErrorAs(t, err, &invalid, text)
		require.Equal(t, field, invalid.Field, text)
	}
	_, err := ParseRule("FREQ=DAILY", time.Time{}, time.Hour)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = ParseRule("FREQ=YEARLY;BYSETPOS=-1", start, time.Hour)
	require.EqualError(t, err, `bookahead: "RRULE.BYSETPOS" "-1" is a part that no Rule has`)
}

// FuzzParseRule: a rule that is accepted is written as it was read, and a walk over a window ends.
func FuzzParseRule(f *testing.F) {
	for i, e := range examplesOfRFC {
		f.Add(e.rule, int64(i)*86400*9, uint8(i))
	}
	f.Add("FREQ=MONTHLY;BYMONTHDAY=30;BYMONTH=2", int64(0), uint8(0))
	f.Add("FREQ=DAILY;COUNT=9;UNTIL=20111230", int64(1325000000), uint8(3))
	f.Fuzz(func(t *testing.T, text string, at int64, n uint8) {
		y := yearsWithChanges[int(n)%len(yearsWithChanges)]
		start := time.Unix(at%(1<<34), 0).In(zone(t, y.zone)) // from 1425 to 2514
		r, err := ParseRule(text, start, 3*time.Hour)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		require.NoError(t, r.Check())
		again, err := ParseRule(r.String(), start, 3*time.Hour)
		require.NoError(t, err)
		require.Equal(t, r, again)
		require.Equal(t, again.String(), recurring(t, strings.ToLower(r.String()), start, r.Length).String())

		from, until := start.AddDate(2, 0, 0), start.AddDate(3, 0, 0)
		last := from
		for start, end := range r.Between(from, until) {
			require.True(t, !start.Before(last) && start.Before(until) && start.Before(end), "%v to %v", start, end)
			last = start.Add(1)
		}
	})
}
