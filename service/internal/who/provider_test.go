package who

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// withProvider opens a gate with a provider.
func withProvider(t *testing.T, more string) (*door, *fake) {
	f := newFake(t)
	file := filepath.Join(t.TempDir(), "client")
	require.NoError(t, os.WriteFile(file, []byte("the client's secret\n"), 0o600))
	return open(t, tokens()+"oidc: {issuer: '"+f.URL+"', client: bookahead, secret: "+file+", "+more+"}\n"), f
}

func TestLoginAtProvider(t *testing.T) {
	d, f := withProvider(t, "operators: [admins], bookers: [physics]")
	b := d.browser()
	_, body := d.get(b, "/login?back=/week?a=b")
	require.Contains(t, body, `href="/login/oidc?back=%2fweek%3fa%3db">Log in at 127.0.0.1</a>`)
	code, body := d.get(b, "/login/oidc?back=/week")
	require.Equal(t, http.StatusOK, code, body)
	require.Equal(t, `ann booker ["lab" "physics" "staff"] ann by login`, body)
	require.Equal(t, "openid profile email groups", f.wants.Get("scope"))
	require.Equal(t, "code", f.wants.Get("response_type"))
	require.Len(t, f.wants.Get("nonce"), 43)
	require.NotEqual(t, f.wants.Get("nonce"), f.wants.Get("state"))

	for _, one := range []struct {
		claims map[string]any
		want   string
	}{
		{map[string]any{"groups": []string{"admins"}}, "ann operator"},
		{map[string]any{"groups": "admins"}, "ann operator"},
		{map[string]any{"groups": []any{1, nil, "admins", "", "a\x00b"}}, `ann operator ["admins" "lab"]`},
		{map[string]any{"groups": nil}, `ann reader ["lab"]`},
		{map[string]any{"groups": map[string]any{"admins": true}}, "ann reader"},
		{map[string]any{"groups": []string{"Admins", "admins "}}, "ann reader"},
		{map[string]any{"preferred_username": "eve"}, `eve booker ["physics" "staff"]`},
	} {
		f.claims = one.claims
		_, body := d.get(d.browser(), "/login/oidc")
		require.True(t, strings.HasPrefix(body, one.want), "%v: %s", one, body)
	}
	d.gate.config.OIDC.Bookers = []string{"staff"}
	d.gate.config.OIDC.Operators = []string{"physics"}
	_, body = d.get(b, "/")
	require.Contains(t, body, "ann operator", "the file counts, and not the session")
	d.clock = time.Now().Add(lasting + time.Second)
	_, body = d.get(b, "/")
	require.Contains(t, body, "nobody")
	d.clock = time.Time{}
	d.gate.config.OIDC.Issuer = "https://elsewhere.example.org"
	_, body = d.get(b, "/")
	require.Contains(t, body, "nobody", "the file names another provider")
}

// forgeries are claims and signatures that no honest provider makes for this service.
func forgeries(f *fake) map[string]func() {
	sets := func(name string, value any) func() { return func() { f.claims = map[string]any{name: value} } }
	signs := func(sign func(map[string]any) string) func() { return func() { f.sign = sign } }
	return map[string]func(){
		"wrong issuer":     sets("iss", "https://evil.example.org"),
		"no issuer":        sets("iss", nil),
		"wrong audience":   sets("aud", "another"),
		"other audiences":  sets("aud", []string{"another", "third"}),
		"no audience":      sets("aud", nil),
		"expired":          sets("exp", time.Now().Add(-time.Second).Unix()),
		"no expiry":        sets("exp", nil),
		"not yet":          sets("nbf", time.Now().Add(time.Hour).Unix()),
		"no owner":         sets("preferred_username", nil),
		"empty owner":      sets("preferred_username", ""),
		"owner is a list":  sets("preferred_username", []string{"ann"}),
		"owner is a group": sets("preferred_username", "lab"),
		"owner is a role":  sets("preferred_username", "bosses"),
		"owner in bytes":   sets("preferred_username", "ann\x00"),
		"turned owner":     sets("preferred_username", "\u202enna"),
		"owner is long":    sets("preferred_username", strings.Repeat("x", 300)),
		"alg none":         signs(func(c map[string]any) string { return unsigned("none", c) }),
		"no signature":     signs(func(c map[string]any) string { return unsigned("RS256", c) }),
		"public key":       signs(byPublicKey),
		"another key":      signs(func(c map[string]any) string { return token(anotherKey(), "one", c) }),
		"unknown kid":      signs(func(c map[string]any) string { return token(anotherKey(), "two", c) }),
		"changed": signs(func(c map[string]any) string {
			parts := strings.Split(token(aKey(), "one", c), ".")
			c["preferred_username"] = "root"
			return parts[0] + "." + b64(jsonOf(c)) + "." + parts[2]
		}),
		"no token": signs(func(map[string]any) string { return "" }),
		"not json": signs(func(map[string]any) string { return "a.b.c" }),
	}
}

