package replicated

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Version is that of the entries that this code writes, and carries out. It rises whenever some command may be decided
// otherwise than before, so that all members decide alike.
const Version = 1

// SessionID is the number of a session, which no other ever has.
type SessionID uint64

// Call is a command that is carried out once, however often it is sent: by its session, and its number there.
type Call struct {
	Session SessionID
	// Number counts the calls of the session from 1. A session has one call under way at a time: a call is sent again
	// until it is answered, and then the next one comes.
	Number  uint64
	Command desk.Command
}

// entry is the data of an entry of the Raft log. Its bytes end with a sum of all before it.
type entry struct {
	version uint32
	now     bookahead.Time     // of the leader's clock; -1 if there is none
	jump    bookahead.Duration // MaxJump in ticks; -1 if the jump is confirmed
	room    uint64             // Config.Sessions of the leader
	calls   []call
}

// op says what a call does.
type op uint8

const (
	doCommand op = 1 + iota // body: a desk.Command, in binary
	openSession
	mark    // takes a fingerprint of the state behind this entry
	compare // body: the index of an entry with a mark, 8 bytes, and the leader's fingerprint there, 32
	seal    // all members take a snapshot, and refuse commands from then on
	unseal
)

// call is one of those that share an entry.
type call struct {
	op      op
	session SessionID // 0 for a call that is sent once
	number  uint64
	body    []byte
}

// answer is what came of a call.
type answer struct {
	outcome desk.Outcome
	session SessionID // that was opened
	err     error
}
