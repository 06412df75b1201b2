package page

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

// operateView is the operator's view.
type operateView struct {
	window
	Schedules []api.Schedule
	Outages   []api.Outage
	Quotas    []quotaOf
	Use       []useOf
	Audit     []api.Event
	Older     uint64 // the number before which older events lie
	Fields    url.Values
	InTheWay  []api.Booking
	Previewed bool
	Closed    *api.Closed
}

// quotaOf is how much of a quota an owner uses.
type quotaOf struct {
	api.Quota
	Owner string
}

// useOf is how much of a schedule each owner uses.
type useOf struct {
	Schedule string
	Names    []string
	Owners   []api.Use
}

// audited is how many events the page shows.
const audited = 100

func (p *Pages) operate(v *visit) (string, any, error) {
	view, err := p.operating(v)
	return "operate", view, err
}

func (p *Pages) operating(v *visit) (*operateView, error) {
	if v.caller.Role < who.Operator {
		return nil, &office.Problem{Kind: office.Forbidden, Detail: "Only an operator may see this page."}
	}
	l := v.look
	view := &operateView{window: windowAt(v.FormValue("view"), v.FormValue("at"), l.Now()), Outages: l.Outages(""), Fields: url.Values{}}
	var err error
	for _, s := range l.Schedules() {
		if s.Kind == "broker" {
			continue
		}
		view.Schedules = append(view.Schedules, s)
		u := useOf{Schedule: s.Name, Names: s.Resources}
		if u.Names == nil {
			u.Names = []string{"units"}
		}
		u.Owners, err = l.Use(s.Name, view.From, view.To)
		if err != nil {
			return nil, err
		}
		view.Use = append(view.Use, u)
	}
	view.Quotas, err = p.quotas(v, view)
	if err != nil {
		return nil, err
	}
	last := p.office.Journal.Last()
	before, wrong := strconv.ParseUint(v.FormValue("before"), 10, 64)
	if wrong == nil {
		last = min(last, before)
	}
	view.Audit, view.Older = p.audit(v.caller, last)
	return view, nil
}

// mostOwners is how many owners the table of quotas has.
const mostOwners = 100

// quotas returns how much of each quota the owners use: as each of them would see it, if he has a bound of his own.
func (p *Pages) quotas(v *visit, view *operateView) (list []quotaOf, err error) {
	owners := map[string]bool{}
	for _, u := range view.Use {
		for _, one := range u.Owners {
			owners[one.Owner] = true
		}
	}
	for i, owner := range slices.Sorted(maps.Keys(owners)) {
		l, err := p.office.Glance(v.Context(), who.Caller{Owner: owner, Role: who.Reader})
		if err != nil || i == mostOwners {
			return list, err
		}
		quotas, err := l.Quotas(view.From, view.To)
		if err != nil {
			return nil, err
		}
		for _, q := range quotas {
			switch {
			case q.Each && (q.Used > 0 || q.UsedAmount > 0):
				list = append(list, quotaOf{q, owner})
			case !q.Each && i == 0:
				list = append(list, quotaOf{q, ""})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b quotaOf) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// audit returns events up to a number, the last first, and the number up to which older ones lie; 0 if there are none, or they are
// gone. The journal gives events in order, so the way back goes in strides, of as many numbers as it gives at once.
func (p *Pages) audit(c who.Caller, last uint64) (list []api.Event, older uint64) {
	for older = last; older > 0 && len(list) < audited; {
		after := older - min(older, 1000)
		events, _, err := p.office.Journal.After(after)
		if err != nil {
			return list, 0
		}
		for i := len(events) - 1; i >= 0; i-- {
			if events[i].Number <= older {
				list = append(list, p.office.EventOf(c, &events[i]))
			}
		}
		older = after
	}
	if len(list) > audited {
		older = list[audited].Number
		list = list[:audited]
	}
	return list, older
}

// shut closes something, or shows who is in the way, or ends an outage.
func (p *Pages) shut(v *visit) (string, any, error) {
	f := p.form(v)
	outage := f.number("reopen")
	if outage > 0 {
		_, err := p.office.Open(v.Context(), v.caller, uint64(outage))
		if err != nil {
			return "", nil, err
		}
		return v.leave("/operate")
	}
	body := api.Close{
		Schedule: f.Get("schedule"), Start: f.time("start"), End: f.time("end"), Units: f.number("units"), Servers: f.numbers("servers"),
		Title: f.Get("title"), Preempt: f.Get("preempt"),
	}
	err := f.wrong
	var closed *api.Closed
	var inTheWay []api.Booking
	preview := f.Get("act") == "preview"
	switch {
	case err != nil:
	case preview:
		inTheWay, err = v.look.InTheWay(body)
	default:
		var made api.Closed
		made, err = p.office.Shut(v.Context(), v.caller, body)
		closed = &made
	}
	v.wrong = err
	err = p.renew(v)
	if err != nil {
		return "", nil, err
	}
	view, err := p.operating(v)
	if err != nil {
		return "", nil, err
	}
	view.Fields = v.PostForm
	if v.wrong == nil {
		view.Previewed, view.InTheWay, view.Closed = preview, inTheWay, closed
	}
	if view.Closed != nil {
		view.Fields = url.Values{}
	}
	return "operate", view, nil
}
