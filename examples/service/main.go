// Service books GPUs over HTTP, in JSON. Two machines, and scratch space beside them, are kept by a desk in the folder
// data: a booking that was answered is there after a crash. A tick is a quarter of an hour, and times are rounded down to
// it. The owner of a booking is whoever the request names; a real service would ask its login.
//
//	POST /bookings      books, waits, or answers 409 with reasons and alternatives; PUT and DELETE /bookings/{id}
//	POST /closures      closes nodes, and says whom to notify; DELETE /closures/{id} opens them again
//	GET  /bookings      the bookings of the next week, or with ?owner=ann those of ann; /chart.svg has this week
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
	_ "time/tzdata" // wherever it runs

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/replicated"
)

const (
	hour   = 4 // ticks
	week   = 7 * 24 * hour
	layout = "Mon 2 Jan 15:04"
)

var (
	machines  = []string{"east", "west"}
	berlin, _ = time.LoadLocation("Europe/Berlin") // tzdata has it
	clock     = bookahead.Clock{Epoch: time.Date(2026, time.January, 5, 0, 0, 0, 0, berlin), Tick: time.Hour / hour}
)

// setup makes a new desk. An owner has 16 GPUs at once, and 100 GPU-hours in a week of 168 hours.
func setup() desk.Batch {
	machine := desk.Nodes{Horizon: 52 * week, Resources: []string{"gpus"}, Nodes: []nodes.Vector{{8}, {8}}, Levels: []nodes.Level{{Name: "node", Groups: [][]int{{0}, {1}}}}}
	return desk.Batch{Commands: []desk.Command{
		desk.AddSchedule{Name: "east", Kind: machine},
		desk.AddSchedule{Name: "west", Kind: machine},
		desk.AddSchedule{Name: "any", Kind: desk.Broker{Of: machines, Policy: "least-loaded"}},
		desk.AddSchedule{Name: "scratch", Kind: desk.Pool{Units: 100, Horizon: 52 * week}}, // terabytes
		desk.SetQuota{Name: "week", Quota: desk.Quota{Each: true, On: machines, Units: 16, Ticks: 100 * hour, Every: week}},
	}}
}

// service is a desk in a folder, kept by a member that is alone.
type service struct {
	*replicated.Member
	now func() time.Time
	mu  sync.Mutex // for the clock of the desk
}

// open opens the desk in a folder, or makes a new one.
func open(folder string, now func() time.Time) (*service, error) {
	m, err := replicated.Open(replicated.Config{Dir: folder, Desk: desk.Config{Keep: 4 * week}})
	if err != nil {
		return nil, err
	}
	s := &service{Member: m, now: now}
	if len(s.desk().Schedules()) == 0 {
		_, err = m.Do(context.Background(), setup())
	}
	return s, err
}

// desk returns a copy of the desk, with all commands that were answered.
func (s *service) desk() *desk.Desk {
	v, err := s.Read(context.Background(), replicated.Local)
	if err != nil {
		log.Fatal(err) // the member has stopped itself, as after an error of the disk
	}
	return v.Desk
}

// do moves the clock to the present, and carries a command out unless it is nil.
func (s *service) do(ctx context.Context, c desk.Command) (out desk.Outcome, err error) {
	s.mu.Lock()
	now := tick(s.now())
	if now > s.desk().Now() {
		out, err = s.Do(ctx, desk.Advance{Now: now})
	}
	s.mu.Unlock()
	if err == nil && c != nil {
		out, err = s.Do(ctx, c)
	}
	return out, err
}

// tick is the tick of a time; 0 if there is none.
func tick(t time.Time) bookahead.Time {
	if t.IsZero() {
		return 0
	}
	return max(1, bookahead.Time(t.Sub(clock.Epoch)/clock.Tick))
}

// wish is the body of a command.
type wish struct {
	Key, Owner, Title string
	Machine, Within   string // any machine, and any nodes of it, if they are empty; node: all GPUs on one
	GPUs, Scratch     int64  // booked together or not at all
	Minutes           bookahead.Duration
	From, Until, Wait time.Time // a booking or a closure lies from From to Until, and waits for a place until Wait
	Nodes             []int     // to be closed
}

// command returns the command that a request stands for.
func command(r *http.Request) (desk.Command, error) {
	id, _ := strconv.ParseUint(r.PathValue("id"), 10, 64) // nobody has 0
	switch r.Pattern {
	case "DELETE /bookings/{id}":
		return desk.Cancel{ID: desk.BookingID(id)}, nil
	case "DELETE /closures/{id}":
		return desk.Reopen{ID: desk.OutageID(id)}, nil
	}
	var x wish
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(&x)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", bookahead.ErrInvalid, err)
	}
	w, long := bookahead.Interval{Start: tick(x.From), End: tick(x.Until)}, (min(x.Minutes, 15*52*week)+14)/15
	shape := desk.Shape{{On: cmp.Or(x.Machine, "any"), Units: x.GPUs, Duration: long, Tasks: &nodes.Request{Each: nodes.Vector{1}, Within: x.Within}}}
	if x.Scratch != 0 {
		shape = append(shape, desk.Part{On: "scratch", Units: x.Scratch, Duration: long})
	}
	wanted := desk.Request{Owner: x.Owner, Title: x.Title, Ready: w.Start, Deadline: w.End, Shapes: []desk.Shape{shape}}
	switch r.Pattern {
	case "POST /closures":
		return desk.Close{On: x.Machine, Interval: w, Servers: x.Nodes, Title: x.Title, Force: desk.Anybody}, nil
	case "PUT /bookings/{id}":
		return desk.Change{ID: desk.BookingID(id), To: wanted}, nil
	}
	return desk.Book{Key: x.Key, Request: wanted, Wait: tick(x.Wait)}, nil
}

