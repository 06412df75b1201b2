package replicated

import (
	"encoding/binary"
	"slices"

	"github.com/hashicorp/raft"
)

// EncodePeer returns the address that Raft puts into the head of each message, with the desk ID behind it.
func (e *Lease) EncodePeer(id raft.ServerID, at raft.ServerAddress) []byte {
	return e.withGroup(e.Transport.EncodePeer(id, at))
}

func (e *Lease) withGroup(at []byte) []byte {
	desk := uint64(0)
	if e.group != nil {
		desk = e.group()
	}
	return binary.LittleEndian.AppendUint64(slices.Clip(at), desk)
}

// regrouped returns a request with the desk ID that the member has now. Raft makes a heartbeat once, perhaps before the
// ID is known, and sends the same one as long as it leads.
func (e *Lease) regrouped(q *raft.AppendEntriesRequest) *raft.AppendEntriesRequest {
	at, _ := splitGroup(q.Addr)
	now := *q
	now.Addr = e.withGroup(at)
	return &now
}

// DecodePeer returns the address without the desk ID.
func (e *Lease) DecodePeer(b []byte) raft.ServerAddress {
	at, _ := splitGroup(b)
	return e.Transport.DecodePeer(at)
}

// splitGroup splits the output of EncodePeer.
func splitGroup(b []byte) (at []byte, desk uint64) {
	n := len(b) - 8
	if n < 0 {
		return b, 0
	}
	return b[:n], binary.LittleEndian.Uint64(b[n:])
}
