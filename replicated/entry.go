package replicated

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
)

// Version is the version of the entries that this code writes and carries out. All members must decide alike, so
// Version rises whenever some command may be decided otherwise than before, also when a command does not panic any more.
const Version = 1

// SessionID is the ID of a session. It is drawn at random. So no other session has the same ID, not even one that was
// opened after a backup was restored.
type SessionID uint64

// Call is a command that is carried out once, however often it is sent: its session and its number show repetitions.
type Call struct {
	Session SessionID
	// Number is at least 1, and greater than the number of each earlier call of the session. A session has one call
	// under way at a time. The call is sent again until it is answered or given up; then the next call comes. Once a
	// call was carried out, no call with a lower number ever will be.
	Number  uint64
	Command desk.Command
}

// check returns an error that wraps bookahead.ErrInvalid if the call has no session or no number.
func (c *Call) check() error {
	switch {
	case c.Session == 0:
		return limits.Invalid("Call.Session", 0, "is no session: NewSession opens one")
	case c.Number == 0:
		return limits.Invalid("Call.Number", 0, "is no number: calls are numbered from 1")
	}
	return nil
}

// entry is the data of an entry of the Raft log. A sum of all bytes before it ends the bytes:
//
//	layout    1 byte: entryLayout, the same for many versions
//	version   varint
//	now       varint, one more than the tick, so that "none" is 0
//	jump      varint, one more, too
//	room      varint
//	memory    varint
//	settings  how many, and the field and value of each; none in most entries
//	calls     how many, and for each its op, session and number, and its body with the length before it
//	sum       CRC-32C, 4 bytes, little endian
//
// An entry has only one form as bytes. A version that needs other fields raises the layout, and still reads this one:
// it looks for an unseal in the entries of the version before.
type entry struct {
	version uint32
	now     bookahead.Time     // the clock of the leader; -1 if it has none
	jump    bookahead.Duration // MaxJump of the leader in ticks; -1 if an operator has confirmed the clock
	room    uint64             // Config.Sessions of the leader
	memory  uint64             // Config.AnswerBytes of the leader
	// settings are the settings of the leader on which all members must agree. The first entries have them, and an
	// entry with an unseal.
	settings []setting
	calls    []call
}

// op is the act of a call.
type op uint8

const (
	doCommand   op = 1 + iota // body: a desk.Command, in binary
	openSession               // session: the ID that the leader has drawn
	mark                      // the members take a fingerprint of the state behind this entry
	report                    // body: the index of an entry with a mark, 8 bytes; a fingerprint behind that entry, 32; the ID of its member
	seal                      // the members take a snapshot, and refuse commands from then on
	unseal
)

// call is one of the calls that share an entry.
type call struct {
	op      op
	session SessionID // 0 for a call that remembers no answer
	number  uint64
	body    []byte
}

// answer is the result of a call.
type answer struct {
	outcome desk.Outcome
	session SessionID // the session that an openSession has opened
	err     error
}

const entryLayout = 1

// append appends the bytes of the entry to b. O(n) for n bytes.
func (e *entry) append(b []byte) []byte {
	from := len(b)
	x := code.NewWriter(append(b, entryLayout))
	e.code(x)
	b = x.Bytes()
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// code codes the fields between the layout and the sum.
func (e *entry) code(x *code.Coder) {
	now, jump := uint64(e.now)+1, uint64(e.jump)+1
	code.Uint(x, "version", &e.version, math.MaxUint32)
	code.Uint(x, "now", &now, 1<<63)
	code.Uint(x, "jump", &jump, 1<<63)
	code.Uint(x, "room", &e.room, math.MaxUint64)
	code.Uint(x, "memory", &e.memory, math.MaxUint64)
	code.List(x, "settings", &e.settings, (*setting).code)
	code.List(x, "calls", &e.calls, (*call).code)
	if x.Reads() {
		e.now, e.jump = bookahead.Time(now-1), bookahead.Duration(jump-1)
	}
}

// code codes a call. A body that is read is a part of the reader's bytes.
func (c *call) code(x *code.Coder) {
	code.Uint(x, "op", &c.op, math.MaxInt8)
	code.Uint(x, "session", &c.session, math.MaxUint64)
	code.Uint(x, "number", &c.number, math.MaxUint64)
	x.Blob("body", &c.body)
}

// openEntry checks the sum of an entry, and returns the bytes before the sum.
func openEntry(data []byte) ([]byte, error) {
	if len(data) <= crc32.Size {
		return nil, fmt.Errorf("its %d bytes are too few", len(data))
	}
	body := data[:len(data)-crc32.Size]
	sum, want := binary.LittleEndian.Uint32(data[len(body):]), crc32.Checksum(body, castagnoli)
	if sum != want {
		return nil, fmt.Errorf("its sum is %08x, and its %d bytes have the sum %08x", sum, len(body), want)
	}
	return body, nil
}

// readEntry reads the output of append. The bodies of the calls are parts of data. The calls are appended to room. An
// entry of another version is read if its layout is the same; its ops may be unknown. The error wraps ErrVersion if
// the layout is a later one, and ErrDamaged otherwise. O(n) for n bytes.
func readEntry(data []byte, room []call) (entry, error) {
	body, err := openEntry(data)
	if err != nil {
		return entry{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if body[0] > entryLayout {
		return entry{}, fmt.Errorf("%w: layout %d is newer than %d: this binary is too old", ErrVersion, body[0], entryLayout)
	}
	e := entry{calls: room}
	x := code.NewReader("entry", body[1:])
	e.code(x)
	err = x.Close()
	if err == nil && body[0] != entryLayout {
		err = fmt.Errorf("layout %d is unknown", body[0])
	}
	if err != nil {
		return entry{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return e, nil
}

// has reports whether the entry has a call with this op.
func (e *entry) has(what op) bool {
	for i := range e.calls {
		if e.calls[i].op == what {
			return true
		}
	}
	return false
}
