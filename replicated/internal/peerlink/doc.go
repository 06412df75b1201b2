// Package peerlink connects the members of a Raft group. It knows no desk: a group is a number, and a call is bytes.
//
// # Files
//
//	lease.go     the transport of Raft; it notes answers to heartbeats, from which a leader knows that it still leads
//	group.go     each message of Raft names its group, so the logs of two groups never merge
//	inbound.go   messages of Raft that a member refuses
//	pipeline.go  requests of Raft that do not wait for the reader of their answers
package peerlink
