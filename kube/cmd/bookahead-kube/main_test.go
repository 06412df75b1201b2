package main

import (
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/stretchr/testify/require"
)

// TestHandler: health follows the loop, and metrics are served.
func TestHandler(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector())
	healthy := true
	server := httptest.NewServer(handler(registry, func() bool { return healthy }))
	defer server.Close()
	get := func(path string) (int, string) {
		r, err := server.Client().Get(server.URL + path)
		require.NoError(t, err)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return r.StatusCode, string(text)
	}
	code, text := get("/healthz")
	require.Equal(t, 200, code)
	require.Equal(t, "ok\n", text)
	healthy = false
	code, _ = get("/healthz")
	require.Equal(t, 503, code)
	code, text = get("/metrics")
	require.Equal(t, 200, code)
	require.Contains(t, text, "go_goroutines")
}

// TestBadOptions: an error names the flag and what is wrong with it.
func TestBadOptions(t *testing.T) {
	name := filepath.Join(t.TempDir(), "settings.yaml")
	require.NoError(t, os.WriteFile(name, []byte("backfil: 3\n"), 0o600))
	err := (&options{config: name}).run(t.Context())
	require.ErrorContains(t, err, "-config "+name)
	require.ErrorContains(t, err, `unknown field "backfil"`)
	err = (&options{kubeconfig: "nowhere"}).run(t.Context())
	require.ErrorContains(t, err, `-kubeconfig "nowhere"`)
}
