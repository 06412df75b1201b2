// Package trial kills members of a replicated desk while clients book, and checks that no booking is lost. Each
// member is a process of its own. So SIGKILL ends it as the loss of its machine would, except that the system still
// has the writes of the process:
//
//	this process                                  processes of the same binary
//	clients: book, cancel, remember  ── TCP ──►   member 1
//	killer: SIGKILL, start again     ── KILL ─►   member 2
//	check: bookings, bytes           ── TCP ──►   member 3
//
// A program that calls Run must call Member first. In the process of a member, that call does not return.
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated"
)

// Plan is the plan of a trial. Fields that are 0 have default values.
type Plan struct {
	Members int           // 3 if 0
	Clients int           // 8 if 0
	For     time.Duration // 15 s if 0; longer if the leader was not killed often enough by then
	Kills   int           // of the leader
	Random  time.Duration // between kills of any member; 3 s if 0, and never if negative
	Seed    uint64        // of the killer and of the clients
	Dir     string        // of the folders and logs of the members; it must exist
	// Election is the Election of the members; 300 ms if 0.
	Election time.Duration
	// Say hears of each kill and of failed starts; nobody does if it is nil.
	Say func(format string, args ...any)
}

func (p Plan) filled() Plan {
	p.Members = cmp.Or(p.Members, 3)
	p.Clients = cmp.Or(p.Clients, 8)
	p.For = cmp.Or(p.For, 15*time.Second)
	p.Random = cmp.Or(p.Random, 3*time.Second)
	p.Election = cmp.Or(p.Election, 300*time.Millisecond)
	if p.Say == nil {
		p.Say = func(string, ...any) {}
	}
	return p
}

// Result is the result of a trial.
type Result struct {
	Took               time.Duration
	Booked, Cancelled  int // acknowledged
	Unknown            int // calls without an answer: each may be carried out or not
	Kills, LeaderKills int
	Elections          uint64        // terms that have passed, with a leader or without
	Stop               time.Duration // the longest time in which no caller had an answer
	Back               time.Duration // from a kill of the leader to the next answer; the median
	P50, P99, P999     time.Duration // of a call, from the first try to its answer
	Entries            uint64        // of the log
	Bytes              int           // of the state of each member at the end
	// Wrong has the mistakes that were found: a booking that is lost, a booking that is there twice, members that
	// differ.
	Wrong []string
}

// patience is how long the members may have no leader, or differ.
const patience = time.Minute

// Run carries out a plan. The error says that the trial itself has failed, for example for want of a port. Mistakes
// of the members are in Result.Wrong.
func Run(ctx context.Context, p Plan) (Result, error) {
	p = p.filled()
	t := &trial{Plan: p, chance: rand.New(rand.NewPCG(p.Seed, 0))}
	defer t.stopAll()
	err := t.startAll(ctx)
	if err != nil {
		return Result{}, err
	}
	admin, err := t.client()
	if err != nil {
		return Result{}, err
	}
	defer admin.Close()
	ready, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_, err = admin.Do(ready, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 64}})
	if err != nil {
		return Result{}, fmt.Errorf("trial: the first command: %w", err)
	}
	first, err := t.leader(ready, admin)
	if err != nil {
		return Result{}, err
	}

	begun := time.Now()
	work, done := context.WithCancel(ctx)
	defer done()
	var group sync.WaitGroup
	var callers []*caller
	for i := range p.Clients {
		c, err := t.client()
		if err != nil {
			return Result{}, err
		}
		defer c.Close()
		one := &caller{client: c, answers: &t.answers, name: fmt.Sprint("client ", i), chance: rand.New(rand.NewPCG(p.Seed, uint64(i+1)))}
		callers = append(callers, one)
		group.Go(func() { one.run(ctx, work.Done()) })
	}
	err = t.killFor(ctx, admin)
	done()
	group.Wait()
	r := t.summary(callers, begun)
	if err != nil {
		return r, err
	}
	check, stop := context.WithTimeout(ctx, patience)
	defer stop()
	last, err := t.leader(check, admin)
	if err != nil {
		return r, err
	}
	r.Elections = last.Term - first.Term
	err = t.check(check, admin, callers, &r)
	if err != nil {
		return r, err
	}
	return r, t.endAll()
}

// trial is a plan that is being carried out.
type trial struct {
	Plan
	members []*process
	chance  *rand.Rand
	kills   int
	leads   []time.Time  // the times at which the leader was killed
	answers atomic.Int64 // of all callers together
}

