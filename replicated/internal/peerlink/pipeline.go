package peerlink

import (
	"sync"

	"github.com/hashicorp/raft"
)

// drainedPipeline is a pipeline with a queue for the answers.
//
// In Raft one goroutine sends requests to a peer, and another one reads the answers. The reader ends at a refusal,
// and at an answer of a later term. The sender notices that only between two requests. A raft.NetworkTransport has no
// room for an answer that nobody reads, so a request that has begun by then would never end:
//
//	sender   request 8 ── waits for room ──► pipeline ── answer 7 waits for the reader ──► reader, which has ended
//
// The peer would then get no entries although it hears the leader, and the shutdown of Raft would wait for the
// sender. The queue takes each answer at once. It stays short, since the reader does little for each answer.
type drainedPipeline struct {
	raft.AppendPipeline
	lease *Lease
	ready chan raft.AppendFuture
	ended chan struct{}
	once  sync.Once
}

// AppendEntriesPipeline opens a pipeline to a peer.
func (l *Lease) AppendEntriesPipeline(id raft.ServerID, to raft.ServerAddress) (raft.AppendPipeline, error) {
	err := l.quiet()
	if err != nil {
		return nil, err
	}
	p, err := l.Transport.AppendEntriesPipeline(id, to)
	if err != nil {
		return nil, err
	}
	d := &drainedPipeline{AppendPipeline: p, lease: l, ready: make(chan raft.AppendFuture), ended: make(chan struct{})}
	go d.run()
	return d, nil
}

// run moves answers from the pipeline to the queue, and from the queue to the reader, until Close.
func (d *drainedPipeline) run() {
	var queue []raft.AppendFuture
	for {
		var to chan raft.AppendFuture // nil while the queue is empty
		var first raft.AppendFuture
		if len(queue) > 0 {
			to, first = d.ready, queue[0]
		}
		select {
		case f := <-d.AppendPipeline.Consumer():
			queue = append(queue, f)
		case to <- first:
			queue = queue[1:]
		case <-d.ended:
			return
		}
	}
}

// AppendEntries sends entries, or none, which is a heartbeat too.
func (d *drainedPipeline) AppendEntries(q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) (raft.AppendFuture, error) {
	err := d.lease.quiet()
	if err != nil {
		return nil, err
	}
	return d.AppendPipeline.AppendEntries(q, a)
}

// Consumer returns the channel of the answers, in the order of the requests.
func (d *drainedPipeline) Consumer() <-chan raft.AppendFuture { return d.ready }

// Close ends the pipeline and its requests.
func (d *drainedPipeline) Close() error {
	d.once.Do(func() { close(d.ended) })
	return d.AppendPipeline.Close()
}
