package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/who"
)

// lockedBuffer keeps a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// login returns a browser in which somebody is logged in.
func (s *service) login(by string) *http.Client {
	s.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(s, err)
	c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequest("POST", s.server.URL+"/login", strings.NewReader(url.Values{"token": {by + "'s token"}}.Encode()))
	require.NoError(s, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", s.server.URL)
	res, err := c.Do(r)
	require.NoError(s, err)
	res.Body.Close()
	require.Equal(s, http.StatusSeeOther, res.StatusCode)
	return c
}

// TestChangesOfOtherSites sends a change with the cookie of somebody who is logged in, from pages of several sites.
func TestChangesOfOtherSites(t *testing.T) {
	s := start(t, "")
	c := s.login("ann")
	for _, one := range []struct {
		headers []string
		code    int
	}{
		{[]string{"Sec-Fetch-Site", "same-origin", "Origin", s.server.URL}, http.StatusCreated},
		{[]string{"Sec-Fetch-Site", "same-origin"}, http.StatusCreated},
		{[]string{"Origin", s.server.URL}, http.StatusCreated},
		{[]string{"Origin", s.office.Config.URL}, http.StatusCreated}, // behind a proxy that names another host
		{[]string{"Sec-Fetch-Site", "none"}, http.StatusCreated},
		{[]string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		{[]string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, http.StatusForbidden},
		{[]string{"Origin", "https://evil.example"}, http.StatusForbidden},
		{[]string{"Origin", "null"}, http.StatusForbidden},
		{[]string{"Origin", strings.Replace(s.server.URL, "http:", "https:", 1) + ".evil.example"}, http.StatusForbidden},
		{nil, http.StatusForbidden}, // an old browser does not say from which page the change comes
		{[]string{"Referer", s.server.URL + "/"}, http.StatusForbidden},
		{[]string{"Authorization", "Basic eDp5"}, http.StatusForbidden},
		{[]string{"Authorization", "Bearer ann's token"}, http.StatusCreated}, // a program
	} {
		r, err := http.NewRequest("POST", s.server.URL+"/v1/bookings", strings.NewReader(jsonOf(want("", "link", 1, 8, 9))))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(one.headers); i += 2 {
			r.Header.Set(one.headers[i], one.headers[i+1])
		}
		res, err := c.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		res.Body.Close()
		a := answer{s, res.StatusCode, res.Header, body}
		require.Equal(t, one.code, a.code, "%v: %s", one.headers, body)
		if one.code != http.StatusCreated {
			a.refused(one.code)
			continue
		}
		var b api.Booking
		a.is(http.StatusCreated, &b)
		s.call("root", "DELETE", fmt.Sprintf("/v1/bookings/%d", b.ID), nil).is(http.StatusOK, nil)
	}
	res, err := c.Get(s.server.URL + "/v1/me")
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Empty(t, res.Header.Get("Access-Control-Allow-Origin"), "no page of others reads an answer")
}

// TestHeaders checks the headers by which browsers are told to be careful.
func TestHeaders(t *testing.T) {
	s := start(t, "")
	for _, path := range []string{"/v1/me", "/login", "/healthz", "/nowhere", "/v1/nowhere"} {
		a := s.call("ann", "GET", path, nil)
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"), path)
		require.Contains(t, a.header.Get("Content-Security-Policy"), "default-src 'none'", path)
		require.Contains(t, a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
		require.NotContains(t, a.header.Get("Content-Security-Policy"), "unsafe", path)
		require.Equal(t, "no-store", a.header.Get("Cache-Control"), path)
	}
	s.call("ann", "GET", "/v1/nowhere", nil).refused(http.StatusNotFound)
	a := s.call("ann", "PATCH", "/v1/bookings/1", nil)
	a.refused(http.StatusMethodNotAllowed)
	require.Equal(t, "GET, PUT, DELETE", a.header.Get("Allow"))
	require.Equal(t, http.StatusUnauthorized, s.call("", "GET", "/v1/nowhere", nil).code)
}

func TestTooMuch(t *testing.T) {
	s := start(t, "")
	w := want(strings.Repeat("x", 2<<20), "link", 1, 8, 9)
	s.call("ann", "POST", "/v1/bookings", w).refused(http.StatusRequestEntityTooLarge)
	s.call("ann", "POST", "/v1/bookings", strings.Repeat("[", 1<<19)).refused(http.StatusBadRequest)
	s.call("ann", "POST", "/v1/bookings", `{"parts":[{"schedule":"link","duration":"PT1H","units":1e400}]}`).refused(http.StatusBadRequest)
	s.call("ann", "POST", "/v1/bookings", `{"parts":[{"schedule":"link","duration":"PT1H","units":9223372036854775808}]}`).refused(http.StatusUnprocessableEntity)
	s.call("ann", "POST", "/v1/bookings", `{"priority":-9223372036854775808,"parts":[{"schedule":"link","duration":"PT1H"}]}`).refused(http.StatusUnprocessableEntity)
	r, err := http.NewRequest("POST", s.server.URL+"/login", strings.NewReader("token="+strings.Repeat("x", 2<<20)))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", s.server.URL)
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, http.StatusForbidden, res.StatusCode)
	s.call("ann", "GET", "/v1/me", nil).is(http.StatusOK, nil)
	r, err = http.NewRequest("GET", s.server.URL+"/v1/me", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+strings.Repeat("a", 2<<20))
	res, err = http.DefaultClient.Do(r)
	if err == nil { // the server may end the connection while the client writes
		res.Body.Close()
		require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, res.StatusCode)
	}
}

// TestRates checks that each caller has a rate of his own, that who shows wrong tokens has that of his address, and that a proxy's
// word for it counts only if there is a proxy.
func TestRates(t *testing.T) {
	s := start(t, "")
	s.http.rates.limits = config.Limits{Rate: 0.01, Burst: 5}
	ask := func(token, forwarded string) int {
		r, err := http.NewRequest("GET", s.server.URL+"/v1/me", nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		for _, line := range strings.Split(forwarded, "|") {
			r.Header.Add("X-Forwarded-For", line)
		}
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		res.Body.Close()
		return res.StatusCode
	}
	for range 5 {
		require.Equal(t, http.StatusOK, ask("ann's token", "10.0.0.1"))
		require.Equal(t, http.StatusUnauthorized, ask("guess", "10.0.0.1"))
	}
	require.Equal(t, http.StatusTooManyRequests, ask("ann's token", "10.0.0.2"))
	require.Equal(t, http.StatusOK, ask("bob's token", "10.0.0.1"))
	require.Equal(t, http.StatusTooManyRequests, ask("guess", "10.0.0.2"), "without a proxy nobody says where he is")
	s.office.Config.Proxy = true
	for range 5 {
		require.Equal(t, http.StatusUnauthorized, ask("guess", "10.0.0.3"))
	}
	require.Equal(t, http.StatusTooManyRequests, ask("guess", "10.0.0.4, 10.0.0.3"))
	require.Equal(t, http.StatusTooManyRequests, ask("guess", "10.0.0.4|10.0.0.3"), "the last line counts, which the proxy has added")
	require.Equal(t, http.StatusTooManyRequests, ask("guess", "1, 2|3,10.0.0.3"))
	for range 5 {
		require.Equal(t, http.StatusUnauthorized, ask("guess", "2001:db8::1"))
	}
	require.Equal(t, http.StatusTooManyRequests, ask("guess", "2001:db8::ffff:2"), "who has an address has 2^64 of them")
	require.Equal(t, http.StatusUnauthorized, ask("guess", "2001:db8:0:1::1"))
	a := s.call("ann", "GET", "/v1/me", nil)
	a.refused(http.StatusTooManyRequests)
	require.NotEmpty(t, a.header.Get("Retry-After"))
}

// TestStreams checks that nobody holds more streams than he may, and that they end with their service.
func TestStreams(t *testing.T) {
	s := start(t, "")
	s.http.streams.most = 3
	var stops []context.CancelFunc
	for range 3 {
		a, stop := s.head("eve", "/v1/events")
		require.Equal(t, http.StatusOK, a.code)
		stops = append(stops, stop)
	}
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	require.Contains(t, <-s.events(ctx, "eve", ""), "as many streams as you may have")
	a, stopBob := s.head("bob", "/v1/events?after=18446744073709551615")
	require.Equal(t, http.StatusOK, a.code)
	stopBob()
	stops[0]()
	require.Eventually(t, func() bool {
		s.http.streams.mu.Lock()
		defer s.http.streams.mu.Unlock()
		return s.http.streams.of["eve"] == 2 && len(s.http.streams.of) == 1
	}, 10*time.Second, 10*time.Millisecond)
	for _, stop := range stops {
		stop()
	}

	// A stream ends with the session, or the token, by which its reader is known.
	r := httptest.NewRequest("GET", "/v1/events", nil)
	r.Header.Set("Accept", "text/event-stream")
	bounded, release := s.http.bounded(r, who.Caller{Until: time.Now().Add(10 * time.Millisecond)})
	defer release()
	select {
	case <-bounded.Done():
	case <-time.After(10 * time.Second):
		require.Fail(t, "the stream goes on")
	}
	endless, release := s.http.bounded(r, who.Caller{})
	defer release()
	_, ends := endless.Deadline()
	require.False(t, ends)
}

// TestSlowClients writes headers and bodies a byte at a time, and reads nothing of an answer: each connection ends in time.
func TestSlowClients(t *testing.T) {
	s := start(t, "")
	s.office.Config.Limits.Timeout = config.Length(time.Second)
	slow := httptest.NewUnstartedServer(s.http)
	slow.Config.ReadHeaderTimeout, slow.Config.ReadTimeout, slow.Config.IdleTimeout = time.Second, 2*time.Second, time.Second // the service has 10 s, 60 s, 120 s
	slow.Start()
	defer slow.Close()
	dribble := func(first string) (took time.Duration, answer string) {
		c, err := net.Dial("tcp", slow.Listener.Addr().String())
		if !assert.NoError(t, err) {
			return 0, ""
		}
		defer c.Close()
		began := time.Now()
		go func() {
			_, err := io.WriteString(c, first)
			for err == nil {
				_, err = io.WriteString(c, "x")
				time.Sleep(50 * time.Millisecond)
			}
		}()
		assert.NoError(t, c.SetReadDeadline(time.Now().Add(30*time.Second)))
		data, _ := io.ReadAll(c) // the server ends it, maybe hard
		return time.Since(began), string(data)
	}
	var all sync.WaitGroup
	for first, most := range map[string]time.Duration{
		"": 10 * time.Second,
		"GET /v1/me HTTP/1.1\r\nHost: x\r\nX-A: ": 10 * time.Second,
		"POST /v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann's token\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{": 20 * time.Second,
	} {
		all.Go(func() {
			took, answer := dribble(first)
			assert.Less(t, took, most, first)
			assert.NotContains(t, answer, "HTTP/1.1 5")
		})
	}

	all.Go(func() { // a connection that was kept is as good as another
		c, err := net.Dial("tcp", s.server.Listener.Addr().String())
		if !assert.NoError(t, err) {
			return
		}
		defer c.Close()
		lines := bufio.NewReader(c)
		for _, token := range []string{"ann's token", "guess"} {
			_, err = fmt.Fprintf(c, "GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", token)
			assert.NoError(t, err)
			res, err := http.ReadResponse(lines, nil)
			if assert.NoError(t, err, token) {
				io.Copy(io.Discard, res.Body)
			}
			time.Sleep(2500 * time.Millisecond)
		}
	})
	all.Go(func() { // who reads nothing of a long answer
		done := make(chan error, 1)
		long := httptest.NewServer(s.http.doors(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			var err error
			for err == nil {
				_, err = w.Write(make([]byte, 1<<20))
			}
			done <- err
		})))
		defer long.Close()
		c, err := net.Dial("tcp", long.Listener.Addr().String())
		if assert.NoError(t, err) {
			defer c.Close()
			_, err = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
			assert.NoError(t, err)
		}
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			assert.Fail(t, "the answer is written for ever")
			long.CloseClientConnections()
		}
	})

	// A stream lives longer than the bounds of other requests.
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	old := s.server.URL
	s.server.URL = slow.URL
	events := s.events(ctx, "eve", `"booked"`)
	s.server.URL = old
	time.Sleep(3 * time.Second)
	s.call("ann", "POST", "/v1/bookings", want("", "link", 1, 8, 9)).is(http.StatusCreated, nil)
	require.Contains(t, <-events, `"booked"`)
	all.Wait()
}

