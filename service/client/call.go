package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bookahead/bookahead/service/api"
)

// Client calls a service. Any number of goroutines may use it.
type Client struct {
	// HTTP sends the requests; http.DefaultClient if it is nil.
	HTTP *http.Client
	// Patience is how long a call without an answer is sent again; 30 s if 0. A call ends with its context in any case.
	Patience time.Duration

	token     string
	addresses []string
	at        atomic.Int64 // the address that has answered last
}

// New returns a client with a token, of a service with some addresses: one for each member, such as https://a.example.org.
func New(token string, addresses ...string) *Client {
	c := &Client{token: token}
	for _, a := range addresses {
		c.addresses = append(c.addresses, strings.TrimRight(a, "/"))
	}
	return c
}

// perTry is how long one request may take: a little more than a service gives it.
const perTry = 40 * time.Second

// call is a call of an operation.
type call struct {
	method, path string
	query        url.Values
	body         any
	key          string // the Idempotency-Key
	tag          string // the ETag that a booking must have
	twice        bool   // it may be carried out twice
	stream       bool   // the answer has no end, or is large

	sent int // how often it was sent
}

// do sends a call, and reads its answer.
func do[T any](ctx context.Context, c *Client, x *call) (out T, err error) {
	answer, data, err := c.send(ctx, x)
	if err != nil {
		return out, err
	}
	err = json.Unmarshal(data, &out)
	if err != nil {
		err = fmt.Errorf("client: %s %s: the answer is not that of bookahead: %s, %w", x.method, x.path, answer.Status, err)
	}
	return out, err
}

// send sends a call until there is an answer that stays. An answer that is no success is an *api.Problem.
func (c *Client) send(ctx context.Context, x *call) (*http.Response, []byte, error) {
	if len(c.addresses) == 0 {
		return nil, nil, errors.New("client: there is no address")
	}
	body := []byte(nil)
	if x.body != nil {
		var err error
		body, err = json.Marshal(x.body)
		if err != nil {
			return nil, nil, err
		}
	}
	begun, patience := time.Now(), cmp.Or(c.Patience, 30*time.Second)
	first := c.at.Load()
	for x.sent = 1; ; x.sent++ {
		to := (first + int64(x.sent) - 1) % int64(len(c.addresses))
		answer, data, err := c.once(ctx, c.addresses[to], x, body)
		wait, again := again(x, answer, err)
		if err == nil {
			err = problemOf(answer, data)
		}
		if !again || ctx.Err() != nil {
			c.at.Store(to)
			return answer, data, err
		}
		if round := (x.sent - 1) / len(c.addresses); x.sent%len(c.addresses) == 0 {
			wait = max(wait, rand.N(min(500*time.Millisecond, 50*time.Millisecond<<min(round, 10)))) // all addresses were tried
		}
		if time.Since(begun)+wait > patience {
			return answer, data, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// once sends a request, and reads the answer unless it is a stream.
func (c *Client) once(ctx context.Context, to string, x *call, body []byte) (*http.Response, []byte, error) {
	if !x.stream {
		timed, stop := context.WithTimeout(ctx, perTry)
		defer stop()
		ctx = timed
	}
	r, err := http.NewRequestWithContext(ctx, x.method, to+x.path+"?"+x.query.Encode(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for name, value := range map[string]string{"Idempotency-Key": x.key, "If-Match": x.tag} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Accept", "application/json, application/problem+json")
	if x.stream {
		r.Header.Set("Accept", "text/event-stream, application/octet-stream, application/problem+json")
	}
	if x.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := cmp.Or(c.HTTP, http.DefaultClient).Do(r)
	if err != nil || x.stream && answer.StatusCode < 300 {
		return answer, nil, err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	return answer, data, err
}

// again reports whether a call is sent again, and how long it waits before that.
func again(x *call, answer *http.Response, err error) (time.Duration, bool) {
	var dial *net.OpError
	if err != nil {
		return 0, x.twice || x.key != "" || errors.As(err, &dial) && dial.Op == "dial" // then nobody has got it
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	wait := time.Duration(max(0, seconds)) * time.Second
	switch answer.StatusCode {
	case http.StatusTooManyRequests: // it was not let in
		return max(wait, 100*time.Millisecond), true
	case http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		return wait, x.twice || x.key != ""
	}
	return 0, false
}

// problemOf returns the problem of an answer; nil for a success.
func problemOf(answer *http.Response, data []byte) error {
	if answer.StatusCode < 300 {
		return nil
	}
	p := &api.Problem{}
	if json.Unmarshal(data, p) != nil || p.Status == 0 {
		p = &api.Problem{Title: answer.Status, Detail: strings.TrimSpace(string(data[:min(len(data), 200)]))}
	}
	p.Status = answer.StatusCode
	p.Detail = cmp.Or(p.Detail, p.Title)
	return p
}
