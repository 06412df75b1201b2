package replicated

import (
	"hash/crc64"
	"math/rand/v2"
	"slices"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
)

// sessionTable keeps the last answer of each session, so that a call that is sent again is answered, and not carried out
// twice. The sessions form a ring in the order of their use. The session that was idle for longest is forgotten
// first:
//
//	slots[0] ──► idle for longest ──► ... ──► used last ──► slots[0]
//
// A clone for a snapshot must take microseconds. So slots are small, and the clone shares the answers with the table.
// An answer that is older than the last clone never changes: the next answer of its session takes new memory.
type sessionTable struct {
	slots []slot  // slots[0] is the head of the ring
	free  []int32 // empty slots
	bytes uint64  // weight of all answers together
	age   uint32  // counts clones
	at    map[SessionID]int32
}

// slot is a session.
type slot struct {
	id         SessionID
	number     uint64      // of the last call; 0 before the first
	command    uint64      // hashOf the command of the last call
	answer     *keptAnswer // to the last call; nil before the first
	prev, next int32
	age        uint32 // age of the table when the answer took its memory
	weight     uint32 // of the answer
}

// keptAnswer is the last answer of a session.
type keptAnswer struct {
	outcome desk.Outcome
	err     error // in the form that portable returns
}

// maxKeptAnswer is the weight of the longest answer that is kept: an answer with about 4 000 bookings.
const maxKeptAnswer = 4 << 20

func newSessionTable() sessionTable {
	return sessionTable{slots: make([]slot, 1), at: map[SessionID]int32{}}
}

// clone returns the sessions for a snapshot. The clone has no index by ID, and must not be changed. O(n) for n
// sessions, 48 bytes each.
func (t *sessionTable) clone() sessionTable {
	t.age++
	return sessionTable{slots: slices.Clone(t.slots)}
}

// drawSession returns the ID of a new session. IDs are drawn, not counted: a count would be part of the state and go
// back with a restored backup. New sessions would then get the IDs of callers that live on.
func drawSession() SessionID {
	for {
		id := SessionID(rand.Uint64())
		if id != 0 {
			return id
		}
	}
}

// open adds the session that a call opens. The error wraps bookahead.ErrInvalid if the ID is 0, or is open already.
// O(1).
func (t *sessionTable) open(c *call) answer {
	_, twice := t.at[c.session]
	if twice || c.session == 0 {
		return answer{err: limits.Invalid("session", c.session, "is 0, or is open already")}
	}
	t.add(slot{id: c.session})
	return answer{session: c.session}
}

// add adds a session as the one that was used last.
func (t *sessionTable) add(s slot) {
	i := int32(len(t.slots))
	n := len(t.free)
	if n > 0 {
		i, t.free = t.free[n-1], t.free[:n-1]
		t.slots[i] = s
	} else {
		t.slots = append(t.slots, s)
	}
	t.at[s.id] = i
	t.bytes += uint64(s.weight)
	t.link(i)
}

// link puts a slot at the end of the ring, just before slots[0].
func (t *sessionTable) link(i int32) {
	s, head := &t.slots[i], &t.slots[0]
	s.prev, s.next = head.prev, 0
	t.slots[head.prev].next = i
	t.slots[0].prev = i
}

// unlink takes a slot out of the ring.
func (t *sessionTable) unlink(i int32) {
	s := &t.slots[i]
	t.slots[s.prev].next = s.next
	t.slots[s.next].prev = s.prev
}

// touch moves a session to the end of the ring. O(1).
func (t *sessionTable) touch(i int32) {
	if t.slots[0].prev == i {
		return
	}
	t.unlink(i)
	t.link(i)
}

// evict forgets the sessions that were idle for longest, until the sessions and the weight of their answers are
// within the bounds of an entry. O(1) for each.
func (t *sessionTable) evict(e *entry) {
	for uint64(len(t.at)) > e.room || t.bytes > e.memory {
		i := t.slots[0].next
		t.unlink(i)
		t.bytes -= uint64(t.slots[i].weight)
		delete(t.at, t.slots[i].id)
		t.slots[i] = slot{}
		t.free = append(t.free, i)
	}
}

// all yields the sessions, the one that was idle for longest first.
func (t *sessionTable) all(yield func(*slot) bool) {
	for i := t.slots[0].next; i != 0; i = t.slots[i].next {
		if !yield(&t.slots[i]) {
			return
		}
	}
}

// find looks a call up, and changes nothing. If the call is known, had is its answer; i is its slot if the answer was
// stored, and 0 otherwise. If the call should be carried out, i is its slot. Slot 0 is for calls without a session,
// and remembers nothing.
//
//	last call 7     call 7   the stored answer, or an error if its command is another one
//	                call 8   is carried out
//	                call 6   ErrSession: its answer is gone
//	                call 9   is carried out, and 8 never will be
func (t *sessionTable) find(c *call) (i int32, had answer, known bool) {
	if c.session == 0 {
		return 0, answer{}, false
	}
	i, ok := t.at[c.session]
	s := &t.slots[i]
	switch {
	case !ok:
		return 0, answer{err: ErrSession}, true
	case c.number == 0:
		return 0, answer{err: limits.Invalid("Call.Number", c.number, "is less than 1")}, true
	case c.number == s.number && hashOf(c.body) != s.command:
		return 0, answer{err: limits.Invalid("Call.Number", c.number, "stands for another command, which was carried out")}, true
	case c.number == s.number:
		return i, answer{outcome: s.answer.outcome, err: s.answer.err}, true
	case c.number < s.number:
		return 0, answer{err: ErrSession}, true
	}
	return i, answer{}, false
}

// store keeps the answer to a call that was carried out. Of an answer that is too long, only ErrNoAnswer is kept.
func (t *sessionTable) store(i int32, c *call, a *answer) {
	if i == 0 {
		return
	}
	s := &t.slots[i]
	if s.answer == nil || s.age != t.age {
		s.answer, s.age = new(keptAnswer), t.age
	}
	s.number, s.command = c.number, hashOf(c.body)
	*s.answer = keptAnswer{a.outcome, a.err}
	weight := weigh(&a.outcome)
	if weight > maxKeptAnswer {
		*s.answer, weight = keptAnswer{err: ErrNoAnswer}, weigh(&desk.Outcome{})
	}
	t.bytes += weight - uint64(s.weight)
	s.weight = uint32(weight)
	t.touch(i)
}

// hashOf returns a hash of a command, by which find recognises another command under the same number. O(n) for n bytes.
func hashOf(command []byte) uint64 { return crc64.Checksum(command, commandTable) }

var commandTable = crc64.MakeTable(crc64.ECMA)
