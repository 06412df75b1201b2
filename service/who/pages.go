package who

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

//go:embed login.html
var loginText string

var loginPage = template.Must(template.New("login").Parse(loginText))

// login is what the page of a login shows.
type login struct {
	Style    string // the address of the stylesheet; none if ""
	Caller   Caller // who is logged in already
	Provider string // the name of the provider; "" if there is none
	Back     string // where to go on after the login
	Wrong    string // why the last try has failed
}

// pages are the pages of a login. They work without scripts.
//
//	GET  /login            a form for a token, and a link to the provider
//	POST /login            logs in by a token
//	GET  /login/oidc       begins a login at the provider
//	GET  /login/callback   ends it
//	POST /logout           takes the session from the browser
type pages struct {
	*Gate
	log   *slog.Logger
	style string
}

// Mount adds the pages of a login. They link a stylesheet, if its address is not "".
func (g *Gate) Mount(mux *http.ServeMux, log *slog.Logger, style string) {
	p := &pages{g, log, style}
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		p.show(w, r, http.StatusOK, r.URL.Query().Get("back"), "")
	})
	mux.HandleFunc("POST /login", p.byForm)
	mux.HandleFunc("GET /login/oidc", p.begin)
	mux.HandleFunc("GET /login/callback", p.callback)
	mux.HandleFunc("POST /logout", p.logout)
}

// show shows the page.
func (p *pages) show(w http.ResponseWriter, r *http.Request, status int, back, wrong string) {
	x := login{Style: p.style, Caller: p.bySession(r), Back: local(back), Wrong: wrong}
	if p.provider != nil {
		x.Provider = p.provider.host()
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	err := loginPage.Execute(w, x)
	if err != nil {
		p.log.Warn("the page of logins was not written", "err", err)
	}
}

// byForm logs in by a token that somebody has typed.
func (p *pages) byForm(w http.ResponseWriter, r *http.Request) {
	back := r.PostFormValue("back")
	if !saysOrigin(r) { // another site could log the browser in as somebody else
		p.show(w, r, http.StatusForbidden, back, ErrOrigin.Error())
		return
	}
	token := strings.TrimSpace(r.PostFormValue("token"))
	_, err := p.byToken(sha256.Sum256([]byte(token)))
	if err != nil {
		p.show(w, r, http.StatusForbidden, back, err.Error())
		return
	}
	p.welcome(w, r, session{Token: SumOf(token), Until: p.now().Add(lasting).Unix()}, back)
}

// welcome gives a browser a session, and sends it to where it wanted to go.
func (p *pages) welcome(w http.ResponseWriter, r *http.Request, s session, back string) {
	if !p.seal(w, "session", s, s.until()) {
		p.show(w, r, http.StatusForbidden, back, "you are in more groups than a browser can keep")
		return
	}
	http.Redirect(w, r, local(back), http.StatusSeeOther)
}

// begun is a login that has begun. Nonce and verifier follow from its state and the secret of the gate.
type begun struct {
	State string `json:"state"`
	Back  string `json:"back"`
	Until int64  `json:"until"`
}

// begin sends a browser to the provider.
func (p *pages) begin(w http.ResponseWriter, r *http.Request) {
	back := local(r.URL.Query().Get("back"))
	if p.provider == nil {
		http.NotFound(w, r)
		return
	}
	d, err := p.provider.discover(r.Context())
	if err != nil {
		p.log.Warn("the provider of logins cannot be reached", "err", err)
		p.show(w, r, http.StatusServiceUnavailable, back, ErrAway.Error())
		return
	}
	until := p.now().Add(beginning)
	b := begun{State: rand.Text(), Back: back, Until: until.Unix()}
	if !p.seal(w, "login", b, until) {
		b.Back = "/"
		p.seal(w, "login", b, until)
	}
	verifier, nonce := oauth2.S256ChallengeOption(p.sign("verifier", b.State)), oidc.Nonce(p.sign("nonce", b.State))
	http.Redirect(w, r, d.oauth.AuthCodeURL(b.State, verifier, nonce), http.StatusSeeOther)
}

// callback takes a browser that comes back from the provider.
func (p *pages) callback(w http.ResponseWriter, r *http.Request) {
	var b begun
	q := r.URL.Query()
	if p.provider == nil || !p.opened(r, "login", &b) || p.now().Unix() >= b.Until || !hmac.Equal([]byte(q.Get("state")), []byte(b.State)) {
		p.show(w, r, http.StatusBadRequest, "", "this login was not begun in this browser, or took too long: begin again")
		return
	}
	p.clear(w, "login")
	d, err := p.provider.discover(r.Context())
	if err != nil {
		p.show(w, r, http.StatusServiceUnavailable, b.Back, ErrAway.Error())
		return
	}
	if q.Get("error") != "" {
		p.show(w, r, http.StatusForbidden, b.Back, "the provider does not let you in")
		return
	}
	s, err := p.provider.exchange(r.Context(), d, q.Get("code"), p.sign("verifier", b.State), p.sign("nonce", b.State))
	if err == nil {
		_, err = p.known(s, "login")
	}
	if err != nil {
		p.log.Warn("a login at the provider has failed", "err", err)
		p.show(w, r, http.StatusForbidden, b.Back, "the answer of the provider is wrong: the log of the service says why")
		return
	}
	p.welcome(w, r, s, b.Back)
}

// logout takes the session from a browser.
func (p *pages) logout(w http.ResponseWriter, r *http.Request) {
	p.clear(w, "session")
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// local returns an address if it is a path of this service, and else "/": nobody is sent elsewhere.
func local(back string) string {
	u, err := url.Parse(back)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(back, "/") || strings.HasPrefix(back, "//") || strings.Contains(back, `\`) {
		return "/"
	}
	return back
}
