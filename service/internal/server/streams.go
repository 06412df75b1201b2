package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/sse"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/journal"
	"github.com/bookahead/bookahead/service/internal/who"
)

// streams counts the event streams of each caller.
type streams struct {
	most  int
	mu    sync.Mutex
	of    map[string]int
	over  chan struct{} // closed when all streams shall end
	ended bool
}

// begin counts a stream; ok is false if its caller has too many.
func (x *streams) begin(owner string) (over <-chan struct{}, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.of == nil {
		x.of = map[string]int{}
	}
	x.make()
	if x.of[owner] >= x.most || x.ended {
		return nil, false
	}
	x.of[owner]++
	return x.over, true
}

func (x *streams) make() {
	if x.over == nil {
		x.over = make(chan struct{})
	}
}

func (x *streams) leave(owner string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.of[owner]--
	if x.of[owner] == 0 {
		delete(x.of, owner)
	}
}

func (x *streams) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.make()
	if !x.ended {
		x.ended = true
		close(x.over)
	}
}

// isStream reports whether a request is for a stream, whose end nobody knows before.
func isStream(r *http.Request) bool {
	return r.URL.Path == "/v1/events" && strings.Contains(r.Header.Get("Accept"), "text/event-stream") || r.URL.Path == "/v1/backup"
}

// gone tells a reader that events up to a number are missing: it reads the calendar anew. Without a number the stream ends.
type gone struct {
	Number uint64 `json:"number,omitempty"`
	Detail string `json:"detail"`
}

// errRestored says that a reader has a number which this desk has not given yet.
var errRestored = errors.New("the desk was restored from a backup since: read the calendar, and go on from the present")

// beat is how often a stream says something, so that a proxy keeps it open and a reader that is gone is noticed.
const beat = 20 * time.Second

// eventsAfter is where a reader of events goes on.
type eventsAfter struct {
	After     uint64 `query:"after" doc:"Events behind this number; with a stream, Last-Event-ID counts first."`
	LastEvent uint64 `header:"Last-Event-ID"`
}

func (s *Server) addStreams() {
	tell(s, operation{method: "GET", path: "/v1/audit", id: "list-audit", tag: "events", summary: "What has happened, and who has done it: for operators", problems: []int{http.StatusGone}},
		func(ctx context.Context, c who.Caller, in *eventsAfter) ([]api.Event, error) {
			if c.Role < who.Operator {
				return nil, problem(http.StatusForbidden, "only an operator may read the audit")
			}
			_, err := s.office.Look(ctx, c) // from here on the journal has whatever was answered before
			if err != nil {
				return nil, err
			}
			events, _, err := s.office.Journal.After(in.After)
			if errors.Is(err, journal.ErrGone) {
				return nil, problem(http.StatusGone, err.Error())
			}
			list := []api.Event{}
			for i := range events {
				list = append(list, s.office.EventOf(c, &events[i]))
			}
			return list, err
		})
	op := huma.Operation{OperationID: "watch", Method: "GET", Path: "/v1/events", Tags: []string{"events"}, Summary: "What happens, as server-sent events", Errors: usual}
	sse.Register(s.api, op, map[string]any{"message": api.Event{}, "gone": gone{}}, func(ctx context.Context, in *eventsAfter, send sse.Sender) {
		c := CallerOf(ctx)
		over, ok := s.streams.begin(c.Owner)
		if !ok {
			send.Data(gone{Detail: "you have as many streams as you may have"})
			return
		}
		defer s.streams.leave(c.Owner)
		s.stream(ctx, c, max(in.After, in.LastEvent), over, send)
	})
}

// stream sends events behind a number until the reader goes away. Without a number it begins with what happens from now on.
//
// A reader may know a greater number than this member, from another member that is ahead of it: the member catches up. A number that is
// greater even then is of a desk that was restored since: the reader begins anew, or it would not hear of the events up to its number.
func (s *Server) stream(ctx context.Context, c who.Caller, after uint64, over <-chan struct{}, send sse.Sender) {
	if after > s.office.Journal.Last() {
		in, stop := context.WithTimeout(ctx, s.office.Config.Limits.Timeout.Time())
		_, err := s.office.Look(in, c)
		stop()
		if err != nil {
			return
		}
	}
	if after == 0 {
		after = s.office.Journal.Last()
	}
	alive := time.NewTicker(beat)
	defer alive.Stop()
	isThere := func() error {
		return send(sse.Message{ID: int(after), Data: api.Event{Number: after, What: "alive", At: time.Now()}})
	}
	if isThere() != nil { // the reader knows from the beginning where to go on
		return
	}
	for {
		events, more, err := s.office.Journal.After(after)
		last := s.office.Journal.Last()
		if err == nil && last > 0 && after > last {
			err = errRestored
		}
		if err != nil {
			after = last
			err = send(sse.Message{ID: int(after), Data: gone{after, err.Error()}})
		}
		for i := 0; i < len(events) && err == nil; i++ {
			after = events[i].Number
			err = send(sse.Message{ID: int(after), Data: s.office.EventOf(c, &events[i])})
		}
		if err != nil {
			return
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-more:
		case <-alive.C:
			if isThere() != nil {
				return
			}
		case <-over:
			return
		case <-ctx.Done():
			return
		}
	}
}
