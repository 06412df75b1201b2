package page

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

// Pages answers for the pages.
type Pages struct {
	office   *office.Office
	gate     *who.Gate
	callerOf func(context.Context) who.Caller
	mux      *http.ServeMux
	files    string // their address
	policy   string
	pages    map[string]*template.Template
	zone     *time.Location
}

// New returns the pages. The server has found out who the caller is, and callerOf tells.
func New(o *office.Office, g *who.Gate, callerOf func(context.Context) who.Caller) *Pages {
	p := &Pages{
		office: o, gate: g, callerOf: callerOf, mux: http.NewServeMux(), pages: map[string]*template.Template{}, zone: o.Epoch.Location(),
		files: addressOfFiles(), policy: policy(),
	}
	layout := template.Must(template.New("").Funcs(p.functions()).ParseFS(embedded, "templates/layout.html", "templates/parts.html"))
	for _, name := range []string{"schedules", "schedule", "earliest", "booking", "mine", "operate", "message"} {
		p.pages[name] = template.Must(template.Must(layout.Clone()).ParseFS(embedded, "templates/"+name+".html"))
	}
	p.mux.HandleFunc("GET "+p.files+"{name}", static)
	p.handle("GET /{$}", p.schedules)
	p.handle("GET /schedules/{name}", p.schedule)
	p.handle("POST /schedules/{name}", p.book)
	p.handle("GET /bookings/{id}", p.booking)
	p.handle("POST /bookings/{id}", p.act)
	p.handle("GET /mine", p.mine)
	p.handle("GET /operate", p.operate)
	p.handle("POST /operate", p.shut)
	p.handle("/", func(*visit) (string, any, error) {
		return "", nil, &office.Problem{Kind: office.NotFound, Detail: "there is no such page"}
	})
	return p
}

// Style returns the address of the style, for pages of others such as the login.
func (p *Pages) Style() string { return p.files + "page.css" }

// ServeHTTP answers a request.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// visit is a request with its caller, and with what every page shows.
type visit struct {
	*http.Request
	w      http.ResponseWriter
	caller who.Caller
	look   *office.Look
	last   uint64 // the number of an event: the look shows all events up to it
	wrong  error  // is shown, with the status that it has
	done   bool   // the answer is written, such as a redirect
}

// handle adds a page: a function that returns the name of a template and its data.
func (p *Pages) handle(pattern string, f func(*visit) (string, any, error)) {
	p.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		v := &visit{Request: r, w: w, caller: p.callerOf(r.Context())}
		if v.caller.Role == who.Nobody {
			p.render(v, "message", nil)
			return
		}
		err := r.ParseForm()
		if err != nil {
			err = &office.Problem{Kind: office.Invalid, Detail: "the form cannot be read, or is too long"}
		} else {
			err = p.renew(v)
		}
		name, data := "", any(nil)
		if err == nil {
			name, data, err = f(v)
		}
		if err != nil {
			name, data, v.wrong = "message", nil, err
		}
		if !v.done {
			p.render(v, name, data)
		}
	})
}

// renew gives a visit the desk as it is now. The number of the last event is read first, so that a script that listens from there on
// misses nothing.
func (p *Pages) renew(v *visit) (err error) {
	v.last = p.office.Journal.Last()
	v.look, err = p.office.Look(v.Context(), v.caller)
	return err
}

// form returns the form that a visit has sent.
func (p *Pages) form(v *visit) *form { return &form{Values: v.PostForm, clock: p.office.Clock} }

// leave sends the browser to another page.
func (v *visit) leave(path string) (string, any, error) {
	v.done = true
	http.Redirect(v.w, v.Request, path, http.StatusSeeOther)
	return "", nil, nil
}

// shown is what a template gets.
type shown struct {
	Caller who.Caller
	Now    time.Time
	Zone   string
	Epoch  int64 // milliseconds
	Tick   int64 // milliseconds
	Last   uint64
	At     string // the address of the page
	Wrong  *office.Problem
	Data   any
}

