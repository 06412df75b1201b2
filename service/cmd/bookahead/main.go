// Bookahead books from the command line.
//
//	bookahead schedules                                    what can be booked
//	bookahead search gpus --units 8 --for 2h               the earliest place
//	bookahead book lab --from "tomorrow 14:00" --for 2h    books
//	bookahead why lab --from 9:00 --until 12:00 --for 2h   why there is no place
//	bookahead week lab                                     a week of bookings, drawn with letters
//	bookahead cancel 17
//	bookahead watch                                        what happens
//
// The address of the service and the token are those of --url and --token, of BOOKAHEAD_URL and BOOKAHEAD_TOKEN, or of the file
// bookahead/login.yaml in the user's folder of settings, which nobody else may read. Several addresses, of several
// members, are separated by commas. With --json each answer is that of the API.
//
// The exit code is 0, or 3 if there is no place, or 1 for every other error.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run carries out a command line, and returns its exit code.
func run(ctx context.Context, args []string, out, wrong io.Writer) int {
	t := &tool{out: out, now: time.Now}
	root := t.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(wrong)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, context.Canceled) {
		return 0
	}
	fmt.Fprintln(wrong, "bookahead:", printable(err.Error()))
	var p *api.Problem
	if errors.As(err, &p) && p.Status == http.StatusConflict {
		t.refusal(wrong, p.Refusal)
		return 3
	}
	return 1
}

// tool is what all commands share.
type tool struct {
	out        io.Writer
	now        func() time.Time
	url, token string
	json       bool
}

func (t *tool) root() *cobra.Command {
	root := &cobra.Command{Use: "bookahead", Short: "Book ahead", SilenceErrors: true, SilenceUsage: true}
	root.PersistentFlags().StringVar(&t.url, "url", "", "address of the service; several are separated by commas")
	root.PersistentFlags().StringVar(&t.token, "token", "", "token; other people on this machine may see it here")
	root.PersistentFlags().BoolVar(&t.json, "json", false, "print JSON")
	root.AddCommand(t.schedules(), t.search(), t.book(), t.why(), t.cancel(), t.week(), t.watch())
	return root
}

// service returns a client.
func (t *tool) service() (*client.Client, error) {
	login, err := readLogin()
	if err != nil {
		return nil, err
	}
	url, token := cmp.Or(t.url, os.Getenv("BOOKAHEAD_URL"), login.URL), cmp.Or(t.token, os.Getenv("BOOKAHEAD_TOKEN"), login.Token)
	if url == "" || token == "" {
		return nil, errors.New("say which service, and who you are: set BOOKAHEAD_URL and BOOKAHEAD_TOKEN")
	}
	return client.New(token, strings.Split(url, ",")...), nil
}

// command makes a command that calls the service.
func (t *tool) command(use, short string, args cobra.PositionalArgs, f func(ctx context.Context, c *client.Client, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
		c, err := t.service()
		if err != nil {
			return err
		}
		return f(cmd.Context(), c, args)
	}}
}

// login is the file with the address and the token.
type login struct {
	URL   string `yaml:"url"`
	Token string `yaml:"token"`
}

// readLogin reads the file, if there is one. Its permissions must keep others away.
func readLogin() (l login, err error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return l, nil
	}
	name := filepath.Join(folder, "bookahead", "login.yaml")
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, nil
	case err != nil:
		return l, err
	case info.Mode().Perm()&0o077 != 0:
		return l, fmt.Errorf("others may read %s: chmod 600 it", name)
	}
	data, err := os.ReadFile(name)
	if err == nil {
		err = yaml.UnmarshalWithOptions(data, &l, yaml.Strict())
	}
	return l, err
}

// names completes the names of schedules.
func (t *tool) names(cmd *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
	c, err := t.service()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, stop := context.WithTimeout(cmd.Context(), 2*time.Second)
	defer stop()
	schedules, _ := c.Schedules(ctx) // without an answer there is nothing to complete
	for _, s := range schedules {
		list = append(list, s.Name)
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

func (t *tool) schedules() *cobra.Command {
	return t.command("schedules", "What can be booked", cobra.NoArgs, func(ctx context.Context, c *client.Client, _ []string) error {
		list, err := c.Schedules(ctx)
		return t.show(err, list, func() error {
			return t.columns("NAME\tKIND\tUNITS\tUNIT\tOPEN", func(row func(...any)) {
				for _, s := range list {
					row(s.Name, s.Kind, s.Units, s.Unit, strings.Join(s.Terms.Open, ", "))
				}
			})
		})
	})
}

func (t *tool) cancel() *cobra.Command {
	return t.command("cancel NUMBER...", "Give up bookings", cobra.MinimumNArgs(1), func(ctx context.Context, c *client.Client, args []string) error {
		for _, arg := range args {
			id, err := strconv.ParseUint(strings.TrimPrefix(arg, "#"), 10, 64)
			if err != nil {
				return fmt.Errorf("%q is no number of a booking", arg)
			}
			b, err := c.Cancel(ctx, id, "")
			err = t.booking(&b, err)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tool) watch() *cobra.Command {
	after := uint64(0)
	cmd := t.command("watch", "What happens", cobra.NoArgs, func(ctx context.Context, c *client.Client, _ []string) error {
		return c.Watch(ctx, after, func(e api.Event) error {
			if t.json {
				return json.NewEncoder(t.out).Encode(e)
			}
			_, err := fmt.Fprintln(t.out, eventText(&e))
			return err
		})
	})
	cmd.Flags().Uint64Var(&after, "after", 0, "begin behind the event of this number")
	return cmd
}
