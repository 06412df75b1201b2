package peerlink

import (
	"encoding/binary"
	"slices"

	"github.com/hashicorp/raft"
)

// Each message of Raft names the group of its sender, a number of 8 bytes behind the sender's address:
//
//	127.0.0.1:7001 │ 8 bytes, little endian

// Sender returns the ID of the member that has sent a message, and the number of its group; 0 if the message names no
// group. ok is false for a message without a sender.
func Sender(rpc raft.RPC) (id string, group uint64, ok bool) {
	from, ok := rpc.Command.(raft.WithRPCHeader)
	if !ok {
		return "", 0, false
	}
	head := from.GetRPCHeader()
	_, group = splitGroup(head.Addr)
	return string(head.ID), group, true
}

// EncodePeer returns the address that Raft puts into the head of each message, with the number of the group behind it.
func (l *Lease) EncodePeer(id raft.ServerID, at raft.ServerAddress) []byte {
	return l.withGroup(l.Transport.EncodePeer(id, at))
}

func (l *Lease) withGroup(at []byte) []byte {
	return binary.LittleEndian.AppendUint64(slices.Clip(at), l.group())
}

// regrouped returns a request with the group that the member has now. Raft makes a heartbeat once, perhaps before the
// group is known, and sends the same one as long as it leads.
func (l *Lease) regrouped(q *raft.AppendEntriesRequest) *raft.AppendEntriesRequest {
	at, _ := splitGroup(q.Addr)
	now := *q
	now.Addr = l.withGroup(at)
	return &now
}

// DecodePeer returns the address without the group.
func (l *Lease) DecodePeer(b []byte) raft.ServerAddress {
	at, _ := splitGroup(b)
	return l.Transport.DecodePeer(at)
}

// splitGroup splits the output of EncodePeer.
func splitGroup(b []byte) (at []byte, group uint64) {
	n := len(b) - 8
	if n < 0 {
		return b, 0
	}
	return b[:n], binary.LittleEndian.Uint64(b[n:])
}
