package page

import (
	"net/url"
	"slices"
	"time"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

const day = 24 * time.Hour

// mineView is the caller's bookings.
type mineView struct {
	Open, Coming, Past []api.Booking
	Quotas             []api.Quota
	Feed               string
}

func (p *Pages) mine(v *visit) (string, any, error) {
	now := v.look.Now()
	view := &mineView{Feed: p.feed(v.caller)}
	for _, part := range []struct {
		list *[]api.Booking
		office.Filter
	}{
		{&view.Open, office.Filter{States: []string{"held", "waiting", "displaced"}}},
		{&view.Coming, office.Filter{States: []string{"booked", "running"}}},
		{&view.Past, office.Filter{From: now.Add(-28 * day), Until: now, States: []string{"ended", "cancelled"}}},
	} {
		for _, owner := range append([]string{v.caller.Owner}, v.caller.Groups...) {
			part.Filter.Owner, part.Filter.Limit = owner, most
			page, err := v.look.Bookings(part.Filter)
			if err != nil {
				return "", nil, err
			}
			*part.list = append(*part.list, page.Items...)
		}
		slices.SortStableFunc(*part.list, byStart)
	}
	w := windowAt("week", "", now)
	quotas, err := v.look.Quotas(w.From, w.To)
	view.Quotas = quotas
	return "mine", view, err
}

// byStart compares bookings by their starts; those that wait come first.
func byStart(a, b api.Booking) int {
	start := func(b *api.Booking) (at time.Time) {
		if b.Start != nil {
			at = *b.Start
		}
		return at
	}
	return start(&a).Compare(start(&b))
}

// feed returns the address of a caller's calendar, for programs that know no tokens.
func (p *Pages) feed(c who.Caller) string {
	path := "/calendar/owner/" + url.PathEscape(c.Owner) + ".ics"
	return p.office.Config.URL + path + "?by=" + url.QueryEscape(c.Owner) + "&key=" + p.gate.FeedKey(path, c.Owner)
}
