package who

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fake is a provider of OpenID Connect with real keys. What it says can be forged by a test.
type fake struct {
	*httptest.Server
	t      *testing.T
	away   atomic.Bool
	asked  atomic.Int64 // for its keys
	scopes []string

	mu      sync.Mutex
	wants   url.Values                         // of the last login that has begun
	claims  map[string]any                     // beside the usual ones; nil removes one
	sign    func(claims map[string]any) string // makes the token
	refuses bool                               // every code
}

// aKey is a key of a provider; it takes a second to make.
var aKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

var anotherKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

func b64(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func jsonOf(x any) []byte {
	data, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return data
}

// token signs claims by RS256.
func token(key *rsa.PrivateKey, kid string, claims map[string]any) string {
	text := b64(jsonOf(map[string]string{"alg": "RS256", "kid": kid, "typ": "JWT"})) + "." + b64(jsonOf(claims))
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + b64(sig)
}

// unsigned makes a token without a signature.
func unsigned(alg string, claims map[string]any) string {
	return b64(jsonOf(map[string]string{"alg": alg, "kid": "one"})) + "." + b64(jsonOf(claims)) + "."
}

// byPublicKey signs claims by HS256 with the public key as the secret, which everybody knows.
func byPublicKey(claims map[string]any) string {
	der, err := x509.MarshalPKIXPublicKey(&aKey().PublicKey)
	if err != nil {
		panic(err)
	}
	text := b64(jsonOf(map[string]string{"alg": "HS256", "kid": "one"})) + "." + b64(jsonOf(claims))
	h := hmac.New(sha256.New, der)
	h.Write([]byte(text))
	return text + "." + b64(h.Sum(nil))
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, scopes: []string{"openid", "groups"}}
	f.sign = func(claims map[string]any) string { return token(aKey(), "one", claims) }
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(jsonOf(map[string]any{
			"issuer": f.URL, "authorization_endpoint": f.URL + "/authorize", "token_endpoint": f.URL + "/token", "jwks_uri": f.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"}, "scopes_supported": f.scopes,
		}))
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		f.asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		k := aKey().PublicKey
		w.Write(jsonOf(map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "kid": "one", "alg": "RS256", "use": "sig", "n": b64(k.N.Bytes()), "e": b64(big.NewInt(int64(k.E)).Bytes()),
		}}}))
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.wants = r.URL.Query()
		http.Redirect(w, r, f.wants.Get("redirect_uri")+"?"+url.Values{"code": {"c0de4711"}, "state": {f.wants.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", f.exchange)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.away.Load() {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// exchange gives a token for a code, if the verifier is the one whose sum came with the login.
func (f *fake) exchange(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	id, secret, ok := r.BasicAuth()
	if !ok {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	w.Header().Set("Content-Type", "application/json")
	if f.refuses || id != "bookahead" || secret != "the client's secret" || r.PostFormValue("code") != "c0de4711" ||
		f.wants.Get("code_challenge") != b64(sum[:]) || f.wants.Get("code_challenge_method") != "S256" {
		w.WriteHeader(http.StatusBadRequest)
		w.Write(jsonOf(map[string]string{"error": "invalid_grant", "error_description": "the client's secret is in this text"}))
		return
	}
	w.Write(jsonOf(map[string]any{"access_token": "an access token", "token_type": "Bearer", "id_token": f.sign(f.all(f.wants.Get("nonce")))}))
}

// all returns the claims of a token.
func (f *fake) all(nonce string) map[string]any {
	claims := map[string]any{
		"iss": f.URL, "aud": "bookahead", "sub": "4711", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(),
		"preferred_username": "ann", "groups": []string{"physics", "staff"},
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	for name, value := range f.claims {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return maps.Clone(claims)
}
