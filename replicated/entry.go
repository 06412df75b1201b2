package replicated

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
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

const (
	entryLayout = 1
	// leastCall is the least number of bytes of a call: a forged count of calls must not reserve more room than the
	// bytes allow.
	leastCall = 4
)

// append appends the bytes of the entry to b. O(n) for n bytes.
func (e *entry) append(b []byte) []byte {
	from := len(b)
	b = append(b, entryLayout)
	b = binary.AppendUvarint(b, uint64(e.version))
	b = binary.AppendUvarint(b, uint64(e.now)+1)
	b = binary.AppendUvarint(b, uint64(e.jump)+1)
	b = binary.AppendUvarint(b, e.room)
	b = binary.AppendUvarint(b, e.memory)
	b = appendSettings(b, e.settings)
	b = binary.AppendUvarint(b, uint64(len(e.calls)))
	for i := range e.calls {
		c := &e.calls[i]
		b = append(b, byte(c.op))
		b = binary.AppendUvarint(b, uint64(c.session))
		b = binary.AppendUvarint(b, c.number)
		b = binary.AppendUvarint(b, uint64(len(c.body)))
		b = append(b, c.body...)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
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
	r := snapshot.Body("entry", body)
	r.Uint("layout", entryLayout)
	e := entry{
		version: uint32(r.Uint("version", math.MaxUint32)),
		now:     bookahead.Time(r.Uint("now", 1<<63) - 1),
		jump:    bookahead.Duration(r.Uint("jump", 1<<63) - 1),
		room:    r.Uint("room", math.MaxUint64),
		memory:  r.Uint("memory", math.MaxUint64),
		calls:   room,
	}
	e.settings = readSettings(r)
	n := r.Uint("calls", uint64(r.Left()/leastCall))
	for range n {
		e.calls = append(e.calls, call{
			op:      op(r.Uint("op", math.MaxInt8)),
			session: SessionID(r.Uint("session", math.MaxUint64)),
			number:  r.Uint("number", math.MaxUint64),
			body:    r.Bytes("body"),
		})
	}
	err = r.Close()
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
