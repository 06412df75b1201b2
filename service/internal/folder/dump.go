package folder

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/office"
)

// Describe says what a desk holds.
func Describe(w io.Writer, c *config.Config, d *desk.Desk) error {
	l := office.Over(c, d)
	page, err := l.Bookings(office.Filter{Limit: math.MaxInt})
	if err != nil {
		return err
	}
	states := map[string]int{}
	for i := range page.Items {
		states[page.Items[i].State]++
	}
	var in []string
	for _, s := range []string{"held", "booked", "running", "waiting", "ended", "cancelled", "expired", "displaced"} {
		if states[s] > 0 {
			in = append(in, fmt.Sprintf("%d %s", states[s], s))
		}
	}
	_, err = fmt.Fprintf(w, "%d bookings (%s), %d schedules, %d series, %d outages, %d quotas, as of %s\n", len(page.Items), strings.Join(in, ", "),
		len(l.Schedules()), len(d.AllSeries()), len(l.Outages("")), len(d.Quotas()), l.Now().Format(time.RFC3339))
	return err
}

// series is a series as a dump has it. Its bookings name it.
type series struct {
	ID     uint64   `json:"id"`
	Owner  string   `json:"owner"`
	Title  string   `json:"title,omitempty"`
	Labels []string `json:"labels,omitempty"`
}

// quota is a bound as a dump has it, without the use, which follows from the bookings: its fields hide those of api.Quota.
type quota struct {
	api.Quota
	Used       *int64 `json:"used,omitempty"`
	UsedAmount *int64 `json:"usedAmount,omitempty"`
}

// line is a line of a dump: one of its fields.
type line struct {
	Schedule *api.Schedule `json:"schedule,omitempty"`
	Quota    *quota        `json:"quota,omitempty"`
	Outage   *api.Outage   `json:"outage,omitempty"`
	Series   *series       `json:"series,omitempty"`
	Booking  *api.Booking  `json:"booking,omitempty"`
}

// Dump writes a desk as lines of JSON: schedules as they were added, quotas by name, outages and series by number, and bookings by
// start, then by number. The same desk gives the same lines.
func Dump(w io.Writer, c *config.Config, d *desk.Desk) error {
	l := office.Over(c, d)
	out := bufio.NewWriter(w)
	to := json.NewEncoder(out)
	var err error
	put := func(one line) { err = errors.Join(err, to.Encode(one)) }
	for _, s := range l.Schedules() {
		put(line{Schedule: &s})
	}
	quotas, wrong := l.Quotas(l.Now(), l.Now().Add(time.Hour))
	for _, q := range quotas {
		put(line{Quota: &quota{Quota: q}})
	}
	for _, o := range l.Outages("") {
		put(line{Outage: &o})
	}
	for _, s := range d.AllSeries() {
		put(line{Series: &series{uint64(s.ID), s.Owner, s.Title, s.Labels}})
	}
	page, bad := l.Bookings(office.Filter{Limit: math.MaxInt})
	for i := range page.Items {
		put(line{Booking: &page.Items[i]})
	}
	return errors.Join(err, wrong, bad, out.Flush())
}
