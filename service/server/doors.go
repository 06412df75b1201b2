package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/bookahead/bookahead/service/config"
	"github.com/bookahead/bookahead/service/who"
)

// callerKey is the key of the caller in a context.
type callerKey struct{}

// callerOf returns the caller of a request; the zero Caller if nobody knows him.
func callerOf(ctx context.Context) who.Caller {
	c, _ := ctx.Value(callerKey{}).(who.Caller)
	return c
}

// CallerOf returns the caller of a request that has passed the doors, for package page.
func CallerOf(ctx context.Context) who.Caller { return callerOf(ctx) }

// doors returns a handler that lets a request pass if it may.
func (s *Server) doors(inside http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection() // a page of others cannot change anything with a reader's cookie
	protected := origin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.enter(w, r, inside) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.afterPanic(w, r)
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
	c, err := s.gate.Caller(r)
	if err != nil {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		refuse(w, r, http.StatusUnauthorized, err.Error())
		return
	}
	if c.Role == who.Nobody && strings.HasPrefix(r.URL.Path, "/v1/") && !strings.HasPrefix(r.URL.Path, "/v1/openapi") {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, r, http.StatusUnauthorized, "say who you are: Authorization: Bearer TOKEN")
		return
	}
	name := c.Owner
	if name == "" {
		name = "at " + s.address(r)
	}
	wait := s.rates.take(name, time.Now())
	if wait > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int64(wait/time.Second)+1))
		refuse(w, r, http.StatusTooManyRequests, fmt.Sprintf("these are more than %g requests a second", s.office.Config.Limits.Rate))
		return
	}
	ctx := context.WithValue(r.Context(), callerKey{}, c)
	if !isStream(r) {
		timed, stop := context.WithTimeout(ctx, s.office.Config.Limits.Timeout.Time())
		defer stop()
		ctx = timed
	}
	r = r.WithContext(ctx)
	r.Body = http.MaxBytesReader(w, r.Body, s.office.Config.Limits.Body)
	inside.ServeHTTP(w, r)
}

// address returns the address of the one who asks: behind a proxy, the last that the proxy has seen.
func (s *Server) address(r *http.Request) string {
	if s.office.Config.Proxy {
		list := strings.Split(r.Header.Get("X-Forwarded-For"), ",")
		if last := strings.TrimSpace(list[len(list)-1]); last != "" {
			return last
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
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
