package office

import (
	"cmp"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/recur"
)

// WriteCalendar writes bookings of a filter as an iCalendar, with the titles that the caller may see. A booking keeps its UID when
// it moves. One of an owner that was given up is struck out: it has no place any more, so From counts by its end, and on a
// schedule it is gone.
func (l *Look) WriteCalendar(w io.Writer, f Filter) error {
	x := times{clock: l.clock}
	since := bookahead.Time(0)
	if !f.From.IsZero() {
		since = x.ready("from", &f.From)
	}
	f.From = time.Time{}
	asked, err := l.filter(&f)
	err = cmp.Or(err, x.err)
	if err != nil {
		return err
	}
	u, _ := url.Parse(l.office.Config.URL) // the file was checked
	events, err := gantt.Events(func(yield func(desk.Booking, error) bool) {
		for b, err := range l.desk.Bookings(asked, l.effort) {
			if err == nil && b.End < since && b.State != desk.Waiting {
				continue
			}
			if err == nil && !l.seesTitles(b.Owner) {
				b.Title = "taken"
			}
			b.Title = clean(cmp.Or(b.Title, b.Owner))
			if !yield(b, err) {
				return
			}
		}
	}, u.Hostname())
	if err != nil {
		return problemOf(err)
	}
	return recur.WriteCalendar(w, slices.Values(events), l.Clock, l.Now())
}
