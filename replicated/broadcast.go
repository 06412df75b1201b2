package replicated

import (
	"sync"
)

// broadcast wakes all who wait for the next change.
type broadcast struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that the next tell closes. Whoever waits for a condition calls wait before looking at it:
// otherwise a change between the look and the wait would be missed.
func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *broadcast) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// notify puts a token into a channel with room for one, unless there is one already.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
