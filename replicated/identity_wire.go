package replicated

import (
	"encoding/binary"
	"slices"

	"github.com/hashicorp/raft"
)

// EncodePeer returns the address that Raft puts into the head of each message, with the desk ID behind it.
func (e *ears) EncodePeer(id raft.ServerID, at raft.ServerAddress) []byte {
	return e.withDesk(e.Transport.EncodePeer(id, at))
}

func (e *ears) withDesk(at []byte) []byte {
	desk := uint64(0)
	if e.desk != nil {
		desk = e.desk()
	}
	return binary.LittleEndian.AppendUint64(slices.Clip(at), desk)
}

// named returns a request with the desk ID that the member has now. Raft makes a heartbeat once, perhaps before the
// ID is known, and sends the same one as long as it leads.
func (e *ears) named(q *raft.AppendEntriesRequest) *raft.AppendEntriesRequest {
	at, _ := splitPeer(q.Addr)
	now := *q
	now.Addr = e.withDesk(at)
	return &now
}

// DecodePeer returns the address without the desk ID.
func (e *ears) DecodePeer(b []byte) raft.ServerAddress {
	at, _ := splitPeer(b)
	return e.Transport.DecodePeer(at)
}

// splitPeer splits the output of EncodePeer.
func splitPeer(b []byte) (at []byte, desk uint64) {
	n := len(b) - 8
	if n < 0 {
		return b, 0
	}
	return b[:n], binary.LittleEndian.Uint64(b[n:])
}