// TestNothingSecretInTheLog logs in, books, fails and panics, and looks for secrets in the log.
func TestNothingSecretInTheLog(t *testing.T) {
	s := start(t, "")
	c := s.login("ann")
	var a struct{ URL string }
	s.call("ann", "GET", "/v1/feeds", nil).is(http.StatusOK, &a)
	u, err := url.Parse(a.URL)
	require.NoError(t, err)
	s.call("", "GET", u.RequestURI(), nil).is(http.StatusOK, nil)
	s.call("ann", "POST", "/v1/bookings", want("secret title", "link", 1, 8, 9), "Idempotency-Key", "secret key").is(http.StatusCreated, nil)
	s.call("ann", "POST", "/v1/bookings", "{secret", "Idempotency-Key", "secret key").refused(http.StatusBadRequest)
	for _, text := range []string{"Bearer guessed-token", "Bearer a.guessed.token"} {
		require.Equal(t, http.StatusUnauthorized, s.call("", "GET", "/v1/me", nil, "Authorization", text).code)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/v1/me?key=secret", nil)
	r.Header.Set("Authorization", "Bearer ann's token")
	s.http.doors(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("on purpose") })).ServeHTTP(w, r)
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.NotContains(t, w.Body.String(), "on purpose")
	log := s.log.String()
	require.Contains(t, log, "on purpose")
	hidden := []string{"s token", "secret title", "secret key", "guessed", u.Query().Get("key"), "key=secret"}
	for _, cookie := range c.Jar.Cookies(&url.URL{Scheme: "http", Host: s.server.Listener.Addr().String()}) {
		hidden = append(hidden, cookie.Value)
	}
	require.Len(t, hidden, 7)
	for _, text := range hidden {
		require.NotContains(t, log, text)
	}
}
