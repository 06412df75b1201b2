package main

import (
	"archive/tar"
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"
)

// TestImage builds the image, reads it back, and runs the service that is in it.
func TestImage(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the service: a minute or more")
	}
	file := filepath.Join(t.TempDir(), "bookahead.tar")
	platform := "linux/" + runtime.GOARCH
	require.NoError(t, run(file, "../..", "v0.1.0", []string{platform}))
	require.Error(t, run(file+".no", "../..", "", []string{"linux"}))

	folder := t.TempDir()
	unpack(t, file, folder)
	index, err := layout.ImageIndexFromPath(folder)
	require.NoError(t, err)
	require.NoError(t, validate.Index(index))
	m, err := index.IndexManifest()
	require.NoError(t, err)
	require.Len(t, m.Manifests, 1)
	require.Equal(t, platform, m.Manifests[0].Platform.String())
	image, err := index.Image(m.Manifests[0].Digest)
	require.NoError(t, err)
	c, err := image.ConfigFile()
	require.NoError(t, err)
	require.Equal(t, "65532:65532", c.Config.User)
	require.Equal(t, []string{"/bookaheadd"}, c.Config.Entrypoint)
	require.Equal(t, "v0.1.0", c.Config.Labels["org.opencontainers.image.version"])
	require.Equal(t, runtime.GOARCH, c.Architecture)

	root := t.TempDir()
	r := tar.NewReader(mutate.Extract(image))
	names := map[string]int{}
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		names[strings.Trim(h.Name, "/")] = h.Uid
		if h.Typeflag == tar.TypeReg {
			data, err := io.ReadAll(r)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(root, h.Name), data, h.FileInfo().Mode()))
		}
	}
	require.Equal(t, map[string]int{"bookaheadd": 0, "data": user}, names)

	// A machine that has neither time zones nor certificates.
	p := exec.CommandContext(t.Context(), "./bookaheadd", "-config", "bookahead.yaml")
	p.Dir, p.Env = root, []string{"ZONEINFO=/nowhere"}
	require.NoError(t, os.WriteFile(filepath.Join(root, "bookahead.yaml"), []byte("zone: Asia/Tokyo\nlisten: 127.0.0.1:18431\nschedules: [{name: lab, kind: pool, units: 1}]\n"), 0o600))
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	defer p.Wait()
	defer p.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	address, says := strings.CutPrefix(strings.TrimSpace(line), "open ")
	require.True(t, says, line)
	answer, err := http.Get(address + "/healthz")
	require.NoError(t, err)
	answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
}

func unpack(t *testing.T, file, folder string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		to := filepath.Join(folder, h.Name)
		if h.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(to, 0o755))
			continue
		}
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(to, data, 0o644))
	}
}
