package replicated

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// world has members in one process. Their disks are in memory, and a raft.InmemTransport is their network.
type world struct {
	t       testing.TB
	config  Config
	forward bool // calls are forwarded to the leader
	version uint32
	wrap    func(id string, t *raft.InmemTransport) raft.Transport
	between func(from, to string, l leaderAPI) leaderAPI // wraps forwarded calls, unless it is nil
	carry   func(id string) carrier                      // carries out the commands of a member, unless it is nil
	disk    func(*disk) *disk                            // wraps the disk of each member, unless it is nil
	mu      sync.Mutex
	members map[string]*Member
	disks   map[string]*memory
	at      map[string]*raft.InmemTransport
	peers   []Peer
}

// memory is a disk.
type memory struct {
	log   *raft.InmemStore
	snaps *raft.InmemSnapshotStore
	mu    sync.Mutex
	space int64
	err   error // the error of each write to the log; nil for none
}

func newMemory() *memory {
	return &memory{log: raft.NewInmemStore(), snaps: raft.NewInmemSnapshotStore(), space: math.MaxInt64}
}

func (d *memory) open(string, *slog.Logger) (*disk, error) {
	return &disk{
		log: failing{d.log, d}, stable: d.log, snaps: d.snaps, close: func() error { return nil },
		space: func() (int64, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.space, nil
		},
	}, nil
}

func (d *memory) set(space int64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.space, d.err = space, err
}

// failing is a log whose writes fail with the error of its disk.
type failing struct {
	raft.LogStore
	d *memory
}

func (f failing) StoreLogs(list []*raft.Log) error {
	f.d.mu.Lock()
	err := f.d.err
	f.d.mu.Unlock()
	if err != nil {
		return err
	}
	return f.LogStore.StoreLogs(list)
}

func (f failing) StoreLog(e *raft.Log) error { return f.StoreLogs([]*raft.Log{e}) }

var mute = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))

// newWorld returns a world of n members that are not open yet.
func newWorld(t testing.TB, n int, c Config) *world {
	w := &world{t: t, config: c, forward: true, members: map[string]*Member{}, disks: map[string]*memory{}, at: map[string]*raft.InmemTransport{}}
	for i := range n {
		id := fmt.Sprint(i + 1)
		w.peers = append(w.peers, Peer{ID: id, Address: "at-" + id})
	}
	t.Cleanup(w.close)
	return w
}

// start opens all members.
func (w *world) start() {
	for _, p := range w.peers {
		w.open(p.ID)
	}
}

// open opens a member, for the first time or again.
func (w *world) open(id string) *Member {
	m, err := w.tryOpen(id)
	require.NoError(w.t, err)
	return m
}

func (w *world) tryOpen(id string) (*Member, error) {
	c := w.config
	c.ID, c.Peers = id, w.peers
	if c.Log == nil {
		c.Log = mute
	}
	address, t := raft.NewInmemTransport(raft.ServerAddress("at-" + id))
	w.mu.Lock()
	for other, o := range w.at {
		if other != id {
			o.Connect(address, t)
			t.Connect(o.LocalAddr(), o)
		}
	}
	t.Connect(address, t)
	w.at[id] = t
	d := w.disks[id]
	if d == nil {
		d = newMemory()
		w.disks[id] = d
	}
	w.mu.Unlock()
	c.Transport = t
	if w.wrap != nil {
		c.Transport = w.wrap(id, t)
	}
	s := seam{disk: d.open, version: w.version}
	if w.disk != nil {
		s.disk = func(dir string, l *slog.Logger) (*disk, error) {
			opened, err := d.open(dir, l)
			return w.disk(opened), err
		}
	}
	if w.carry != nil {
		s.carry = w.carry(id)
	}
	if w.forward {
		s.others = w.reach(id)
	}
	m, err := openWith(c, s)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.members[id] = m
	w.mu.Unlock()
	return m, nil
}

