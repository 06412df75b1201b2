package who

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/time/rate"

	"github.com/bookahead/bookahead/service/config"
)

// provider is a provider of OpenID Connect. It is asked for its addresses when somebody logs in first, so that the service starts
// without it.
//
//	browser ─ /login/oidc ─► provider ─ /login/callback?code ─► gate ─ code, verifier ─► provider
//	                                                             ▲                          │
//	                                                             └──── ID token, signed ────┘
type provider struct {
	file   *config.OIDC
	back   string // where the provider sends browsers
	secret string
	now    func() time.Time

	mu    sync.Mutex
	known *discovered
	err   error     // of the last try
	retry time.Time // when to try again
}

// discovered is what a provider says about itself.
type discovered struct {
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
}

const (
	patience   = 10 * time.Second // for an answer of the provider
	retryAfter = 5 * time.Second  // if the provider was away
)

func newProvider(c *config.Config, now func() time.Time) (*provider, error) {
	p := &provider{file: c.OIDC, back: c.URL + "/login/callback", now: now}
	if c.OIDC.Secret == "" {
		return p, nil // a client without a secret: PKCE protects it
	}
	secret, err := config.ReadSecret(c.OIDC.Secret)
	if err != nil {
		return nil, fmt.Errorf("oidc.secret: %w", err)
	}
	p.secret = string(secret)
	return p, nil
}

// client returns a context whose calls of the provider end in time.
func client(ctx context.Context, over http.RoundTripper) context.Context {
	return oidc.ClientContext(ctx, &http.Client{Timeout: patience, Transport: over})
}

// discover returns what the provider says about itself. While one asks, the others wait.
func (p *provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known != nil || p.err != nil && p.now().Before(p.retry) {
		return p.known, p.err
	}
	ctx = client(context.WithoutCancel(ctx), nil) // others wait for the answer, too
	said, err := oidc.NewProvider(ctx, p.file.Issuer)
	p.err, p.retry = err, p.now().Add(retryAfter)
	if err != nil {
		return nil, err
	}
	var more struct {
		Scopes []string `json:"scopes_supported"`
	}
	err = said.Claims(&more)
	if err != nil {
		more.Scopes = nil // the list is a help and no more
	}
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	if slices.Contains(more.Scopes, "groups") {
		scopes = append(scopes, "groups")
	}
	keys := client(ctx, &sparing{rate.NewLimiter(rate.Every(patience), 5)})
	p.known = &discovered{
		oauth:    oauth2.Config{ClientID: p.file.Client, ClientSecret: p.secret, Endpoint: said.Endpoint(), RedirectURL: p.back, Scopes: scopes},
		verifier: said.VerifierContext(keys, &oidc.Config{ClientID: p.file.Client, Now: p.now}),
	}
	return p.known, nil
}

// sparing asks a provider for its keys only so often. Each token with a key that nobody knows makes the library ask, and anybody
// can make such tokens.
type sparing struct{ limit *rate.Limiter }

func (s *sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.limit.Allow() {
		return nil, errors.New("the provider was asked for its keys just now")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// host returns the name of the provider for people.
func (p *provider) host() string {
	u, _ := url.Parse(p.file.Issuer) // the file was checked
	return u.Hostname()
}

// exchange returns the session of whom the provider has sent back with a code.
func (p *provider) exchange(ctx context.Context, d *discovered, code, verifier, nonce string) (session, error) {
	ctx = client(ctx, nil)
	token, err := d.oauth.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		var answer *oauth2.RetrieveError
		if errors.As(err, &answer) {
			err = fmt.Errorf("the provider refuses the code: %q", answer.ErrorCode) // its answer may have secrets
		}
		return session{}, err
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return session{}, errors.New("the provider has sent no ID token")
	}
	id, err := d.verifier.Verify(ctx, raw)
	switch {
	case err != nil:
		return session{}, err
	case id.Nonce != nonce:
		return session{}, errors.New("the ID token is of another login")
	}
	s, err := p.session(id)
	s.Until = p.now().Add(lasting).Unix()
	return s, err
}

// session returns the session of a token of the provider: until the token expires.
func (p *provider) session(id *oidc.IDToken) (session, error) {
	s := session{Issuer: p.file.Issuer, Until: id.Expiry.Unix()}
	claims := map[string]any{}
	err := id.Claims(&claims)
	if err != nil {
		return s, err
	}
	s.Owner, _ = claims[p.file.Owner].(string)
	err = config.CheckName(s.Owner)
	if err != nil {
		return s, fmt.Errorf("the claim %q names no owner: %w", p.file.Owner, err)
	}
	verified, told := claims["email_verified"]
	if p.file.Owner == "email" && told && verified != true && verified != "true" {
		return s, errors.New("the provider has not verified the address")
	}
	list, _ := claims[p.file.Groups].([]any)
	if one, ok := claims[p.file.Groups].(string); ok {
		list = []any{one}
	}
	for _, one := range list {
		name, ok := one.(string)
		if ok && config.CheckName(name) == nil {
			s.Groups = append(s.Groups, name)
		}
	}
	return s, nil
}
