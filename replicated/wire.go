package replicated

import (
	"fmt"
	"math"
	"time"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
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

func (q *request) code(x *code.Coder) {
	left := uint64(max(q.left, 0) / time.Microsecond)
	code.Uint(x, "time left", &left, math.MaxInt64/uint64(time.Microsecond))
	code.Uint(x, "desk", &q.desk, math.MaxUint64)
	if x.Reads() {
		q.left = time.Duration(left) * time.Microsecond
	}
}

// codeAsked codes a call that one member may send to another. A reader refuses calls that only a leader makes.
func (c *call) codeAsked(x *code.Coder) {
	c.code(x)
	if !x.Reads() {
		return
	}
	switch c.op {
	case doCommand:
		_, err := desk.UnmarshalCommand(c.body)
		x.Check(err)
	case openSession, seal, unseal, report:
	default:
		x.Fail("op", c.op, "is not a call that members take from others")
	}
}

// encode returns an answer without an error as bytes. The outcome reaches to their end.
func (a *answer) encode() ([]byte, error) {
	x := code.NewWriter(nil)
	code.Uint(x, "session", &a.session, math.MaxUint64)
	out, err := a.outcome.MarshalBinary()
	return append(x.Bytes(), out...), err
}

func decodeAnswer(data []byte) (a answer, err error) {
	x := code.NewReader("answer", data)
	code.Uint(x, "session", &a.session, math.MaxUint64)
	err = x.Err()
	if err == nil {
		err = a.outcome.UnmarshalBinary(data[x.At():])
	}
	return a, err
}

func (p *Peer) code(x *code.Coder) {
	x.Text("ID", &p.ID)
	x.Text("address", &p.Address)
	watches := x.Has("watches", p.Watches)
	if x.Reads() {
		p.Watches = watches
	}
}

func codeIndex(x *code.Coder, index *uint64) { code.Uint(x, "index", index, math.MaxUint64) }

// encode returns the bytes of some fields.
func encode(fields func(*code.Coder)) ([]byte, error) {
	x := code.NewWriter(nil)
	fields(x)
	return x.Bytes(), x.Err()
}

// decode reads the output of encode.
func decode(name string, data []byte, fields func(*code.Coder)) error {
	x := code.NewReader(name, data)
	fields(x)
	return x.Close()
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
