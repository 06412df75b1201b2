// Package peerlink connects the members of a Raft group. It knows no desk: a group is a number, and a call is bytes.
//
//	listener ─► Mux ─► raft.NetworkTransport ─► inbound filter ─► Raft ─► Lease ─► other members
//	             └───► frames ─► calls of the owner
//
// # Files
//
//	lease.go         the transport of Raft; it notes answers to heartbeats, from which a leader knows that it still leads
//	group.go         each message of Raft names its group, so the logs of two groups never merge
//	inbound.go       messages of Raft that a member refuses
//	pipeline.go      requests of Raft that do not wait for the reader of their answers
//	mux.go           one listener for Raft and for calls; it knows each connection
//	frame.go         each message of a call in a frame, with a sum
//	frame_sender.go  frames that are sent at the same time go out together
//	slow_conn.go     a connection may be slow, and is given up if it is silent
package peerlink