// answer is the answer to a command.
type answer struct {
	Error        string        `json:",omitempty"`
	Why          []string      `json:",omitempty"`
	Alternatives []booking     `json:",omitempty"`
	Bookings     []booking     `json:",omitempty"`
	Closure      desk.OutageID `json:",omitempty"`
	Notify       []string      `json:",omitempty"`
}

// booking is what a client sees of a booking.
type booking struct {
	ID                  desk.BookingID
	Owner, Title, State string
	Start, End          time.Time
	Places              []desk.Place
}

func view(b desk.Booking) booking {
	start, _ := clock.Wall(b.Start) // within the horizon
	end, _ := clock.Wall(b.End)
	return booking{b.ID, b.Owner, b.Title, b.State.String(), start, end, b.Places}
}

// instead returns the reasons why there is no place, and three alternatives: up to a week later, on another machine, shorter, or
// with fewer GPUs.
func instead(d *desk.Desk, r desk.Request, e bookahead.Effort) (a answer) {
	why, _ := d.Why(r, e) // a request that was refused makes sense
	for _, o := range why.Obstacles {
		a.Why = append(a.Why, o.Text(clock, layout))
	}
	p := r.Shapes[0][0]
	others := slices.DeleteFunc(slices.Clone(machines), func(name string) bool { return name == p.On })
	fewer, shorter := desk.Down(p.Units, 1, max(1, p.Units/4)), desk.Down(p.Duration, 1, max(1, p.Duration/4))
	vary := desk.Vary{Until: max(r.Deadline, d.Now()) + week, On: others, Units: fewer, Durations: shorter}
	for b, err := range d.Alternatives(r, vary, e) {
		if err != nil || len(a.Alternatives) == 3 {
			break
		}
		a.Alternatives = append(a.Alternatives, view(b))
	}
	return a
}

// change carries out the command of a request. The answer has the owners to notify.
func (s *service) change(r *http.Request) (a answer, err error) {
	c, err := command(r)
	if err != nil {
		return a, err
	}
	out, err := s.do(r.Context(), c)
	refused, _ := c.(desk.Book)
	if refused.Shapes != nil && errors.Is(err, bookahead.ErrUnavailable) {
		return instead(s.desk(), refused.Request, bookahead.Effort{Context: r.Context()}), err
	}
	a.Closure = out.Outage
	if out.Booking.ID != 0 {
		a.Bookings = []booking{view(out.Booking)}
	}
	for _, e := range out.Events {
		if e.Owner != "" {
			at, _ := clock.Wall(cmp.Or(e.To, e.From).Start)
			a.Notify = append(a.Notify, fmt.Sprintf("%s: #%d %v, %s", e.Owner, e.Booking, e.What, at.Format(layout)))
		}
	}
	return a, err
}

// list answers with the bookings of the next week.
func (s *service) list(w http.ResponseWriter, r *http.Request) {
	d := s.desk()
	list, next := []booking{}, bookahead.Interval{Start: d.Now(), End: d.Now() + week}
	for b, err := range d.Bookings(desk.Filter{Owner: r.FormValue("owner"), Window: next}, bookahead.Effort{Context: r.Context()}) {
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		list = append(list, view(b))
	}
	json.NewEncoder(w).Encode(list)
}

// chart draws this week.
func (s *service) chart(w http.ResponseWriter, _ *http.Request) {
	d := s.desk()
	monday := d.Now() / week * week
	axis, _ := gantt.WallClock(clock)
	picture := gantt.Chart{Title: "GPUs", Window: bookahead.Interval{Start: monday, End: monday + week}, Axis: axis}
	gantt.Desk{Desk: d}.Fill(&picture) // there are schedules to draw
	w.Header().Set("Content-Type", "image/svg+xml")
	picture.WriteTo(w)
}

// answer carries out the command of a request.
func (s *service) answer(w http.ResponseWriter, r *http.Request) {
	a, err := s.change(r)
	status := http.StatusServiceUnavailable // the member cannot write, as on a full disk
	for kind, code := range map[error]int{nil: 200, bookahead.ErrInvalid: 400, bookahead.ErrNotFound: 404, bookahead.ErrUnavailable: 409} {
		if errors.Is(err, kind) {
			status = code
		}
	}
	if err != nil {
		a.Error = err.Error()
	}
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(a)
}

func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /bookings", s.list)
	mux.HandleFunc("GET /chart.svg", s.chart)
	for _, path := range []string{"POST /bookings", "PUT /bookings/{id}", "DELETE /bookings/{id}", "POST /closures", "DELETE /closures/{id}"} {
		mux.HandleFunc(path, s.answer)
	}
	return http.MaxBytesHandler(mux, 1<<20)
}

func main() {
	s, err := open("data", time.Now)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	server := http.Server{Addr: "localhost:8080", Handler: s.handler()}
	go func() {
		for ctx.Err() == nil {
			s.do(ctx, nil) // queries are of the present
			time.Sleep(time.Second)
		}
		server.Shutdown(context.Background()) // those who have asked get their answer
		stop()
	}()
	err = server.ListenAndServe()
	if !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-ctx.Done()
	s.Close()
}
