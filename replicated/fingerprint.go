package replicated

import (
	"crypto/sha256"
	"sync"
)

// keptPrints is of how many marks a member remembers the fingerprints.
const keptPrints = 8

// fingerprints are sums of the state behind some entries. A goroutine makes one at a time from a clone: an entry with a mark
// that comes meanwhile has none here. Each voter puts its own into the log, and each member judges itself by those of the
// majority, so that a leader that has gone wrong stops, and nobody who has not:
//
//	entry 90, mark ──► clone ──► sum ──► ours ──────────────────────┐
//	                                                                ├─► as the majority has it, or the member stops
//	entry 97, 98, 99, reports{90, sum of a voter, its ID} ──────────┘
//
// A report may be carried out before the member has its own sum, and waits then.
type fingerprints struct {
	mu       sync.Mutex
	busy     bool
	ballots  []*ballot
	restored int // counts Restores: a sum of the state before one says nothing about that since
	doubt    *DivergedError
	stop     chan struct{}
	stopped  bool
	running  sync.WaitGroup
}

type fingerprint struct {
	index uint64
	sum   [32]byte
}

// ballot has the sums of the state behind an entry.
type ballot struct {
	index   uint64
	ours    *[32]byte // nil until it is made
	reports map[string][32]byte
	said    verdict
}

// verdict is what the sums of a ballot say about this member.
type verdict uint8

const (
	undecided verdict = iota
	inDoubt           // another voter has another sum, and no majority has the same
	asMost
	otherwise // the majority has another sum
)

// at returns the ballot for an entry, and forgets the oldest of too many.
func (p *fingerprints) at(index uint64) *ballot {
	for _, b := range p.ballots {
		if b.index == index {
			return b
		}
	}
	b := &ballot{index: index, reports: map[string][32]byte{}}
	p.ballots = append(p.ballots, b)
	if len(p.ballots) > keptPrints {
		p.ballots = p.ballots[1:]
	}
	return b
}

// judge returns the verdict by the reports of the voters so far, and a sum that another one has.
func (b *ballot) judge(voters []string) (is verdict, other [32]byte) {
	if b.ours == nil {
		return undecided, other
	}
	have := map[[32]byte]int{}
	for _, v := range voters {
		sum, ok := b.reports[v]
		if !ok {
			continue
		}
		have[sum]++
		switch {
		case 2*have[sum] > len(voters) && sum == *b.ours:
			return asMost, [32]byte{}
		case 2*have[sum] > len(voters):
			return otherwise, sum
		case sum != *b.ours:
			is, other = inDoubt, sum
		}
	}
	return is, other
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

// hash makes a fingerprint, and judges this member by it.
func (x *machine) hash(index uint64, m *image, restored int) {
	sum, err := m.fingerprint(x.prints.stop)
	p := &x.prints
	p.mu.Lock()
	p.busy = false
	if err != nil || restored != p.restored {
		p.mu.Unlock()
		return
	}
	b := p.at(index)
	b.ours = &sum
	p.mu.Unlock()
	if x.judge(b) == nil && x.on.hashed != nil {
		x.on.hashed(index, sum)
	}
}

// report notes the fingerprint that a member has behind an entry. The error is a DivergedError if the majority now has
// another one than this member.
func (x *machine) report(index uint64, sum [32]byte, member string) error {
	x.prints.mu.Lock()
	b := x.prints.at(index)
	if len(b.reports) < maxReports {
		b.reports[member] = sum
	}
	x.prints.mu.Unlock()
	return x.judge(b)
}

// maxReports is more than there are voters.
const maxReports = 100

// judge tells of a new verdict about this member, and fails if the majority has another state.
func (x *machine) judge(b *ballot) error {
	if x.on.voters == nil {
		return nil
	}
	voters := x.on.voters()
	p := &x.prints
	p.mu.Lock()
	is, other := b.judge(voters)
	if is == b.said || is == undecided {
		p.mu.Unlock()
		return nil
	}
	b.said = is
	err := &DivergedError{Index: b.index, Ours: *b.ours, Theirs: other}
	switch {
	case is == inDoubt:
		p.doubt = err
	case p.doubt != nil && p.doubt.Index <= b.index:
		p.doubt = nil
	}
	p.mu.Unlock()
	if x.on.compared != nil {
		x.on.compared(b.index, is == asMost)
	}
	if is != otherwise {
		return nil
	}
	x.fail(err)
	return err
}

// doubt returns the fingerprints of which nobody knows which are right; nil if there are none.
func (x *machine) doubt() error {
	x.prints.mu.Lock()
	defer x.prints.mu.Unlock()
	if x.prints.doubt == nil {
		return nil
	}
	return x.prints.doubt
}

// forget drops all fingerprints, also the one under way, since the state is another one.
func (p *fingerprints) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restored++
	p.ballots, p.doubt = nil, nil
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
