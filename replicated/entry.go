package replicated

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Version is that of the entries that this code writes, and carries out. It rises whenever some command may be decided
// otherwise than before, so that all members decide alike.
const Version = 1

// SessionID is the number of a session. It is drawn at random, so that no other has it, also after a backup was restored.
type SessionID uint64

// Call is a command that is carried out once, however often it is sent: by its session, and its number there.
type Call struct {
	Session SessionID
	// Number is greater than that of each call before, and at least 1. A session has one call under way at a time: a call is
	// sent again until it is answered or given up, and then the next one comes. Once a later one was carried out, an
	// earlier one never is.
	Number  uint64
	Command desk.Command
}

// entry is the data of an entry of the Raft log. Its bytes end with a sum of all before it:
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
// There is one way to write an entry. A version that needs other fields raises the layout, and goes on reading this one:
// it looks for an unseal in the entries of the version before.
type entry struct {
	version uint32
	now     bookahead.Time     // of the leader's clock; -1 if there is none
	jump    bookahead.Duration // MaxJump in ticks; -1 if the jump is confirmed
	room    uint64             // Config.Sessions of the leader
	memory  uint64             // Config.AnswerBytes of the leader
	// settings of the leader on which all members must agree: in its first entries, and beside an unseal
	settings []setting
	calls    []call
}

// op says what a call does.
type op uint8

const (
	doCommand   op = 1 + iota // body: a desk.Command, in binary
	openSession               // session: its ID, which the leader has drawn
	mark                      // takes a fingerprint of the state behind this entry
	report                    // body: the index of an entry with a mark, 8 bytes, a fingerprint there, 32, and the ID of its member
	seal                      // all members take a snapshot, and refuse commands from then on
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

const (
	entryLayout = 1
	// leastCall is how many bytes a call takes at least, so that a forged count makes no room for more.
	leastCall = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// append appends the bytes of the entry. O(n) for n bytes.
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

// openEntry returns the bytes of an entry without its sum, which it checks.
func openEntry(data []byte) ([]byte, error) {
	if len(data) <= crc32.Size {
		return nil, fmt.Errorf("its %d bytes are too few", len(data))
	}
	body := data[:len(data)-crc32.Size]
	sum, want := binary.LittleEndian.Uint32(data[len(body):]), crc32.Checksum(body, castagnoli)
	if sum != want {
		return nil, fmt.Errorf("its sum is %08x, and that of its %d bytes %08x", sum, len(body), want)
	}
	return body, nil
}

// readEntry reads the output of append. The bodies of the calls are part of data, and the calls are put into room, as
// append puts them. An entry of another version is read as far as the layout is the same: its ops may be unknown.
// The error wraps ErrVersion if the layout is a later one, and else ErrDamaged. O(n) for n bytes.
func readEntry(data []byte, room []call) (entry, error) {
	body, err := openEntry(data)
	if err != nil {
		return entry{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if body[0] > entryLayout {
		return entry{}, fmt.Errorf("%w: the layout %d is a later one than %d: this binary is too old", ErrVersion, body[0], entryLayout)
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
		err = fmt.Errorf("the layout %d is none", body[0])
	}
	if err != nil {
		return entry{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return e, nil
}

// has reports whether a call of the entry does something.
func (e *entry) has(what op) bool {
	for i := range e.calls {
		if e.calls[i].op == what {
			return true
		}
	}
	return false
}
