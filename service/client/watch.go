package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bookahead/bookahead/service/api"
)

// Watch calls a function with each event behind a number, in order, each once; from now on for 0. It goes on where it was when a
// connection or a member ends, and returns when ctx ends, when the function returns an error, or when the service lets the
// caller not watch. An event "gone" says that events up to its number will not come: the caller reads the calendar.
func (c *Client) Watch(ctx context.Context, after uint64, f func(api.Event) error) error {
	for pause := time.Duration(0); ; {
		before := after
		err := c.watch(ctx, &after, f)
		var p *api.Problem
		var of *ownError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &of):
			return of.error
		case errors.As(err, &p) && p.Status < http.StatusInternalServerError:
			return err
		}
		pause = min(5*time.Second, 2*pause+50*time.Millisecond)
		if after != before {
			pause = 0
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// ownError is an error of the caller's function.
type ownError struct{ error }

// silence is how long a stream may say nothing: a service says something every 20 s.
const silence = time.Minute

// watch reads one stream to its end.
func (c *Client) watch(ctx context.Context, after *uint64, f func(api.Event) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	query := url.Values{}
	if *after > 0 {
		query.Set("after", strconv.FormatUint(*after, 10))
	}
	answer, _, err := c.send(ctx, &call{method: "GET", path: "/v1/events", query: query, twice: true, stream: true})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	alive := time.AfterFunc(silence, stop)
	defer alive.Stop()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	kind, data := "", ""
	for lines.Scan() {
		alive.Reset(silence)
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "data":
			data += value
		case "":
			if data != "" {
				err := told(kind, data, after, f)
				if err != nil {
					return err
				}
			}
			kind, data = "", ""
		}
	}
	if lines.Err() != nil {
		return lines.Err()
	}
	return io.ErrUnexpectedEOF
}

// told hands an event on, unless it is known.
func told(kind, data string, after *uint64, f func(api.Event) error) error {
	var e struct {
		api.Event
		Detail string `json:"detail"`
	}
	err := json.Unmarshal([]byte(data), &e)
	switch {
	case err != nil:
		return fmt.Errorf("client: the stream is not that of bookahead: %w", err)
	case kind == "gone" && e.Number == 0:
		return errors.New("client: " + e.Detail)
	case kind == "gone":
		e.What = "gone"
	case e.What == "alive":
		*after = max(*after, e.Number)
		return nil
	case e.Number <= *after:
		return nil
	}
	*after = e.Number
	err = f(e.Event)
	if err != nil {
		return &ownError{err}
	}
	return nil
}
