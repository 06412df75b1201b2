package who

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bookahead/bookahead/service/config"
)

// ErrUnknown says that a caller has shown something by which nobody knows him.
var ErrUnknown = errors.New("the token is unknown, or has expired")

// Gate tells who a caller is. Any number of goroutines may use it.
type Gate struct {
	config *config.Config
	secret []byte
	tokens map[[32]byte]*config.Token
	now    func() time.Time
}

// NewGate returns the gate of a file. The secret signs what the gate gives away, and stays the same from start to start.
func NewGate(c *config.Config, secret []byte) (*Gate, error) {
	g := &Gate{config: c, secret: secret, tokens: map[[32]byte]*config.Token{}, now: time.Now}
	for i := range c.Tokens {
		sum, err := hex.DecodeString(c.Tokens[i].SHA256)
		if err != nil {
			return nil, err
		}
		g.tokens[[32]byte(sum)] = &c.Tokens[i]
	}
	return g, nil
}

// Caller returns who asks: the zero Caller for a request that shows nothing, and ErrUnknown for one that shows something
// wrong.
func (g *Gate) Caller(r *http.Request) (Caller, error) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if ok && strings.EqualFold(scheme, "Bearer") {
		return g.byToken(strings.TrimSpace(token))
	}
	return Caller{}, nil
}

// byToken returns the caller who has a token. Sums are compared by a map: what that tells by its time is not the token.
func (g *Gate) byToken(token string) (Caller, error) {
	sum := sha256.Sum256([]byte(token))
	t := g.tokens[sum]
	if t == nil || t.Expires != "" && g.now().Format(time.DateOnly) > t.Expires {
		return Caller{}, ErrUnknown
	}
	groups := append(slices.Clone(t.Groups), g.GroupsOf(t.Owner)...)
	return Caller{Owner: t.Owner, Groups: groups, Role: RoleOf(t.Role), By: t.Owner + " by token " + t.SHA256[:8]}, nil
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

// Mount adds the pages of a login.
func (g *Gate) Mount(*http.ServeMux) {}

// FeedKey returns the key by which an owner's address of a feed is known. It changes with the secret alone.
func (g *Gate) FeedKey(path, owner string) string {
	return base64.RawURLEncoding.EncodeToString(g.sign("feed", path, owner)[:16])
}

// IsFeedKey reports whether a key is that of a feed.
func (g *Gate) IsFeedKey(path, owner, key string) bool {
	return hmac.Equal([]byte(key), []byte(g.FeedKey(path, owner)))
}

// sign returns a sum of some texts that only the gate can make.
func (g *Gate) sign(texts ...string) []byte {
	h := hmac.New(sha256.New, g.secret)
	for _, text := range texts {
		n := len(text)
		h.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		h.Write([]byte(text))
	}
	return h.Sum(nil)
}

// SumOf returns the sum of a token, as a file has it.
func SumOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
