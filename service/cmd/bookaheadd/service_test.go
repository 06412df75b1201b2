package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"os/exec"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/client"
	"github.com/bookahead/bookahead/service/internal/who"
)

// TestMain lets the test binary be the service, so that a test can start it as processes and kill them.
func TestMain(m *testing.M) {
	if os.Getenv("BOOKAHEADD_IS_THE_SERVICE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// free returns n addresses that are free.
func free(t *testing.T, n int) (list []string) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close() // all stay open until the last is taken, so none is given twice
		list = append(list, l.Addr().String())
	}
	return list
}

// schedules is what the tests book.
const schedules = `
zone: Europe/Berlin
epoch: 2026-01-01
keep: 30d
limits: {rate: 100000, burst: 100000}
schedules:
  - {name: link, kind: pool, units: 1000, unit: Gbit/s}
  - {name: lab, kind: servers, count: 3, open: ["Mo-Su 00:00-24:00"]}
  - {name: gpus, kind: nodes, resources: [gpus, cpus], nodes: [{count: 8, has: [8, 64]}]}
quotas:
  - {name: at once, each: true, on: [gpus], resource: gpus, units: 48}
`

// write writes the file of a service with tokens.
func write(t *testing.T, folder, listen, more string) string {
	text := schedules + more + "listen: " + listen + "\ntokens:\n"
	for name, role := range map[string]string{"ann": "booker", "bob": "booker", "root": "operator"} {
		text += fmt.Sprintf("  - {owner: %s, role: %s, sha256: %s}\n", name, role, who.SumOf(name+"'s token"))
	}
	require.NoError(t, os.MkdirAll(folder, 0o700))
	file := filepath.Join(folder, "bookahead.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// process is a service as a process.
type process struct {
	*testing.T
	cmd    *exec.Cmd
	output *lockedBuffer
	ended  chan struct{}
}

// lockedBuffer keeps what a process says, while a test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func launch(t *testing.T, file string, more ...string) *process {
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{T: t, cmd: exec.Command(self, append([]string{"-config", file}, more...)...), output: &lockedBuffer{}, ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "BOOKAHEADD_IS_THE_SERVICE=1")
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	require.NoError(t, p.cmd.Start())
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

// stop ends the service as a supervisor does.
func (p *process) stop() {
	require.NoError(p, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.ended:
		require.Zero(p, p.cmd.ProcessState.ExitCode(), "%s", p.output)
	case <-time.After(30 * time.Second):
		p.Fatalf("it does not end: %s", p.output)
	}
}

// ready waits until a service answers with its schedules.
func ready(t *testing.T, c *client.Client) {
	require.Eventually(t, func() bool {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		list, err := c.Schedules(ctx)
		return err == nil && len(list) == 3
	}, 60*time.Second, 50*time.Millisecond)
}

// command runs a command of bookaheadd.
func command(t *testing.T, args ...string) (string, error) {
	var out strings.Builder
	err := run(t.Context(), args, &out)
	return out.String(), err
}

// wantOn is a wish on a schedule some hours from now.
func wantOn(schedule string, hours int) api.Book {
	at := time.Now().Add(time.Duration(hours) * time.Hour).Truncate(time.Hour)
	return api.Book{Wish: api.Wish{Title: "<b>tests</b>", Ready: &at, Parts: []api.Part{{Schedule: schedule, Units: 1, Duration: "PT1H"}}}}
}

// TestBackupAndRestore backs up a service that runs, begins another one from that, and goes on there: with the same bookings, keys
// and numbers.
func TestBackupAndRestore(t *testing.T) {
	dir := t.TempDir()
	listen := free(t, 1)[0]
	file := write(t, filepath.Join(dir, "a"), listen, "")
	p := launch(t, file)
	ann, root := client.New("ann's token", "http://"+listen), client.New("root's token", "http://"+listen)
	ready(t, ann)
	for i := range 30 {
		_, err := ann.Book(t.Context(), fmt.Sprint("key ", i), wantOn([]string{"link", "lab", "gpus"}[i%3], i+2))
		require.NoError(t, err)
	}
	_, err := ann.Cancel(t.Context(), 4, "")
	require.NoError(t, err)
	wait, end := time.Now().Add(50*time.Hour), time.Now().Add(500*time.Hour)
	_, err = root.Close(t.Context(), api.Close{Schedule: "lab", End: &end, Title: "repairs", Servers: []int{1}})
	require.NoError(t, err)
	many := wantOn("link", 2)
	many.Parts[0].Units, many.Wait, many.Deadline = 1000, &wait, ptr(many.Ready.Add(90*time.Minute))
	b, err := ann.Book(t.Context(), "patience", many)
	require.NoError(t, err)
	require.Equal(t, "waiting", b.State)
	_, err = ann.BookSeries(t.Context(), "weekly", api.Series{Wish: api.Wish{Parts: []api.Part{{Schedule: "lab", Units: 1, Duration: "PT1H"}}},
		From: time.Now().Add(72 * time.Hour).Truncate(time.Hour), Window: "PT3H", Rule: "FREQ=DAILY;COUNT=5"})
	require.NoError(t, err)

	_, err = command(t, "verify", "-config", file)
	require.Error(t, err, "the folder is in use")
	backup := filepath.Join(dir, "backup")
	t.Setenv("BOOKAHEAD_TOKEN", "ann's token")
	_, err = command(t, "backup", "-config", file, "-backup", backup)
	require.ErrorContains(t, err, "only an operator")
	require.NoFileExists(t, backup)
	t.Setenv("BOOKAHEAD_TOKEN", "root's token")
	said, err := command(t, "backup", "-config", file, "-backup", backup)
	require.NoError(t, err)
	require.Contains(t, said, "36 bookings (34 booked, 1 waiting, 1 cancelled), 3 schedules, 1 series, 1 outages, 1 quotas")
	info, err := os.Stat(backup)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	next, err := ann.Book(t.Context(), "later", wantOn("link", 200)) // the backup does not have it
	require.NoError(t, err)
	p.stop()

	t.Setenv("BOOKAHEAD_TOKEN", "")
	cold := filepath.Join(dir, "cold")
	said, err = command(t, "backup", "-config", file, "-backup", cold)
	require.NoError(t, err)
	require.Contains(t, said, "37 bookings")
	dumpBackup, err := command(t, "dump", "-config", file, "-backup", cold)
	require.NoError(t, err)
	dump, err := command(t, "dump", "-config", file)
	require.NoError(t, err)
	require.Equal(t, dump, dumpBackup)
	require.Equal(t, 3+1+1+1+37, strings.Count(dump, "\n"))
	_, err = command(t, "restore", "-config", file, "-backup", backup)
	require.ErrorContains(t, err, "is not empty")

	again := write(t, filepath.Join(dir, "b"), listen, "")
	said, err = command(t, "restore", "-config", again, "-backup", backup)
	require.NoError(t, err)
	require.Contains(t, said, "36 bookings")
	restored, err := command(t, "dump", "-config", again)
	require.NoError(t, err)
	of, err := command(t, "dump", "-config", file, "-backup", backup)
	require.NoError(t, err)
	require.Equal(t, of, restored)
	p = launch(t, again)
	ready(t, ann)
	for i := range 30 {
		b, err := ann.Book(t.Context(), fmt.Sprint("key ", i), wantOn([]string{"link", "lab", "gpus"}[i%3], i+2))
		require.NoError(t, err)
		require.EqualValues(t, i+1, b.ID, "the key is known")
	}
	b, err = ann.Book(t.Context(), "", wantOn("link", 201))
	require.NoError(t, err)
	require.Equal(t, next.ID, b.ID, "numbers go on")
	list := 0
	for _, err := range ann.Bookings(t.Context(), url.Values{}) {
		require.NoError(t, err)
		list++
	}
	require.Equal(t, 37, list)
	p.stop()
	_, err = command(t, "verify", "-config", again)
	require.NoError(t, err)
}

func ptr[T any](v T) *T { return &v }

func TestBackupsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "a"), "localhost:0", "")
	for name, text := range map[string]string{
		"empty": "", "another": "{}\n", "text": "hello", "newer": `{"form":"bookahead backup","version":2}` + "\n",
		"epoch": `{"form":"bookahead backup","version":1,"epoch":"2025-01-01T00:00:00+01:00","tick":"1m0s"}` + "\n",
		"tick":  `{"form":"bookahead backup","version":1,"epoch":"2026-01-01T00:00:00+01:00","tick":"5m0s"}` + "\n",
		"none":  `{"form":"bookahead backup","version":1,"epoch":"2026-01-01T00:00:00+01:00","tick":"1m0s"}` + "\n",
	} {
		backup := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(backup, []byte(text), 0o600))
		fresh := write(t, filepath.Join(dir, "of "+name), "localhost:0", "")
		for _, verb := range []string{"verify", "restore"} {
			_, err := command(t, verb, "-config", fresh, "-backup", backup)
			require.Error(t, err, "%s %s", verb, name)
			if name == "epoch" || name == "tick" {
				require.ErrorContains(t, err, "the "+name)
			}
		}
		_, err := command(t, "verify", "-config", fresh)
		require.Error(t, err, "there is no folder")
	}
	for _, args := range [][]string{{"verify"}, {"backup", "-config", file}, {"restore", "-config", file}, {"nothing"}} {
		_, err := command(t, args...)
		require.Error(t, err, "%q", args)
	}
}

// TestAStuckConnection sends the beginning of a request and no more. The service ends nevertheless, as if all were well.
func TestAStuckConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits 20 seconds for the connection")
	}
	listen := free(t, 1)[0]
	p := launch(t, write(t, filepath.Join(t.TempDir(), "a"), listen, ""))
	ready(t, client.New("ann's token", "http://"+listen))
	c, err := net.Dial("tcp", listen)
	require.NoError(t, err)
	defer c.Close()
	_, err = fmt.Fprintf(c, "POST /login HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntoken=")
	require.NoError(t, err)
	p.stop()
	require.Contains(t, p.output.String(), "cut off")
}
