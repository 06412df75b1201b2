package described

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// others runs a command of another project, which is fetched if need be.
func others(t *testing.T, folder, name string, args ...string) {
	t.Helper()
	if os.Getenv("BOOKAHEAD_OTHERS") == "" {
		t.Skip("set BOOKAHEAD_OTHERS=1: it fetches tools of others, and takes minutes")
	}
	ctx, stop := context.WithTimeout(t.Context(), 9*time.Minute)
	defer stop()
	begun := time.Now()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s %q\n%s", name, args, out)
	t.Logf("%s %q took %v\n%s", name, args, time.Since(begun).Round(time.Second), out)
}

// TestLint lets redocly judge the description by the rules of redocly.yaml: there is no error.
func TestLint(t *testing.T) {
	s := start(t)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "openapi.yaml"), s.description, 0o600))
	rules, err := os.ReadFile("redocly.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "redocly.yaml"), rules, 0o600))
	others(t, folder, "npx", "--yes", "@redocly/cli@2.77.0", "lint", "openapi.yaml")
}

// booking is a program on a client that oapi-codegen makes from the description.
const booking = `package main

import (
	"context"
	"net/http"
	"os"
)

func main() {
	c, err := NewClientWithResponses(os.Args[1], WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}))
	check(err)
	ctx := context.Background()
	schedules, err := c.ListSchedulesWithResponse(ctx)
	check(err)
	for _, s := range *schedules.JSON200 {
		fmt.Println(s.Name, s.Kind, s.Units)
	}
	key := "a key"
	wish := Book{Parts: &[]Part{{Schedule: "lab", Duration: "PT2H"}}}
	var ids []int64
	for range 2 {
		answer, err := c.BookWithResponse(ctx, &BookParams{IdempotencyKey: &key}, wish)
		check(err)
		if answer.JSON201 == nil {
			check(fmt.Errorf("%d: %s", answer.StatusCode(), answer.Body))
		}
		ids = append(ids, int64(answer.JSON201.Id))
	}
	if ids[0] != ids[1] {
		check(fmt.Errorf("one key has booked twice: %v", ids))
	}
	wish.Parts = &[]Part{{Schedule: "lab", Duration: "never"}}
	answer, err := c.BookWithResponse(ctx, &BookParams{}, wish)
	check(err)
	if answer.ApplicationproblemJSON422 == nil {
		check(fmt.Errorf("the problem has no form: %s", answer.Body))
	}
	fmt.Println("booked", ids[0])
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
`

// TestGeneratedClient makes a client of the description for OpenAPI 3.0 by oapi-codegen, compiles it, and books with it.
func TestGeneratedClient(t *testing.T) {
	s := start(t)
	answer, err := http.Get(s.url + "/v1/openapi-3.0.yaml")
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	folder := t.TempDir()
	f, err := os.Create(filepath.Join(folder, "openapi.yaml"))
	require.NoError(t, err)
	_, err = f.ReadFrom(answer.Body)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(booking), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module generated\n\ngo 1.26.0\n"), 0o600))
	others(t, folder, "go", "run", "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2", "-generate", "types,client", "-package", "main", "-o", "client.go", "openapi.yaml")
	others(t, folder, "go", "mod", "tidy")
	others(t, folder, "go", "run", ".", s.url, "ann")
}
