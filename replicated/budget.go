package replicated

import (
	"slices"
	"sync"
)

// budget is an amount, of bytes or of things, that goroutines share. Those who find too little left wait in their order, so
// that one who needs much is not passed for ever by those who need little.
type budget struct {
	mu      sync.Mutex
	left    int
	waiting []*share
}

// share is a part of a budget that somebody waits for.
type share struct {
	need int
	got  chan struct{} // is closed when it is there
}

func newBudget(of int) *budget { return &budget{left: of} }

// try takes a share if it is there at once.
func (b *budget) try(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) > 0 || b.left < n {
		return false
	}
	b.left -= n
	return true
}

// take waits for a share, which is at most the whole. It reports false if one of two channels, which may be nil, is closed
// before.
func (b *budget) take(n int, end, orEnd <-chan struct{}) bool {
	if b.try(n) {
		return true
	}
	s := &share{n, make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, s)
	b.serve()
	b.mu.Unlock()
	select {
	case <-s.got:
		return true
	case <-end:
	case <-orEnd:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, s)
	if i < 0 {
		return true // it came meanwhile
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.serve() // those behind it may need less
	return false
}

// give gives a share back.
func (b *budget) give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
	b.serve()
}

// serve hands shares to the first who wait.
func (b *budget) serve() {
	n := 0
	for n < len(b.waiting) && b.waiting[n].need <= b.left {
		b.left -= b.waiting[n].need
		close(b.waiting[n].got)
		n++
	}
	b.waiting = slices.Delete(b.waiting, 0, n)
}
