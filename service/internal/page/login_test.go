package page_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
	"github.com/stretchr/testify/require"
)

// startProvider starts a provider of logins on another site, whose page asks to be clicked. It returns its address.
func startProvider(t *testing.T) string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	known := &oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: "one", Algorithm: oidc.RS256}}}
	asked := make(chan url.Values, 1)
	mux := http.NewServeMux()
	mux.Handle("/", known)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	issuer := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	known.SetIssuer(issuer)
	mux.HandleFunc("GET /auth", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked <- q
		back := q.Get("redirect_uri") + "?" + url.Values{"code": {"c0de"}, "state": {q.Get("state")}}.Encode()
		fmt.Fprintf(w, `<!doctype html><title>Provider</title><link rel="icon" href="data:,"><main><a href=%q>Yes, it is me</a></main>`, back)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		q := <-asked
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if r.PostFormValue("code") != "c0de" || q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		claims, _ := json.Marshal(map[string]any{
			"iss": issuer, "aud": "bookahead", "sub": "7", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
			"nonce": q.Get("nonce"), "preferred_username": "ann",
		})
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]string{"access_token": "a", "token_type": "Bearer", "id_token": oidctest.SignIDToken(key, "one", oidc.RS256, string(claims))})
	})
	return issuer
}

// TestLogIn: whoever is unknown logs in by a token or at a provider, is back on the page that was asked for, books, hears of others, and
// logs out.
func TestLogIn(t *testing.T) {
	provider := startProvider(t)
	s := start(t, "oidc: {issuer: '"+provider+"', client: bookahead}")
	s.friend = provider
	ann := s.open("", dayOf("lab"), 1280, 900)
	isBack := func() { ann.until(`location.pathname + location.search === ` + quoted(dayOf("lab"))) }
	ann.press("Log in")
	ann.reaches("/login")
	ann.isAccessible()
	ann.do(chromedp.SendKeys("#token", "another's token"))
	ann.press("Log in with a token")
	ann.sees("the token is unknown")
	ann.shot("login")
	ann.isAccessible()
	ann.do(chromedp.SendKeys("#token", "ann's token"))
	ann.press("Log in with a token")
	isBack()
	ann.sees("ann, booker")
	ann.set("title", "cells", "start", local(8), "hours", "2")
	ann.press("Book")
	ann.reaches("/bookings/1")
	ann.visit(dayOf("lab"))
	s.book("bob", "lab", "", "1", 14, 1).is(http.StatusOK)
	ann.until(`document.querySelectorAll('.picture a').length === 2`) // the stream knows the session, too
	ann.press("Log out")
	ann.reaches("/login")

	ann.visit("/bookings/1")
	require.NotContains(t, eval[string](ann, `document.body.innerText`), "cells")
	ann.press("Log in")
	ann.press("Log in at localhost")
	require.Contains(t, eval[string](ann, `location.href`), provider)
	ann.press("Yes, it is me")
	ann.reaches("/bookings/1")
	ann.sees("ann, booker")
	ann.press("Yes, cancel it")
	ann.sees("cancelled")
	ann.press("Log out")
	ann.visit(dayOf("lab"))
	ann.sees("Log in")
}