func TestForgedTokensOfLogin(t *testing.T) {
	d, f := withProvider(t, "operators: [bosses]")
	honest := f.sign
	all := forgeries(f)
	all["wrong nonce"] = func() { f.claims = map[string]any{"nonce": rand.Text()} }
	all["no nonce"] = func() { f.claims = map[string]any{"nonce": nil} }
	all["code refused"] = func() { f.refuses = true }
	for name, forge := range all {
		f.claims, f.sign, f.refuses = nil, honest, false
		forge()
		b := d.browser()
		code, body := d.get(b, "/login/oidc")
		require.Equal(t, http.StatusForbidden, code, "%s: %s", name, body)
		require.Contains(t, body, `role="alert"`)
		_, body = d.get(b, "/")
		require.Contains(t, body, "nobody", name)
	}
	f.claims, f.sign, f.refuses = nil, honest, false
	_, body := d.get(d.browser(), "/login/oidc")
	require.Contains(t, body, "ann booker")
	for _, hidden := range []string{"the client's secret", "an access token", "c0de4711", "eyJ"} {
		require.NotContains(t, d.log.String(), hidden)
	}
}

// TestForgedTokensOfPrograms shows the same tokens to the API.
func TestForgedTokensOfPrograms(t *testing.T) {
	d, f := withProvider(t, "operators: [physics, bosses]")
	honest := f.sign
	code, body := d.get(http.DefaultClient, "/", "Authorization", "Bearer "+honest(f.all("")))
	require.Equal(t, http.StatusOK, code, body)
	require.Equal(t, `ann operator ["lab" "physics" "staff"] ann by ID token`, body)
	for name, forge := range forgeries(f) {
		f.claims, f.sign = nil, honest
		forge()
		token := f.sign(f.all(""))
		if token == "" {
			continue
		}
		code, body := d.get(http.DefaultClient, "/", "Authorization", "Bearer "+token)
		require.Equal(t, http.StatusUnauthorized, code, "%s: %s", name, body)
		require.True(t, strings.HasSuffix(body, ErrUnknown.Error()+"\n"), body)
	}
	require.Empty(t, d.log.String())

	before := f.asked.Load()
	for i := range 100 { // keys that nobody knows do not make the gate ask each time
		d.get(http.DefaultClient, "/", "Authorization", "Bearer "+token(anotherKey(), fmt.Sprint("k", i), f.all("")))
	}
	require.LessOrEqual(t, f.asked.Load()-before, int64(6))
}

func TestVerifiedEmail(t *testing.T) {
	d, f := withProvider(t, "owner: email")
	for _, one := range []struct {
		verified any
		ok       bool
	}{{true, true}, {"true", true}, {nil, true}, {false, false}, {"false", false}, {0, false}} {
		f.claims = map[string]any{"email": "ann@example.org", "email_verified": one.verified}
		code, body := d.get(d.browser(), "/login/oidc")
		require.Equal(t, one.ok, code == http.StatusOK, "%v: %s", one, body)
	}
}

