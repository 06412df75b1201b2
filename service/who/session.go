package who

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// lasting is how long a session lasts, and beginning how long somebody may take to log in at the provider.
const (
	lasting   = 12 * time.Hour
	beginning = 10 * time.Minute
)

// session says who a browser is. The browser keeps it in a cookie that the gate has signed, so that each member that has the
// secret knows it, and none keeps anything.
//
// It has no role. A session of a token has the sum of the token, and its caller is whoever has that token in the file now. A
// session of the provider has owner and groups, and its role follows from the file. So a session ends when its token or its
// provider leaves the file.
type session struct {
	Token  string   `json:"token,omitempty"`
	Issuer string   `json:"issuer,omitempty"`
	Owner  string   `json:"owner,omitempty"`
	Groups []string `json:"groups,omitempty"`
	Until  int64    `json:"until"` // in seconds
}

func (s session) until() time.Time { return time.Unix(s.Until, 0) }

// bySession returns the caller whose session a request shows; nobody if it shows none.
func (g *Gate) bySession(r *http.Request) Caller {
	var s session
	if !g.opened(r, "session", &s) || !g.now().Before(s.until()) {
		return Caller{}
	}
	if s.Token == "" {
		c, _ := g.known(s, "login")
		return c
	}
	sum, err := hex.DecodeString(s.Token)
	if err != nil || len(sum) != 32 {
		return Caller{}
	}
	c, err := g.byToken([32]byte(sum))
	if err == nil && (c.Until.IsZero() || c.Until.After(s.until())) {
		c.Until = s.until()
	}
	return c
}

// secure reports whether browsers reach the service by HTTPS.
func (g *Gate) secure() bool { return strings.HasPrefix(g.config.URL, "https:") }

// cookie returns an empty cookie for a purpose. With HTTPS, its name begins with __Host-: a browser takes it from this host alone.
func (g *Gate) cookie(purpose string) *http.Cookie {
	name := "bookahead-" + purpose
	if g.secure() {
		name = "__Host-" + name
	}
	return &http.Cookie{Name: name, Path: "/", HttpOnly: true, Secure: g.secure(), SameSite: http.SameSiteLaxMode}
}

// seal gives a browser something that it shows again until a time. It reports whether a browser can keep so much.
func (g *Gate) seal(w http.ResponseWriter, purpose string, value any, until time.Time) bool {
	data, err := json.Marshal(value)
	c := g.cookie(purpose)
	c.Value = base64.RawURLEncoding.EncodeToString(data) + "." + g.sign(purpose, string(data))
	c.MaxAge = max(1, int(until.Sub(g.now()).Seconds()))
	if err != nil || len(c.String()) > maxCookie {
		return false
	}
	http.SetCookie(w, c)
	return true
}

// maxCookie is how many bytes of a cookie each browser keeps.
const maxCookie = 4096

// clear takes from a browser what it was given.
func (g *Gate) clear(w http.ResponseWriter, purpose string) {
	c := g.cookie(purpose)
	c.MaxAge = -1
	http.SetCookie(w, c)
}

// opened reads what a browser was given for a purpose, and reports whether the gate has signed it.
func (g *Gate) opened(r *http.Request, purpose string, into any) bool {
	c, err := r.Cookie(g.cookie(purpose).Name)
	if err != nil {
		return false
	}
	text, sum, _ := strings.Cut(c.Value, ".")
	data, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && hmac.Equal([]byte(sum), []byte(g.sign(purpose, string(data)))) && json.Unmarshal(data, into) == nil
}
