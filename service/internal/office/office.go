package office

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/journal"
	"github.com/bookahead/bookahead/service/internal/who"
)

// Office is the desk of a service, with its clock, its journal and the wishes of its callers. Any number of goroutines may use
// it.
type Office struct {
	clock
	Config  *config.Config
	Journal *journal.Journal
	member  *replicated.Member
	log     *slog.Logger
	stop    context.CancelFunc
	ended   sync.WaitGroup
}

// Options are what Open may be given beside the file.
type Options struct {
	Log     *slog.Logger
	Metrics replicated.Metrics
	// Join says that this member has lost its disk: the others forget it, and add it anew.
	Join bool
}

// Open opens the desk in the folder of a file, or makes a new one, and keeps it in step with the file. Close ends it.
func Open(c *config.Config, x Options) (*Office, error) {
	x.Log = cmp.Or(x.Log, slog.Default())
	err := os.MkdirAll(c.Folder, 0o700)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	o := &Office{clock: clock{c.Clock()}, Config: c, log: x.Log, stop: stop}
	o.Journal, err = journal.Open(filepath.Join(c.Folder, "journal"))
	if err != nil {
		stop()
		return nil, err
	}
	settings, err := Settings(c)
	var self replicated.Peer
	if err == nil && x.Join {
		self, err = joins(&settings)
	}
	if err == nil {
		settings.Applied, settings.Metrics, settings.Log = o.Journal.Applied, x.Metrics, x.Log
		o.member, err = replicated.Open(settings)
	}
	if err != nil {
		stop()
		return nil, errors.Join(err, o.Journal.Close())
	}
	o.ended.Go(func() { o.keep(ctx) })
	if x.Join {
		o.ended.Go(func() { o.join(ctx, &settings, self) })
	}
	return o, nil
}

// election is how long a leader may be silent. The others notice it after one to three times as long, since each looks at times that it
// draws. A leader that hears of no majority for half as long gives up. Ten kills each, at a load of 25 on two cores, where processes
// wait for their turn:
//
//	election                             500 ms           700 ms    1 s
//	another leads, on average            0.8 and 0.9 s    1.7 s     1.7 s
//	the longest call                     2.8 and 4.1 s    4.4 s     5.2 s
//	elections beside those of the kills  9                3         1
const election = 500 * time.Millisecond

// Settings returns the settings of the member, also for a program that opens its folder while the service is stopped.
func Settings(c *config.Config) (replicated.Config, error) {
	clock := c.Clock()
	s := replicated.Config{
		Dir:   filepath.Join(c.Folder, "member"),
		Clock: &clock,
		Desk:  desk.Config{Keep: c.Ticks(c.Keep.Time())},
	}
	m := c.Member
	if m == nil {
		s.MaxJump = 100 * 365 * 24 * time.Hour // alone, nobody else could know better
		return s, nil
	}
	s.ID, s.Bind, s.Election = m.ID, m.Bind, cmp.Or(m.Election.Time(), election)
	for _, p := range m.Peers {
		s.Peers = append(s.Peers, replicated.Peer{ID: p.ID, Address: p.Address})
	}
	if m.Certificate == "" {
		return s, nil
	}
	pair, err := tls.LoadX509KeyPair(m.Certificate, m.Key)
	if err != nil {
		return s, fmt.Errorf("member.certificate: %w", err)
	}
	authority, err := os.ReadFile(m.Authority)
	if err != nil {
		return s, fmt.Errorf("member.authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return s, fmt.Errorf("member.authority: %s has no certificate in PEM", m.Authority)
	}
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	return s, nil
}

// Close ends the office. What was answered is on the disk.
func (o *Office) Close() error {
	o.stop()
	o.ended.Wait()
	return errors.Join(o.member.Close(), o.Journal.Close())
}

// Status returns the state of the member.
func (o *Office) Status() replicated.Status { return o.member.Status() }

// Leads reports whether this member has the duties that one of the members has: the file, opening hours, webhooks.
func (o *Office) Leads() bool { return o.member.Status().State == "leader" }

// do carries out a command of a caller. If id is not 0, the booking must still have the sum.
func (o *Office) do(ctx context.Context, by string, id desk.BookingID, sum uint64, c desk.Command) (desk.Outcome, error) {
	out, err := o.member.Do(ctx, desk.Given{By: cut(by), ID: id, Sum: sum, Command: c})
	return out, problemOf(err)
}

// cut returns a text that a desk takes.
func cut(text string) string { return text[:min(len(text), desk.MaxText)] }

// Look returns the desk as it is now, with all that was answered before, for a caller.
func (o *Office) Look(ctx context.Context, c who.Caller) (*Look, error) {
	return o.look(ctx, c, replicated.Linearizable)
}

// Glance is Look on the state of this member alone, which may be old: for pictures and streams that are renewed anyway.
func (o *Office) Glance(ctx context.Context, c who.Caller) (*Look, error) {
	return o.look(ctx, c, replicated.Local)
}

func (o *Office) look(ctx context.Context, c who.Caller, f replicated.Freshness) (*Look, error) {
	if c.Role < who.Reader {
		return nil, forbidden("%s may not look", orNobody(c.Owner))
	}
	v, err := o.member.Read(ctx, f)
	if err != nil {
		return nil, problemOf(err)
	}
	return o.over(ctx, c, v.Desk), nil
}

// over returns a look at a desk.
func (o *Office) over(ctx context.Context, c who.Caller, d *desk.Desk) *Look {
	return &Look{clock: o.clock, office: o, caller: c, desk: d, schedules: d.Schedules(), effort: bookahead.Effort{Context: ctx, Steps: effort}}
}

// effort is how many steps a query may take: a second or so.
const effort = 1 << 24

// NoteDelivered notes in the log of the desk that a webhook has heard of all events up to a number, so that another leader goes
// on from there.
func (o *Office) NoteDelivered(ctx context.Context, hook string, number uint64) error {
	_, err := o.member.Do(ctx, desk.Given{By: journal.Delivered(hook, number)})
	return err
}
