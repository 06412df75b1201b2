// Bookaheadd is the reservation service.
//
//	bookaheadd                      serves a demonstration from the folder data, and prints its address and a token
//	bookaheadd -config FILE         serves what the file says
//	bookaheadd check -config FILE   says what is wrong in the file
//	bookaheadd token -owner NAME    makes a token, and prints the lines of the file for it
//	bookaheadd verify -config FILE  checks the folder of a service that is stopped, and says what it holds
//	bookaheadd dump -config FILE    prints what it holds as lines of JSON; with -backup, verify and dump read a backup
//	bookaheadd backup -config FILE -backup FILE
//	                                writes a backup: with BOOKAHEAD_TOKEN of the service that runs, else of the folder
//	bookaheadd restore -config FILE -backup FILE
//	                                begins a service from a backup, in a new folder
package main

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/bookahead/bookahead/replicated/prom"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/hooks"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/page"
	"github.com/bookahead/bookahead/service/internal/server"
	"github.com/bookahead/bookahead/service/internal/who"
)

// demo is the file of the demonstration.
//
//go:embed demo.yaml
var demo string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bookaheadd:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	command := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("bookaheadd "+command, flag.ContinueOnError)
	file := flags.String("config", "", "the `file` of the service; a demonstration without it")
	owner := flags.String("owner", "", "whose token it is")
	role := flags.String("role", "booker", "reader, booker or operator")
	join := flags.Bool("join", false, "this member has lost its disk: the others add it anew")
	backup := flags.String("backup", "", "the `file` of a backup")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	switch command {
	case "serve":
		return serve(ctx, *file, *join, out)
	case "check":
		c, err := load(*file, out)
		if err == nil {
			fmt.Fprintf(out, "%d schedules, %d quotas, %d tokens: the file is right\n", len(c.Schedules), len(c.Quotas), len(c.Tokens))
		}
		return err
	case "token":
		return printToken(out, *owner, *role)
	case "verify", "dump", "backup", "restore":
		return onFolder(ctx, command, *file, *backup, out)
	}
	return fmt.Errorf("%q is none of serve, check, token, verify, dump, backup and restore", command)
}

// load reads the file, or makes a demonstration.
func load(file string, out io.Writer) (*config.Config, error) {
	if file != "" {
		return config.Load(file)
	}
	c, err := config.Read([]byte(demo), "demo.yaml")
	if err != nil {
		return nil, err
	}
	token, err := keptToken(c.Folder)
	if err != nil {
		return nil, err
	}
	for _, one := range []struct{ owner, a, role string }{{"ann", "an", "operator"}, {"bob", "a", "booker"}} {
		c.Tokens = append(c.Tokens, config.Token{SHA256: who.SumOf(one.owner + "-" + token), Owner: one.owner, Role: one.role})
		fmt.Fprintf(out, "%s is %s %s, with the token %s-%s\n", one.owner, one.a, one.role, one.owner, token)
	}
	return c, nil
}

// keptToken returns the token of the demonstration, which is the same from start to start.
func keptToken(folder string) (string, error) {
	data, err := secret(folder, "demo-token")
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(data)[:32], nil
}

// secret returns 32 bytes of a file, and makes them if there is none.
func secret(folder, name string) ([]byte, error) {
	file := filepath.Join(folder, name)
	data, err := os.ReadFile(file)
	if err == nil && len(data) != 32 {
		return data, fmt.Errorf("%s has %d bytes instead of 32", file, len(data))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	data = make([]byte, 32)
	rand.Read(data) // never fails
	err = os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	return data, err
}

// signing returns the secret that signs sessions and feeds: that of the file, or that of the folder.
func signing(c *config.Config) ([]byte, error) {
	if c.Secret == "" {
		return secret(c.Folder, "secret")
	}
	data, err := config.ReadSecret(c.Secret)
	if err == nil && len(data) < 32 {
		err = fmt.Errorf("%s has %d bytes, and a secret has 32 or more", c.Secret, len(data))
	}
	return data, err
}

func printToken(out io.Writer, owner, role string) error {
	if owner == "" || who.RoleOf(role) == who.Nobody {
		return fmt.Errorf("-owner is empty, or -role %q is none of %q", role, config.Roles)
	}
	token := rand.Text()
	fmt.Fprintf(out, "token: %s\n\nThe service keeps its sum alone. Add to the file:\n\ntokens:\n  - {owner: %q, role: %s, sha256: %s}\n", token, owner, role, who.SumOf(token))
	return nil
}

// serve answers until ctx ends.
func serve(ctx context.Context, file string, join bool, out io.Writer) error {
	c, err := load(file, out)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	key, err := signing(c)
	if err != nil {
		return err
	}
	gate, err := who.NewGate(c, key)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	o, err := office.Open(c, office.Options{Log: log, Metrics: prom.New(registry), Join: join})
	if err != nil {
		return err
	}
	defer o.Close()
	calls, err := hooks.Start(o, log)
	if err != nil {
		return err
	}
	defer calls.Close()
	pages := page.New(o, gate, server.CallerOf)
	s := server.New(o, gate, server.Options{
		Log: log, Pages: pages, Style: pages.Style(), Metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	})
	h := http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 15,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "open %s\n", c.URL)
	done := make(chan error, 1)
	go func() {
		if c.TLS != nil {
			done <- h.ServeTLS(l, c.TLS.Certificate, c.TLS.Key)
			return
		}
		done <- h.Serve(l)
	}()
	select {
	case err = <-done:
		return err
	case <-ctx.Done():
	}
	s.End()
	wait, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	err = h.Shutdown(wait)
	if err != nil { // somebody reads or writes slowly, and waits no longer
		log.Warn("connections are cut off", "err", err)
		err = h.Close()
	}
	return err
}
