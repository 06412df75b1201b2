package who

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLoginByToken(t *testing.T) {
	d := open(t, tokens())
	d.clock = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	b := d.browser()
	code, body := d.get(b, "/login?back=/week")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, `<input type="hidden" name="back" value="/week">`)
	require.Contains(t, body, `href="/static/page.css"`)
	require.NotContains(t, body, "oidc")
	require.NotContains(t, body, "<script")

	same := []string{"Origin", d.server.URL}
	code, body = d.post(b, "/login", url.Values{"token": {"mistaken<script>"}, "back": {"/week"}}, same...)
	require.Equal(t, http.StatusForbidden, code)
	require.Contains(t, body, ErrUnknown.Error())
	require.NotContains(t, body, "mistaken")
	_, body = d.get(b, "/")
	require.Contains(t, body, "nobody")

	code, body = d.post(b, "/login", url.Values{"token": {" ann's\n"}, "back": {"/week"}}, same...)
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, `ann operator ["lab" "staff"] ann by token`)
	_, body = d.get(b, "/login")
	require.Contains(t, body, "<bdi>ann</bdi>, a operator")

	code, body = d.get(b, "/", "Authorization", "Bearer bob's")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "bob reader", "a token counts more than a session")

	code, body = d.post(b, "/x", nil, same...)
	require.Equal(t, http.StatusOK, code, body)
	code, body = d.post(b, "/x", nil, "Sec-Fetch-Site", "same-origin")
	require.Equal(t, http.StatusOK, code, body)
	code, body = d.post(b, "/x", nil)
	require.Equal(t, http.StatusUnauthorized, code, "an old browser, or another page in it")
	require.Contains(t, body, ErrOrigin.Error())
	code, _ = d.post(d.browser(), "/login", url.Values{"token": {"ann's"}})
	require.Equal(t, http.StatusForbidden, code, "nobody is logged in by another page")

	code, body = d.post(b, "/logout", nil, same...)
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "<h1>Log in</h1>")
	_, body = d.get(b, "/")
	require.Contains(t, body, "nobody")
	require.NotContains(t, d.log.String(), "ann's")
}

