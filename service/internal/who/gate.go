package who

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bookahead/bookahead/service/internal/config"
)

var (
	// ErrUnknown says that a caller has shown something by which nobody knows him.
	ErrUnknown = errors.New("the token is unknown, or has expired")
	// ErrOrigin says that a browser does not say from which page a change comes: it is older than 2020.
	ErrOrigin = errors.New("this browser is too old to change anything here: it does not say from which page a change comes")
	// ErrAway says that the provider of logins cannot be asked now.
	ErrAway = errors.New("the provider of logins cannot be reached now: try again, or show a token")
)

// Gate tells who a caller is. Any number of goroutines may use it.
type Gate struct {
	config   *config.Config
	secret   []byte
	tokens   map[[32]byte]*config.Token
	provider *provider // nil if nobody can log in
	now      func() time.Time
}

// NewGate returns the gate of a file. The secret signs sessions and addresses of feeds: members that share it know each other's.
func NewGate(c *config.Config, secret []byte) (*Gate, error) {
	g := &Gate{config: c, secret: secret, tokens: map[[32]byte]*config.Token{}, now: time.Now}
	for i := range c.Tokens {
		sum, err := hex.DecodeString(c.Tokens[i].SHA256)
		if err != nil {
			return nil, err
		}
		g.tokens[[32]byte(sum)] = &c.Tokens[i]
	}
	if c.OIDC == nil {
		return g, nil
	}
	var err error
	g.provider, err = newProvider(c, func() time.Time { return g.now() })
	return g, err
}

// Caller returns who asks: the zero Caller for a request that shows nothing, and ErrUnknown for one that shows a wrong token. A
// session that is over or forged is nothing: its browser is shown the page of logins.
//
// A browser sends a cookie along with a request that another site has made. Such a request changes nothing: ErrOrigin is its
// error, unless the browser says by Sec-Fetch-Site or Origin where it comes from, which the server checks.
func (g *Gate) Caller(r *http.Request) (Caller, error) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if ok && strings.EqualFold(scheme, "Bearer") {
		return g.byBearer(r, strings.TrimSpace(token))
	}
	c := g.bySession(r)
	if c.Role != Nobody && !saysOrigin(r) {
		return Caller{}, ErrOrigin
	}
	return c, nil
}

// saysOrigin reports whether a request that may change something says where it comes from.
func saysOrigin(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	}
	return r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != ""
}

// byBearer returns the caller who shows a token of the file, or a token of the provider.
func (g *Gate) byBearer(r *http.Request, token string) (Caller, error) {
	c, err := g.byToken(sha256.Sum256([]byte(token)))
	if err == nil || g.provider == nil || strings.Count(token, ".") != 2 {
		return c, err
	}
	p, err := g.provider.discover(r.Context())
	if err != nil {
		return Caller{}, ErrAway
	}
	id, err := p.verifier.Verify(r.Context(), token)
	if err != nil {
		return Caller{}, ErrUnknown
	}
	s, err := g.provider.session(id)
	if err != nil {
		return Caller{}, ErrUnknown
	}
	return g.known(s, "ID token")
}

// byToken returns the caller who has a token, by its sum. Sums are compared by a map: what that tells by its time is not the
// token.
func (g *Gate) byToken(sum [32]byte) (Caller, error) {
	t := g.tokens[sum]
	if t == nil {
		return Caller{}, ErrUnknown
	}
	c := Caller{Owner: t.Owner, Groups: g.groups(t.Groups, t.Owner), Role: RoleOf(t.Role), By: t.Owner + " by token " + strings.ToLower(t.SHA256[:8])}
	if t.Expires == "" {
		return c, nil
	}
	day, err := time.ParseInLocation(time.DateOnly, t.Expires, g.config.Clock().Epoch.Location())
	c.Until = day.AddDate(0, 0, 1)
	if err != nil || !g.now().Before(c.Until) {
		return Caller{}, ErrUnknown
	}
	return c, nil
}

// known returns the caller whom the provider knows, as long as the file names this provider. His role follows from the file and
// his groups.
func (g *Gate) known(s session, how string) (Caller, error) {
	o := g.config.OIDC
	_, isGroup := g.config.Groups[s.Owner]
	switch {
	case o == nil || s.Issuer != o.Issuer || !g.now().Before(s.until()):
		return Caller{}, ErrUnknown
	case isGroup || slices.Contains(o.Operators, s.Owner) || slices.Contains(o.Bookers, s.Owner):
		return Caller{}, fmt.Errorf("%q is the name of a group: %w", s.Owner, ErrUnknown)
	}
	c := Caller{Owner: s.Owner, Groups: g.groups(s.Groups, s.Owner), Role: Reader, By: s.Owner + " by " + how, Until: s.until()}
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return slices.Contains(c.Groups, name) })
	}
	switch {
	case in(o.Operators):
		c.Role = Operator
	case o.Bookers == nil || in(o.Bookers):
		c.Role = Booker
	}
	return c, nil
}

// groups returns some groups of an owner and those of the file, each once.
func (g *Gate) groups(list []string, owner string) []string {
	all := append(slices.Clone(list), g.GroupsOf(owner)...)
	slices.Sort(all)
	return slices.Compact(all)
}

// GroupsOf returns the groups of an owner, as the file has them.
func (g *Gate) GroupsOf(owner string) (list []string) {
	for name, members := range g.config.Groups {
		if slices.Contains(members, owner) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// FeedKey returns the key by which an owner's address of a feed is known. It changes with the secret alone. Programs write the
// escapes of a path in several ways: they do not count.
func (g *Gate) FeedKey(path, owner string) string {
	plain, err := url.PathUnescape(path)
	if err != nil {
		plain = path
	}
	return g.sign("feed", plain, owner)[:22]
}

// IsFeedKey reports whether a key is that of a feed, and its owner is still somebody here: without a provider, somebody who has a
// token.
func (g *Gate) IsFeedKey(path, owner, key string) bool {
	isHere := g.provider != nil
	for sum := range g.tokens {
		c, _ := g.byToken(sum)
		isHere = isHere || c.Owner == owner
	}
	return isHere && hmac.Equal([]byte(key), []byte(g.FeedKey(path, owner)))
}

// sign returns a sum of some texts that only the gate can make. The first text says what the sum is for.
func (g *Gate) sign(texts ...string) string {
	h := hmac.New(sha256.New, g.secret)
	for _, text := range texts {
		n := len(text)
		h.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		h.Write([]byte(text))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// SumOf returns the sum of a token, as a file has it.
func SumOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