// reach returns the calls from one member to the others.
func (w *world) reach(from string) func(Peer) leaderAPI {
	return func(p Peer) leaderAPI {
		w.mu.Lock()
		defer w.mu.Unlock()
		m := w.members[p.ID]
		if m == nil {
			return nobody{}
		}
		if w.between != nil {
			return w.between(from, p.ID, m)
		}
		return m
	}
}

// nobody is a member that is not there.
type nobody struct{}

func (nobody) carryOut(context.Context, call) answer     { return answer{err: &NotLeaderError{}} }
func (nobody) readIndex(context.Context) (uint64, error) { return 0, &NotLeaderError{} }
func (nobody) add(context.Context, Peer) error           { return &NotLeaderError{} }
func (nobody) remove(context.Context, string) error      { return &NotLeaderError{} }
func (nobody) transfer(context.Context, string) error    { return &NotLeaderError{} }
func (nobody) status(context.Context, bootstrapper) (Status, error) {
	return Status{}, &NotLeaderError{}
}
func (nobody) confirmClock(context.Context, bookahead.Time) error { return &NotLeaderError{} }

func (w *world) member(id string) *Member {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.members[id]
}

// stop closes a member.
func (w *world) stop(id string) {
	m := w.member(id)
	require.NoError(w.t, m.Close())
	w.mu.Lock()
	delete(w.members, id)
	w.mu.Unlock()
}

// kill ends a member without notice: nothing more reaches its disk, and no other member hears of it.
func (w *world) kill(id string) {
	m := w.member(id)
	m.drop()
	w.mu.Lock()
	delete(w.members, id)
	w.mu.Unlock()
}

// drop ends the member as a kill would, and ends its goroutines, too.
func (m *Member) drop() {
	m.diskFailed.Store(true)
	m.end(false)
	<-m.ended
}

func (w *world) close() {
	w.mu.Lock()
	list := w.members
	w.members = map[string]*Member{}
	w.mu.Unlock()
	for _, m := range list {
		_ = m.Close()
	}
}

// leader waits for a leader, and returns it.
func (w *world) leader() *Member {
	for range 2000 {
		w.mu.Lock()
		for _, m := range w.members {
			if m.raft.State() == raft.Leader && m.ready.Load() == m.raft.CurrentTerm() {
				w.mu.Unlock()
				return m
			}
		}
		w.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
	require.Fail(w.t, "nobody leads")
	return nil
}

// cut cuts a member off the network, both ways.
func (w *world) cut(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for other, t := range w.at {
		if other != id {
			t.Disconnect(w.at[id].LocalAddr())
			w.at[id].Disconnect(t.LocalAddr())
		}
	}
}

// heal connects all members again.
func (w *world) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.at {
		for _, o := range w.at {
			t.Connect(o.LocalAddr(), o)
		}
	}
}

var line = desk.AddSchedule{Name: "line", Kind: desk.Pool{Units: 4}}

// booking returns a command that books one unit of the line.
func booking(key string) desk.Book {
	return desk.Book{Key: key, Request: desk.Request{Owner: "ann", Shapes: []desk.Shape{{{On: "line", Units: 1, Duration: 3}}}}}
}

func within(t testing.TB, d time.Duration) context.Context {
	ctx, stop := context.WithTimeout(context.Background(), d)
	t.Cleanup(stop)
	return ctx
}

func newWorldTransport() raft.Transport {
	_, t := raft.NewInmemTransport("")
	return t
}

// any returns a member that is open.
func (w *world) any(k int) *Member {
	for i := range w.peers {
		m := w.member(w.peers[(k+i)%len(w.peers)].ID)
		if m != nil {
			return m
		}
	}
	return nil
}

// someone waits until a member is open, and returns it.
func (w *world) someone(k int) *Member {
	for {
		m := w.any(k)
		if m != nil {
			return m
		}
		time.Sleep(time.Millisecond)
	}
}

// other returns a member other than one.
func (w *world) other(than *Member) *Member {
	for k := range w.peers {
		if w.any(k) != than {
			return w.any(k)
		}
	}
	return nil
}