// TestSessionEnds checks that a session ends after its time, with its token, and with the day of the token.
func TestSessionEnds(t *testing.T) {
	d := open(t, tokens())
	d.clock = time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)
	b := d.browser()
	enter := func(token string) {
		code, _ := d.post(b, "/login", url.Values{"token": {token}}, "Origin", d.server.URL)
		require.Equal(t, http.StatusOK, code)
	}
	is := func(want string) {
		t.Helper()
		_, body := d.get(b, "/")
		require.True(t, strings.HasPrefix(body, want), body)
	}
	enter("ann's")
	d.clock = d.clock.Add(lasting - time.Second)
	is("ann operator")
	cookies := b.Jar.Cookies(must(url.Parse(d.server.URL)))
	d.clock = d.clock.Add(time.Second)
	is(" nobody")

	enter("bob's")
	is("bob reader")
	d.gate.config.Tokens[1].Role = "booker"
	is("bob booker") // the file counts, and not the session
	d.clock = d.clock.Add(10 * time.Hour)
	enter("bob's")
	d.clock = d.clock.Add(11 * time.Hour)
	is("bob booker")
	d.clock = time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC)
	is(" nobody")

	d.clock = time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC)
	enter("bob's")
	is("bob booker")
	d.gate = d.other(d.gate.config, secret)
	is("bob booker") // another member that has the secret
	d.gate.config.Tokens = d.gate.config.Tokens[:1]
	d.gate = d.other(d.gate.config, secret)
	is(" nobody") // its token is gone from the file

	d.clock = time.Date(2026, 3, 27, 13, 0, 0, 0, time.UTC)
	b.Jar.SetCookies(must(url.Parse(d.server.URL)), cookies)
	is("ann operator")
	d.gate = d.other(d.gate.config, bytes.Repeat([]byte{8}, 32))
	is(" nobody") // another secret
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestForgedSessions changes each byte of a session, cuts it, and makes others.
func TestForgedSessions(t *testing.T) {
	d := open(t, tokens())
	w := httptest.NewRecorder()
	until := time.Now().Add(time.Hour)
	require.True(t, d.gate.seal(w, "session", session{Token: SumOf("ann's"), Until: until.Unix()}, until))
	good := w.Result().Cookies()[0]
	as := func(name, value string) Caller {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Cookie", name+"="+value)
		c, err := d.gate.Caller(r)
		require.NoError(t, err)
		return c
	}
	require.Equal(t, "ann", as(good.Name, good.Value).Owner)
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	for i := range good.Value {
		require.Zero(t, as(good.Name, good.Value[:i]), "cut after %d", i)
		for _, other := range []byte{'A', '.', '%', digits[(strings.IndexByte(digits, good.Value[i])+17)%len(digits)]} {
			forged := good.Value[:i] + string(other) + good.Value[i+1:]
			if c := as(good.Name, forged); c.Role != Nobody {
				a, _ := base64.RawURLEncoding.DecodeString(strings.Split(forged, ".")[0])
				b, _ := base64.RawURLEncoding.DecodeString(strings.Split(good.Value, ".")[0])
				require.Equal(t, b, a, "%d: another session is taken", i) // the last digit has bits that mean nothing
			}
		}
	}
	text, sum, _ := strings.Cut(good.Value, ".")
	for _, value := range []string{"", ".", sum + "." + text, text + "." + text, text + ".", "." + sum, "e30.e30", strings.Repeat("A", 1<<18), text + "." + sum + "." + sum} {
		require.Zero(t, as(good.Name, value), "%.40s", value)
	}
	require.Zero(t, as("__Host-"+good.Name, good.Value), "the cookie of another address")
	for _, s := range []session{
		{Token: SumOf("nobody's"), Until: until.Unix()}, {Token: "ab", Until: until.Unix()}, {Token: "xyz", Until: until.Unix()}, {Token: SumOf("ann's")},
		{Owner: "ann", Until: until.Unix()}, {Owner: "ann", Issuer: "https://elsewhere", Until: until.Unix()},
	} {
		w := httptest.NewRecorder()
		require.True(t, d.gate.seal(w, "session", s, until))
		require.Zero(t, as(good.Name, w.Result().Cookies()[0].Value), s)
	}
	w = httptest.NewRecorder()
	d.gate.seal(w, "login", session{Token: SumOf("ann's"), Until: until.Unix()}, until)
	require.Zero(t, as(good.Name, w.Result().Cookies()[0].Value), "a cookie for another purpose")
}

func TestCookiesOfHTTPS(t *testing.T) {
	d := open(t, tokens())
	for _, secure := range []bool{false, true} {
		name := "bookahead-session"
		if secure {
			d.gate.config.URL, name = "https://book.example.org", "__Host-"+name
		}
		w := httptest.NewRecorder()
		require.True(t, d.gate.seal(w, "session", session{}, time.Now().Add(lasting)))
		c := w.Result().Cookies()[0]
		require.Equal(t, name, c.Name)
		require.Equal(t, secure, c.Secure)
		require.True(t, c.HttpOnly)
		require.Equal(t, http.SameSiteLaxMode, c.SameSite)
		require.Equal(t, "/", c.Path)
		require.Empty(t, c.Domain)
		require.InDelta(t, lasting.Seconds(), c.MaxAge, 2)
	}
}

func TestLocal(t *testing.T) {
	for _, back := range []string{"/", "/week", "/week?day=2026-01-01#x", "/a/b%2Fc"} {
		require.Equal(t, back, local(back))
	}
	for _, back := range []string{"", "week", "//evil.example", "/\\evil.example", "\\\\evil", "https://evil.example", "https:/evil.example", "javascript:alert(1)",
		"/\t/evil.example", "/\n/evil", "///evil.example", " //evil.example", "/%zz", "http:week", "/a\\..\\b", "\x00/"} {
		require.Equal(t, "/", local(back), "%q", back)
	}
}

// TestBackIsShownAsText checks that a page shows no part of an address as HTML.
func TestBackIsShownAsText(t *testing.T) {
	d := open(t, tokens())
	for _, back := range []string{`/"><script>alert(1)</script>`, "/'onmouseover=alert(1)", "/<b>"} {
		_, body := d.get(d.browser(), "/login?back="+url.QueryEscape(back))
		require.NotContains(t, body, "<script")
		require.NotContains(t, body, "<b>")
		require.NotContains(t, body, `"/'on`)
	}
}
