package replicated

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// run compares a machine with a naive one, on entries that pick draws.
type run struct {
	pick  func(n int) int // returns a number from 0 to n-1
	fault fault
	x     *machine
	want  *naive
	index uint64
	last  SessionID // the last session that was opened
}

// fault is a mistake that a machine could make. A run must find it.
type fault string

const (
	noFault        fault = ""
	forgetsTable   fault = "the snapshot has no sessions"
	forgetsAnswer  fault = "the last answer is not stored"
	evictsNewest   fault = "the session that was used last goes first"
	appliesBackOld fault = "a clock that goes back is carried out"
	ignoresSeal    fault = "commands are carried out while it is sealed"
	forgetsClock   fault = "the snapshot has no word of the first clock"
	forgetsWeight  fault = "the answers of a snapshot are not weighed"
	confusesCalls  fault = "another command under a number has the answer to the first"
)

var faults = []fault{forgetsTable, forgetsAnswer, evictsNewest, appliesBackOld, ignoresSeal, forgetsClock, forgetsWeight, confusesCalls}

func newRun(pick func(int) int, f fault) *run {
	r := &run{pick: pick, fault: f, want: newNaive()}
	r.x = r.machine()
	return r
}

func (r *run) machine() *machine {
	x, err := newMachine(&Config{Desk: desk.Config{Keep: 7}})
	if err != nil {
		panic(err)
	}
	return x
}

// steps gives n entries, and compares after each.
func (r *run) steps(n int) error {
	for range n {
		err := r.step()
		if err != nil {
			return fmt.Errorf("entry %d: %w", r.index, err)
		}
	}
	return r.same()
}

func (r *run) step() error {
	if r.pick(6) == 0 {
		return r.restart()
	}
	e := r.entry()
	want := r.want.take(e)
	got, err := r.apply(e)
	if err != nil {
		return err
	}
	for i := range want {
		if !alike(got[i], want[i]) {
			return fmt.Errorf("answer %d of %d is %v %v, and should be %v %v", i, len(want), got[i], got[i].err, want[i], want[i].err)
		}
	}
	return nil
}

// apply gives an entry to the machine, which makes the mistake.
func (r *run) apply(e entry) ([]answer, error) {
	r.index++
	back := e.now >= 0 && e.now < r.want.desk.Now() && !r.x.sealed()
	switch {
	case r.fault == appliesBackOld && back:
		return refusedAll(e, bookahead.ErrInvalid), nil // with the error of desk.Advance
	case r.fault == ignoresSeal && r.x.sealed():
		defer r.x.seal(r.x.sealedAt.Swap(0))
	case r.fault == evictsNewest:
		reverse(&r.x.sessions)
	case r.fault == confusesCalls:
		confuse(&r.x.sessions, e)
	}
	data := e.append(nil)
	if r.pick(8) == 0 { // an entry of Raft itself comes in between
		r.x.Apply(&raft.Log{Index: r.index, Type: raft.LogConfiguration, Data: data})
		r.index++
	}
	got := r.x.Apply(&raft.Log{Index: r.index, Type: raft.LogCommand, Data: data})
	clear(data) // the machine must keep nothing of the bytes
	switch r.fault {
	case evictsNewest:
		reverse(&r.x.sessions)
	case forgetsAnswer:
		for s := range r.x.sessions.all {
			s.number, s.answer = s.number-min(1, s.number), &keptAnswer{}
		}
	}
	answers, ok := got.([]answer)
	if !ok {
		return nil, fmt.Errorf("the machine has failed: %v", got)
	}
	return answers, nil
}

// confuse takes the command of a call for the command that had its number before.
func confuse(t *sessionTable, e entry) {
	for i := range e.calls {
		c := &e.calls[i]
		at, ok := t.at[c.session]
		if ok && c.op == doCommand && c.number == t.slots[at].number {
			t.slots[at].command = hashOf(c.body)
		}
	}
}

func refusedAll(e entry, err error) []answer {
	out := make([]answer, max(1, len(e.calls)))
	refuse(out, err)
	return out
}

// reverse reverses the ring.
func reverse(t *sessionTable) {
	for i := range t.slots {
		s := &t.slots[i]
		s.prev, s.next = s.next, s.prev
	}
}

// restart goes on with a machine that is restored from a snapshot of this one.
func (r *run) restart() error {
	data, err := imageBytes(r.x)
	if err != nil {
		return err
	}
	x := r.machine()
	err = x.Restore(io.NopCloser(bytes.NewReader(data)))
	if err != nil {
		return err
	}
	again, err := imageBytes(x)
	if err != nil {
		return err
	}
	if !bytes.Equal(data, again) {
		return errors.New("a snapshot of what was restored has other bytes")
	}
	switch r.fault {
	case forgetsTable:
		x.sessions = newSessionTable()
	case forgetsClock:
		x.clocked = false
	case forgetsWeight:
		x.sessions.bytes = 0
		for s := range x.sessions.all {
			s.weight = 0
		}
	}
	r.x = x
	return nil
}

func imageBytes(x *machine) ([]byte, error) {
	m, err := x.Snapshot()
	if err != nil {
		return nil, err
	}
	var to sink
	err = m.Persist(&to)
	return to.Bytes(), err
}

