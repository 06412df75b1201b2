// Package virtual is a cluster without machines: fake clientsets that keep resourceVersions as an API server does, a scheduler that
// binds pods without gates, and kubelets that end them. Time is the caller's. The demonstration runs on it, and so do tests.
//
//	store.go      the clientsets
//	machines.go   nodes, pods and reservations, made for a story
//	tick.go       what the scheduler and the kubelets do in a second
package virtual
