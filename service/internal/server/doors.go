package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/who"
)

// callerKey is the key of the caller in a context.
type callerKey struct{}

// CallerOf returns the caller of a request that has passed the doors; the zero Caller if nobody knows him.
func CallerOf(ctx context.Context) who.Caller {
	c, _ := ctx.Value(callerKey{}).(who.Caller)
	return c
}

// doors returns a handler that lets a request pass if it may.
func (s *Server) doors(inside http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection() // a page of others cannot change anything with a reader's cookie
	err := origin.AddTrustedOrigin(s.office.Config.URL)
	if err != nil {
		s.log.Error("the origin of the pages is no origin", "url", s.office.Config.URL, "err", err) // the file was checked
	}
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, http.StatusForbidden, "this change comes from a page of another site")
	}))
	protected := origin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.enter(w, r, inside) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.afterPanic(w, r)
		s.bound(w, r)
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-store")
		if s.office.Config.TLS != nil || strings.HasPrefix(s.office.Config.URL, "https:") {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		protected.ServeHTTP(w, r)
	})
}

// afterPanic answers a request on which the service has panicked.
func (s *Server) afterPanic(w http.ResponseWriter, r *http.Request) {
	value := recover()
	if value == nil {
		return
	}
	if value == http.ErrAbortHandler {
		panic(value)
	}
	s.log.Error("a request has panicked", "method", r.Method, "path", r.URL.Path, "value", value, "stack", string(debug.Stack()))
	refuse(w, r, http.StatusInternalServerError, "the service has made a mistake, which is in its log")
}

// enter finds out who asks, and bounds how much and how often.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, inside http.Handler) {
	c, unknown := s.gate.Caller(r)
	name := c.Owner
	if name == "" {
		name = "at " + s.address(r)
	}
	wait := s.rates.take(name, time.Now()) // also of those who show a wrong token
	open := !strings.HasPrefix(r.URL.Path, "/v1/") || strings.HasPrefix(r.URL.Path, "/v1/openapi")
	switch {
	case wait > 0:
		w.Header().Set("Retry-After", fmt.Sprint(int64(wait/time.Second)+1))
		refuse(w, r, http.StatusTooManyRequests, fmt.Sprintf("these are more than %g requests a second", s.office.Config.Limits.Rate))
		return
	case errors.Is(unknown, who.ErrAway):
		refuse(w, r, http.StatusServiceUnavailable, unknown.Error())
		return
	case errors.Is(unknown, who.ErrOrigin):
		refuse(w, r, http.StatusForbidden, unknown.Error())
		return
	case unknown != nil:
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		refuse(w, r, http.StatusUnauthorized, unknown.Error())
		return
	case c.Role == who.Nobody && !open:
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, r, http.StatusUnauthorized, "say who you are: Authorization: Bearer TOKEN")
		return
	}
	ctx, stop := s.bounded(r, c)
	defer stop()
	r = r.WithContext(ctx)
	r.Body = http.MaxBytesReader(w, r.Body, s.office.Config.Limits.Body)
	inside.ServeHTTP(w, r)
}

// bound bounds how long an answer may be written, so that nobody holds it by reading slowly. A connection keeps its bound: each
// request sets its own.
func (s *Server) bound(w http.ResponseWriter, r *http.Request) {
	end := time.Now().Add(2 * s.office.Config.Limits.Timeout.Time()) // as much to read it as to make it
	if isStream(r) {
		end = time.Time{}
	}
	http.NewResponseController(w).SetWriteDeadline(end) // a writer of a test has none
}

// bounded returns the context of a request, which ends in time: a stream with what its caller has shown, and all else after the
// timeout.
func (s *Server) bounded(r *http.Request, c who.Caller) (context.Context, context.CancelFunc) {
	ctx := context.WithValue(r.Context(), callerKey{}, c)
	switch {
	case !isStream(r):
		return context.WithTimeout(ctx, s.office.Config.Limits.Timeout.Time())
	case c.Until.IsZero():
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, c.Until)
}

// address returns the address of the one who asks: behind a proxy, the last that the proxy has seen.
func (s *Server) address(r *http.Request) string {
	text := r.RemoteAddr
	host, _, err := net.SplitHostPort(text)
	if err == nil {
		text = host
	}
	if seen := r.Header.Values("X-Forwarded-For"); s.office.Config.Proxy && len(seen) > 0 { // the proxy may add a line
		text = strings.TrimSpace(seen[len(seen)-1][strings.LastIndex(seen[len(seen)-1], ",")+1:])
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Unmap().Is4() {
		return text
	}
	return netip.PrefixFrom(a.WithZone(""), 64).Masked().String() // who has one of these has all
}

// rates bounds how often each caller may ask.
type rates struct {
	limits config.Limits
	mu     sync.Mutex
	by     map[string]*rate.Limiter
}

// maxCallers is how many callers are remembered. Beyond that all begin anew.
const maxCallers = 1 << 14

// take counts a request, and returns how long its caller has to wait; 0 if it may pass.
func (x *rates) take(name string, now time.Time) time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by == nil || len(x.by) >= maxCallers {
		x.by = map[string]*rate.Limiter{}
	}
	l := x.by[name]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(x.limits.Rate), x.limits.Burst)
		x.by[name] = l
	}
	r := l.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}
