package replicated

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

const (
	// commandBytes is how long a command may be; a desk.Batch of 1 024 usual bookings has 40 KiB. An entry has at
	// most one command of this length. Raft keeps the last 128 entries in memory, and sends up to 64 at once, so the
	// bound limits both.
	commandBytes = 1 << 20
	// maxRequest is the most bytes of a request: a command and a few fields.
	maxRequest = commandBytes + 1<<10
	// maxAnswer is the most bytes of an answer. An answer may be a whole desk, or the events of an Advance by years.
	maxAnswer = 1 << 30
)

// callsVersion is the version of the calls between members. Each side of a connection sends its version first; the
// connection ends if they differ.
const callsVersion byte = 2

// Requests. No kind of frame ever changes its number.
const (
	askCarryOut peerlink.Kind = 1 + iota // body: a call; the answer: an answer
	askIndex                             // the answer: an index
	askAdd                               // body: a peer
	askRemove                            // body: an ID
	askTransfer                          // body: an ID
	askClock                             // body: a time
	askStatus                            // body: a bootstrapper; the answer: a Status
	askDesk                              // body: a freshness; the answer: an index, and a desk as desk.WriteTo writes it
)

// isQuestion reports whether a request is a question, which carries nothing out.
func isQuestion(k peerlink.Kind) bool { return k == askIndex || k == askStatus || k == askDesk }

// Frames that are no requests.
const (
	ping     peerlink.Kind = 64 + iota // the peer answers with pong
	pong                               // no body
	cancel                             // the caller no longer waits for the answer to the request with this ID
	replied                            // body: the answer, by the kind of the request
	declined                           // body: an error
	busy                               // no body: the request is not carried out, since too many are under way
)

// request is the beginning of each request body.
type request struct {
	left time.Duration // how long the caller waits, in microseconds; 0 is no limit
	desk uint64        // the desk ID that the caller knows; 0 for a client, and while a member knows none
}

func (q request) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(max(q.left, 0)/time.Microsecond))
	return binary.AppendUvarint(b, q.desk)
}

func readRequest(r *snapshot.Reader) request {
	left := time.Duration(r.Uint("time left", math.MaxInt64/uint64(time.Microsecond))) * time.Microsecond
	return request{left: left, desk: r.Uint("desk", math.MaxUint64)}
}

func (c *call) appendWire(b []byte) []byte {
	b = append(b, byte(c.op))
	b = binary.AppendUvarint(b, uint64(c.session))
	b = binary.AppendUvarint(b, c.number)
	return appendText(b, string(c.body))
}

// readWireCall reads a call that one member may send to another. It refuses calls that only a leader makes.
func readWireCall(r *snapshot.Reader) call {
	c := call{
		op:      op(r.Uint("op", math.MaxUint8)),
		session: SessionID(r.Uint("session", math.MaxUint64)),
		number:  r.Uint("number", math.MaxUint64),
		body:    r.Bytes("command"),
	}
	switch c.op {
	case doCommand:
		_, err := desk.UnmarshalCommand(c.body)
		r.Check(err)
	case openSession, seal, unseal, report:
	default:
		r.Fail("op", c.op, "is not a call that members take from others")
	}
	return c
}

// appendWire appends an answer without an error.
func (a *answer) appendWire(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(a.session))
	out, err := a.outcome.MarshalBinary()
	return append(b, out...), err
}

func readWireAnswer(data []byte) (answer, error) {
	r := snapshot.Body("answer", data)
	a := answer{session: SessionID(r.Uint("session", math.MaxUint64))}
	if r.Err() != nil {
		return answer{}, r.Err()
	}
	err := a.outcome.UnmarshalBinary(data[r.At():])
	return a, err
}

func (p *Peer) appendWire(b []byte) []byte {
	b = appendText(b, p.ID)
	b = appendText(b, p.Address)
	if p.Watches {
		return append(b, 1)
	}
	return append(b, 0)
}

func readWirePeer(r *snapshot.Reader) Peer {
	return Peer{ID: string(r.Bytes("ID")), Address: string(r.Bytes("address")), Watches: r.Uint("watches", 1) == 1}
}

func appendWireTime(b []byte, t bookahead.Time) []byte { return binary.AppendVarint(b, int64(t)) }

func readWireTime(r *snapshot.Reader) bookahead.Time { return bookahead.Time(r.Int("time")) }

func appendIndex(b []byte, index uint64) []byte { return binary.AppendUvarint(b, index) }

func readIndexAnswer(data []byte) (uint64, error) {
	r := snapshot.Body("answer", data)
	index := r.Uint("index", math.MaxUint64)
	return index, r.Close()
}

// encodeCommand returns a command as bytes. It refuses nil, and a command that is too long.
func encodeCommand(c desk.Command) ([]byte, error) {
	err := limits.CheckNil("command", c)
	if err != nil {
		return nil, err
	}
	body, err := desk.MarshalCommand(c)
	if err == nil && len(body) > commandBytes {
		err = limits.Invalid("command", len(body), fmt.Sprintf("bytes are more than %d", commandBytes))
	}
	return body, err
}
