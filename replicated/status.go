package replicated

import (
	"encoding/json"
	"math"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
)

// Status is the state of a member and its view of the others.
type Status struct {
	ID string
	// Desk is the ID of the desk. All members of the desk share it, and no other desk has it. "" while the member
	// knows none.
	Desk   string
	State  string // "leader", "follower", "candidate" or "shutdown"
	Leader Peer   // zero if no leader is known
	Term   uint64
	// Applied is the index of the last entry that was carried out here. Last is the index of the last entry in the
	// log here.
	Applied, Last uint64
	Peers         []Peer
	Full          bool // the disk has less room than Config.Reserve
	// Hangs is true while a write to the disk is late: it takes longer than 2 Config.Election, and 1 s at least.
	// Another member leads then, if there is one.
	Hangs bool
	// Sealed is true once commands are refused and a snapshot here has the sealed state. A member that lags still shows an earlier
	// seal until the Unseal arrives.
	Sealed bool
	// Doubt is an ErrDiverged while other members have another state and no state is that of a majority, so nobody
	// knows who is right. It is nil again once a majority has the same state.
	Doubt error
	// Err is why the member has stopped itself; nil if it has not.
	Err error
}

// bootstrapper is a member that has no state, and asks whether others have one. The zero bootstrapper is any other caller.
type bootstrapper struct {
	id  string
	run uint64
}

// stateless reports whether a member has no state. Entry 1 is the list of the first members; nothing is answered
// before it, so it is no state.
func (s *Status) stateless() bool { return s.Desk == "" && s.Last <= 1 }

// View is a state that was read. Its desk belongs to the caller, who may try out commands on it. But the slices that
// the desk returns must not be changed, as with any desk: the member shares them.
type View struct {
	*desk.Desk
	// Applied is the index of the last entry in the state.
	Applied uint64
}

// code codes a status: its fields in JSON, and then its errors.
func (s *Status) code(x *code.Coder) {
	var fields []byte
	err, doubt := s.Err, s.Doubt
	if !x.Reads() {
		plain := *s
		plain.Err, plain.Doubt = nil, nil
		var wrong error
		fields, wrong = json.Marshal(plain)
		x.Check(wrong)
	}
	x.Blob("status", &fields)
	codeError(x, &err)
	codeError(x, &doubt)
	if x.Reads() && x.OK() {
		x.Check(json.Unmarshal(fields, s))
		s.Err, s.Doubt = err, doubt
	}
}

func (b *bootstrapper) code(x *code.Coder) {
	x.Text("bootstrapper", &b.id)
	code.Uint(x, "run", &b.run, math.MaxUint64)
}