// same compares the two states.
func (r *run) same() error {
	var got, want bytes.Buffer
	_, err := r.x.view().WriteTo(&got)
	if err != nil {
		return err
	}
	_, err = r.want.desk.WriteTo(&want)
	if err != nil {
		return err
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		return errors.New("the desks differ")
	}
	var ids, wantIDs []SessionID
	for s := range r.x.sessions.all {
		ids = append(ids, s.id)
	}
	for _, s := range r.want.sessions {
		wantIDs = append(wantIDs, s.id)
	}
	if !slices.Equal(ids, wantIDs) || r.x.sealed() != r.want.sealed {
		return fmt.Errorf("sessions are %v, and should be %v; sealed: %v", ids, wantIDs, r.x.sealed())
	}
	if r.x.applied() != r.index || r.x.view().Applied != r.index {
		return fmt.Errorf("entry %d is said to be the last of %d", r.x.applied(), r.index)
	}
	return nil
}

// entry draws an entry.
func (r *run) entry() entry {
	e := entry{version: Version, now: -1, jump: 20, room: uint64(r.pick(6)), memory: uint64(r.pick(4) * 1500)}
	now := r.want.desk.Now()
	switch r.pick(8) {
	case 0, 1, 2:
		e.now = now + bookahead.Time(r.pick(4))
	case 3:
		e.now = now + 10 + bookahead.Time(r.pick(20))
	case 4:
		e.now = max(0, now-bookahead.Time(1+r.pick(3)))
	}
	if r.pick(8) == 0 {
		e.jump = -1
	}
	if r.pick(4) > 0 {
		e.room = 4
	}
	if r.pick(4) > 0 {
		e.memory = 1 << 20
	}
	for range r.pick(5) {
		e.calls = append(e.calls, r.call())
	}
	return e
}

// call draws a call.
func (r *run) call() call {
	switch k := r.pick(24); {
	case k < 4:
		if r.pick(8) > 0 {
			r.last++
		}
		return call{op: openSession, session: r.last} // now and then the ID of an open session
	case k == 4 && r.pick(3) == 0:
		return call{op: seal}
	case k < 7 && r.want.sealed:
		return call{op: unseal}
	case k == 7:
		return call{op: op(r.pick(20))} // a call without fields, of any op
	}
	c := call{op: doCommand, body: body(r.command())}
	if r.pick(20) == 0 {
		c.body = c.body[:r.pick(len(c.body))]
	}
	switch n := len(r.want.sessions); {
	case r.pick(8) == 0:
		c.session = SessionID(r.pick(int(r.last) + 2))
		c.number = uint64(r.pick(4))
	case n > 0:
		s := r.want.sessions[r.pick(n)]
		c.session, c.number = s.id, s.number+1
		switch r.pick(8) {
		case 0, 1:
			c.number--
			if s.body != nil && r.pick(4) > 0 {
				c.body = s.body
			}
		case 2:
			c.number = uint64(r.pick(int(c.number) + 4))
		}
	}
	return c
}

// command draws a command.
func (r *run) command() desk.Command {
	id := desk.BookingID(1 + r.pick(12))
	switch r.pick(12) {
	case 0:
		return desk.AddSchedule{Name: []string{"pool", "lab"}[r.pick(2)], Kind: []desk.Kind{desk.Pool{Units: 8}, desk.Servers{Count: 4}}[r.pick(2)]}
	case 1:
		return desk.Cancel{ID: id}
	case 2:
		return desk.End{ID: id}
	case 3:
		return desk.Advance{Now: r.want.desk.Now() + bookahead.Time(r.pick(3))}
	case 4:
		return desk.Batch{Commands: []desk.Command{r.book(), desk.Cancel{ID: id}}}
	case 5:
		return desk.Batch{Commands: []desk.Command{r.book(), desk.Advance{Now: r.want.desk.Now() + 1}}}
	}
	return r.book()
}

func (r *run) book() desk.Book {
	b := book([]string{"pool", "pool", "lab"}[r.pick(3)], int64(1+r.pick(5)), bookahead.Duration(1+r.pick(9)))
	b.Ready = r.want.desk.Now() + bookahead.Time(r.pick(9))
	if r.pick(3) == 0 {
		b.Key = []string{"a", "b"}[r.pick(2)]
	}
	if r.pick(5) == 0 {
		b.Deadline = b.Ready + 9
	}
	return b
}

func TestMachineIsTheNaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRun(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }, noFault)
		require.NoError(t, r.steps(rapid.IntRange(1, 60).Draw(t, "entries")))
	})
}

// seeded returns a pick that depends only on the seed.
func seeded(seed uint64) func(int) int { return rand.New(rand.NewPCG(seed, 25)).IntN }

// Runs of a few hundred entries find each mistake of the list.
func TestRunFindsFaults(t *testing.T) {
	const seeds, entries = 40, 300
	for _, f := range faults {
		t.Run(string(f), func(t *testing.T) {
			found := 0
			for seed := range uint64(seeds) {
				if newRun(seeded(seed), f).steps(entries) != nil {
					found++
				}
			}
			require.Greater(t, found, seeds/2, "of %d runs", seeds)
		})
	}
	for seed := range uint64(seeds) {
		require.NoError(t, newRun(seeded(seed), noFault).steps(entries), "seed %d", seed)
	}
}