// TestCallback checks what comes back from elsewhere than from the provider.
func TestCallback(t *testing.T) {
	d, f := withProvider(t, "")
	for _, query := range []string{"", "?code=c0de4711", "?code=c0de4711&state=", "?code=c0de4711&state=x", "?error=access_denied"} {
		code, _ := d.get(d.browser(), "/login/callback"+query)
		require.Equal(t, http.StatusBadRequest, code, query)
	}
	// A login that another browser has begun.
	victim := d.browser()
	d.get(d.browser(), "/login/oidc")
	code, _ := d.get(victim, "/login/callback?code=c0de4711&state="+f.wants.Get("state"))
	require.Equal(t, http.StatusBadRequest, code)

	// A login that was begun, and is not gone on with by itself.
	stay := d.browser()
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	begin := func() (state string) {
		res, err := stay.Get(d.server.URL + "/login/oidc?back=//evil.example")
		require.NoError(t, err)
		res.Body.Close()
		require.Equal(t, http.StatusSeeOther, res.StatusCode)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.wants = must(url.Parse(res.Header.Get("Location"))).Query()
		return f.wants.Get("state")
	}
	begin()
	code, _ = d.get(stay, "/login/callback?code=c0de4711&state="+rand.Text())
	require.Equal(t, http.StatusBadRequest, code, "the state of another login")
	state := begin()
	code, body := d.get(stay, "/login/callback?error=access_denied&error_description=<script>&state="+state)
	require.Equal(t, http.StatusForbidden, code)
	require.NotContains(t, body, "<script>")
	code, _ = d.get(stay, "/login/callback?code=c0de4711&state="+state)
	require.Equal(t, http.StatusBadRequest, code, "a login is for once")
	state = begin()
	d.clock = time.Now().Add(beginning)
	code, _ = d.get(stay, "/login/callback?code=c0de4711&state="+state)
	require.Equal(t, http.StatusBadRequest, code, "too late")
	d.clock = time.Time{}
	state = begin()
	code, _ = d.get(stay, "/login/callback?code=another&state="+state)
	require.Equal(t, http.StatusForbidden, code)
	state = begin()
	res, err := stay.Get(d.server.URL + "/login/callback?code=c0de4711&state=" + state)
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, "/", res.Header.Get("Location"), "nobody is sent elsewhere")
	_, body = d.get(stay, "/")
	require.Contains(t, body, "ann booker")
}

// TestProviderAway starts without the provider, which comes later.
func TestProviderAway(t *testing.T) {
	d, f := withProvider(t, "")
	f.away.Store(true)
	b := d.browser()
	code, body := d.get(b, "/login/oidc")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Contains(t, body, ErrAway.Error())
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Authorization", "Bearer "+f.sign(f.all("")))
	_, err := d.gate.Caller(r)
	require.ErrorIs(t, err, ErrAway)
	code, _ = d.post(b, "/login", url.Values{"token": {"ann's"}}, "Origin", d.server.URL)
	require.Equal(t, http.StatusOK, code, "tokens of the file do without")

	f.away.Store(false)
	code, _ = d.get(b, "/login/oidc")
	require.Equal(t, http.StatusServiceUnavailable, code, "it is not asked again at once")
	d.clock = time.Now().Add(retryAfter + time.Second)
	code, body = d.get(b, "/login/oidc")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "ann booker")
}

// TestManyGroups checks that a cookie that no browser keeps is no silent loop.
func TestManyGroups(t *testing.T) {
	d, f := withProvider(t, "")
	var groups []string
	for i := range 400 {
		groups = append(groups, fmt.Sprintf("group %d", i))
	}
	f.claims = map[string]any{"groups": groups}
	code, body := d.get(d.browser(), "/login/oidc")
	require.Equal(t, http.StatusForbidden, code)
	require.Contains(t, body, "more groups")
}

func TestNoProvider(t *testing.T) {
	d := open(t, tokens())
	code, _ := d.get(d.browser(), "/login/oidc")
	require.Equal(t, http.StatusNotFound, code)
	code, _ = d.get(d.browser(), "/login/callback?code=x&state=y")
	require.Equal(t, http.StatusBadRequest, code)
	code, body := d.get(http.DefaultClient, "/", "Authorization", "Bearer a.b.c")
	require.Equal(t, http.StatusUnauthorized, code, body)
}