// client returns a client of all members.
func (t *trial) client() (*replicated.Client, error) {
	var addresses []string
	for _, m := range t.members {
		addresses = append(addresses, m.peer.Address)
	}
	return replicated.NewClient(replicated.ClientConfig{Addresses: addresses, Desk: desk.Config{Keep: keep}})
}

// leader waits until a member leads, and returns its Status.
func (t *trial) leader(ctx context.Context, c *replicated.Client) (replicated.Status, error) {
	for {
		for _, m := range t.members {
			once, stop := context.WithTimeout(ctx, t.Election)
			s, err := c.Status(once, m.peer.Address)
			stop()
			if err == nil && s.State == "leader" {
				return s, nil
			}
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return replicated.Status{}, fmt.Errorf("trial: nobody leads: %w", ctx.Err())
		}
	}
}

// killFor kills members until the time is over and the leader was killed as often as planned. Leaders are killed at
// even intervals, other members at random ones. A killed member starts again a while later.
func (t *trial) killFor(ctx context.Context, c *replicated.Client) error {
	begun := time.Now()
	var restarts sync.WaitGroup
	defer restarts.Wait()
	apart := t.For / time.Duration(t.Kills+1)
	nextLead, nextAny := begun.Add(apart), begun.Add(t.later())
	for {
		next := begun.Add(t.For)
		if len(t.leads) < t.Kills {
			next = nextLead
		}
		anybody := t.Random > 0 && nextAny.Before(next)
		if anybody {
			next = nextAny
		}
		select {
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
			return ctx.Err()
		}
		var victim *process
		switch {
		case anybody:
			victim = t.members[t.chance.IntN(len(t.members))]
			nextAny = time.Now().Add(t.later())
		case len(t.leads) < t.Kills:
			found, stop := context.WithTimeout(ctx, patience)
			err := t.progress(found)
			var s replicated.Status
			if err == nil {
				s, err = t.leader(found, c)
			}
			stop()
			if err != nil {
				return err
			}
			for _, m := range t.members {
				if m.peer.ID == s.ID {
					victim = m
				}
			}
			t.leads = append(t.leads, time.Now())
			nextLead = time.Now().Add(apart)
		default:
			return nil
		}
		t.kills++
		t.Say("kill %s (%d)", victim.peer.ID, t.kills)
		err := victim.kill()
		if err != nil {
			return err
		}
		wait := time.Duration(t.chance.Int64N(int64(t.Election)))
		restarts.Go(func() {
			time.Sleep(wait)
			err := victim.start()
			if err != nil {
				t.Say("member %s does not start: %v", victim.peer.ID, err)
			}
		})
	}
}

// progress waits until a caller has a new answer: killing a leader that has answered no call would show nothing.
func (t *trial) progress(ctx context.Context) error {
	before := t.answers.Load()
	for t.answers.Load() == before {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("trial: nobody has an answer: %w", ctx.Err())
		}
	}
	return nil
}

// later returns the time until the next random kill.
func (t *trial) later() time.Duration {
	if t.Random <= 0 {
		return 0
	}
	return t.Random/2 + time.Duration(t.chance.Int64N(int64(t.Random)))
}

// startAll starts the members, on free ports.
func (t *trial) startAll(ctx context.Context) error {
	peers, err := freePeers(ctx, t.Members)
	if err != nil {
		return err
	}
	for _, p := range peers {
		m, err := newProcess(t.Dir, settings{Peers: peers, ID: p.ID, Election: t.Election})
		if err != nil {
			return err
		}
		t.members = append(t.members, m)
		err = m.start()
		if err != nil {
			return err
		}
	}
	return nil
}

// endAll closes the members as an operator would, and returns the errors of those that do not end well.
func (t *trial) endAll() error {
	var all error
	for _, m := range t.members {
		all = errors.Join(all, m.end())
	}
	return all
}

// stopAll kills the members that still run.
func (t *trial) stopAll() {
	for _, m := range t.members {
		_ = m.kill()
	}
}

// Tail returns the last lines of the log of each member, to find the reason of a failure.
func Tail(dir string, bytes int64) string {
	var all string
	for i := 1; ; i++ {
		data, err := os.ReadFile(logName(dir, fmt.Sprint(i)))
		if err != nil {
			return all
		}
		from := max(0, int64(len(data))-bytes)
		all += fmt.Sprintf("member %d:\n%s\n", i, data[from:])
	}
}
