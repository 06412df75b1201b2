package replicated

import (
	"crypto/sha256"
	"sync"
)

// keptPrints is how many fingerprints, and how many of the leader's, a member remembers.
const keptPrints = 8

// fingerprints are sums of the state behind some entries. A goroutine makes one at a time from a clone: an entry with a mark
// that comes meanwhile has none here, and a compare with it is passed over.
//
//	entry 90, mark ──► clone ──► sum ──► ours[90] ──┐
//	                                                ├─► equal, or the member stops
//	entry 97, compare{90, sum of the leader} ───────┘
//
// A compare may be carried out before the member has its own sum, and waits in theirs then.
type fingerprints struct {
	mu           sync.Mutex
	busy         bool
	ours, theirs []fingerprint
	restored     int // counts Restores: a sum of the state before one says nothing about that since
	stop         chan struct{}
	stopped      bool
	running      sync.WaitGroup
}

type fingerprint struct {
	index uint64
	sum   [32]byte
}

// take returns the sum for an entry, and forgets it.
func take(list *[]fingerprint, index uint64) (sum [32]byte, ok bool) {
	for i, f := range *list {
		if f.index == index {
			*list = append((*list)[:i], (*list)[i+1:]...)
			return f.sum, true
		}
	}
	return sum, false
}

// note adds a sum, and forgets the oldest of too many.
func note(list *[]fingerprint, f fingerprint) {
	if len(*list) == keptPrints {
		*list = append((*list)[:0], (*list)[1:]...)
	}
	*list = append(*list, f)
}

// mark begins a fingerprint of the state behind the entry that was just carried out.
func (x *machine) mark(index uint64) {
	p := &x.prints
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy || p.stopped {
		return
	}
	p.busy = true
	m, restored := x.image(), p.restored
	p.running.Go(func() { x.hash(index, m, restored) })
}

// hash makes a fingerprint, and compares it with that of the leader if that is here already.
func (x *machine) hash(index uint64, m *image, restored int) {
	sum, err := m.fingerprint(x.prints.stop)
	p := &x.prints
	p.mu.Lock()
	p.busy = false
	if err != nil || restored != p.restored {
		p.mu.Unlock()
		return
	}
	theirs, waits := take(&p.theirs, index)
	note(&p.ours, fingerprint{index, sum})
	p.mu.Unlock()
	if waits {
		x.compared(index, sum, theirs)
	}
	if x.on.hashed != nil {
		x.on.hashed(index, sum)
	}
}

// compare compares the fingerprint of the leader behind an entry with that of this member. The error is a DivergedError.
func (x *machine) compare(index uint64, theirs [32]byte) error {
	p := &x.prints
	p.mu.Lock()
	ours, ok := take(&p.ours, index)
	if !ok && p.busy {
		note(&p.theirs, fingerprint{index, theirs})
	}
	p.mu.Unlock()
	if !ok {
		return nil
	}
	return x.compared(index, ours, theirs)
}

// compared tells of a comparison, and fails if it was in vain.
func (x *machine) compared(index uint64, ours, theirs [32]byte) error {
	equal := ours == theirs
	if x.on.compared != nil {
		x.on.compared(index, equal)
	}
	if equal {
		return nil
	}
	err := &DivergedError{Index: index, Ours: ours, Theirs: theirs}
	x.fail(err)
	return err
}

// forget drops all fingerprints, also the one under way, since the state is another one.
func (p *fingerprints) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restored++
	p.ours, p.theirs = nil, nil
}

// close ends the fingerprint under way, and waits for that.
func (p *fingerprints) close() {
	p.mu.Lock()
	if !p.stopped {
		p.stopped = true
		close(p.stop)
	}
	p.mu.Unlock()
	p.running.Wait()
}

// fingerprint returns the SHA-256 of the image without the texts of errors: they are for people, may differ from build
// to build, and nothing is decided by them. The error is errStopped once the channel is closed.
func (m *image) fingerprint(stop <-chan struct{}) (sum [32]byte, err error) {
	h := sha256.New()
	_, err = m.write(&stopper{h, stop}, false)
	return [32]byte(h.Sum(nil)), err
}