var statusOf = map[office.Kind]int{
	office.Invalid: http.StatusUnprocessableEntity, office.Forbidden: http.StatusForbidden, office.NotFound: http.StatusNotFound,
	office.Unavailable: http.StatusConflict, office.Changed: http.StatusPreconditionFailed, office.Stopped: http.StatusUnprocessableEntity,
	office.Away: http.StatusServiceUnavailable,
}

// render writes a page.
func (p *Pages) render(v *visit, name string, data any) {
	s := shown{
		Caller: v.caller, Now: time.Now(), Zone: p.zone.String(), Data: data, Epoch: p.office.Epoch.UnixMilli(), Tick: p.office.Tick.Milliseconds(),
		Last: v.last, At: v.URL.RequestURI(),
	}
	status := http.StatusOK
	if v.caller.Role == who.Nobody {
		status = http.StatusUnauthorized
	}
	if v.wrong != nil && !errors.As(v.wrong, &s.Wrong) {
		s.Wrong = &office.Problem{Kind: office.Away, Detail: v.wrong.Error()}
	}
	if s.Wrong != nil {
		status = cmp.Or(statusOf[s.Wrong.Kind], http.StatusServiceUnavailable)
	}
	var page bytes.Buffer
	err := p.pages[name].ExecuteTemplate(&page, "layout", &s)
	if err != nil {
		slog.Error("a page cannot be rendered", "page", name, "err", err)
		http.Error(v.w, "this page cannot be shown", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Security-Policy", p.policy)
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	v.w.Write(page.Bytes())
}

// functions are those of templates.
func (p *Pages) functions() template.FuncMap {
	return template.FuncMap{
		"static":  func(name string) string { return p.files + name },
		"on":      addressOf,
		"instant": func(t time.Time) template.HTML { return timeElement(t, instant(t.In(p.zone), time.Now())) },
		"span":    func(from, until time.Time) template.HTML { return span(from.In(p.zone), until.In(p.zone), time.Now()) },
		"lasting": func(d api.Duration) string {
			t, _ := d.Time() // of the service itself
			return lasting(t)
		},
		"place":   placeText,
		"numbers": list,
		"newKey":  rand.Text,
		"table": func(caption string, items []api.Booking, page *shown) any {
			return struct {
				Caption string
				Items   []api.Booking
				*shown
			}{caption, items, page}
		},
		"fieldOf": fieldOf,
		"hours":   func(seconds int64) string { return strconv.FormatFloat(float64(seconds)/3600, 'f', -1, 64) },
		"step":    func() int64 { return max(60, int64(p.office.Tick.Seconds())) },
	}
}

// timeElement is a time that the script can read. The text is plain.
func timeElement(t time.Time, text string) template.HTML {
	return template.HTML(`<time datetime="` + t.Format(time.RFC3339) + `">` + template.HTMLEscapeString(text) + `</time>`)
}

// span writes a stretch of time, without the second day if it is the first.
func span(from, until, now time.Time) template.HTML {
	if from.Equal(until) { // it was given up then
		return timeElement(from, instant(from, now))
	}
	end := instant(until, now)
	if from.Format(time.DateOnly) == until.Add(-time.Second).Format(time.DateOnly) {
		end = clock(until)
		if from.YearDay() != until.YearDay() {
			end = "24:00"
		}
	}
	return `<span class="span">` + timeElement(from, instant(from, now)) + " – " + timeElement(until, end) + `</span>`
}

// placeText says where a place lies, without its times.
func placeText(p api.Place) string {
	switch {
	case len(p.Servers) > 0:
		return p.Schedule + " " + list(p.Servers)
	case len(p.Nodes) == 0:
		return strconv.FormatInt(p.Units, 10) + " × " + p.Schedule
	}
	var on []int
	tasks := int64(0)
	for _, n := range p.Nodes {
		on, tasks = append(on, n.Node), tasks+n.Tasks
	}
	return strconv.FormatInt(tasks, 10) + " × " + p.Schedule + ", node " + list(on)
}
