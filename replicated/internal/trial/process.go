package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated"
)

// variable makes a process a member. Its value is the settings, in JSON.
const variable = "BOOKAHEAD_TRIAL_MEMBER"

// settings are the settings of a member.
type settings struct {
	ID, Dir  string
	Peers    []replicated.Peer
	Election time.Duration
}

const (
	// keep is for how long cancelled bookings are remembered. The clock never gets there, so the check sees them all.
	keep bookahead.Duration = 1 << 40
	// snapshotEvery is so small that members that were away need a snapshot now and then.
	snapshotEvery = 256 << 10
	// checkEvery is how often the members compare their states.
	checkEvery = time.Second
)

// Member returns at once, unless Run has started this process. Then the process is a member until its input ends, at
// the latest with the process of Run, and Member does not return.
func Member() {
	given := os.Getenv(variable)
	if given == "" {
		return
	}
	err := member(given)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func member(given string) error {
	var s settings
	err := json.Unmarshal([]byte(given), &s)
	if err != nil {
		return err
	}
	c := replicated.Config{
		ID: s.ID, Dir: s.Dir, Peers: s.Peers, Election: s.Election,
		Desk: desk.Config{Keep: keep}, SnapshotEvery: snapshotEvery, CheckEvery: checkEvery,
		Reserve: 1 << 20, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	for _, p := range s.Peers {
		if p.ID == s.ID {
			c.Bind = p.Address
		}
	}
	m, err := replicated.Open(c)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return errors.Join(m.Status().Err, m.Close())
}

// process is a member, which may be killed and started again.
type process struct {
	peer replicated.Peer
	env  string
	log  string

	mu    sync.Mutex
	cmd   *exec.Cmd // nil while it does not run
	stdin io.Closer
	over  bool // the member is not started again
}

func logName(dir, id string) string { return filepath.Join(dir, id+".log") }

func newProcess(dir string, s settings) (*process, error) {
	s.Dir = filepath.Join(dir, s.ID)
	env, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	p := &process{env: variable + "=" + string(env), log: logName(dir, s.ID)}
	for _, peer := range s.Peers {
		if peer.ID == s.ID {
			p.peer = peer
		}
	}
	return p, nil
}

// start starts the member, unless it runs.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil || p.over {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the member has a descriptor of its own
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), p.env)
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	err = cmd.Start()
	if err != nil {
		return err
	}
	p.cmd, p.stdin = cmd, stdin
	return nil
}

// kill ends the member by SIGKILL, and waits until it is gone. It is an error if the member has ended by itself
// before.
func (p *process) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	err := p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.cmd = nil
	if err != nil {
		return fmt.Errorf("trial: member %s has ended by itself, see %s: %w", p.peer.ID, p.log, err)
	}
	return nil
}

// end makes the member close, and waits for its end.
func (p *process) end() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.cmd == nil {
		return nil
	}
	_ = p.stdin.Close()
	err := p.cmd.Wait()
	p.cmd = nil
	if err != nil {
		return fmt.Errorf("trial: member %s has ended with an error, see %s: %w", p.peer.ID, p.log, err)
	}
	return nil
}

// freePeers returns n members on free ports of loopback.
func freePeers(ctx context.Context, n int) ([]replicated.Peer, error) {
	var peers []replicated.Peer
	for i := range n {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		peers = append(peers, replicated.Peer{ID: fmt.Sprint(i + 1), Address: l.Addr().String()})
	}
	return peers, nil
}
