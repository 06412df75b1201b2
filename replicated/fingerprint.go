package replicated

import (
	"crypto/sha256"
	"sync"
)

// keptPrints is how many marks a member remembers.
const keptPrints = 8

// fingerprints are sums of the state behind some entries. They show a member whose state differs from the others. A
// goroutine makes one sum at a time, from a clone; it skips marks that come meanwhile. Each voter puts its sum into
// the log, and each member compares its own sum with those of the majority. So a leader with a wrong state stops, and
// the others go on:
//
//	entry 90, mark ──► clone ──► sum ──► ours ──────────────────────┐
//	                                                                ├─► as the majority has it, or the member stops
//	entry 97, 98, 99, reports{90, sum of a voter, its ID} ──────────┘
//
// A report may be carried out before the member has its own sum. It waits for the sum then.
type fingerprints struct {
	mu       sync.Mutex
	busy     bool
	ballots  []*ballot
	restored int // counts Restores: a sum of the state before a Restore is not compared after it
	doubt    *divergedError
	stop     chan struct{}
	stopped  bool
	running  sync.WaitGroup
}

type fingerprint struct {
	index uint64
	sum   [32]byte
}

// ballot has the sums of the state behind one entry.
type ballot struct {
	index   uint64
	ours    *[32]byte // nil until the sum is made
	reports map[string][32]byte
	said    verdict
}

// verdict is the result of a ballot for this member.
type verdict uint8

const (
	undecided verdict = iota
	inDoubt           // another voter has another sum, and no sum has a majority
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

// compare compares the sum of this member with the reports of the voters so far. other is a sum that differs. If this
// member has the sum a, and the voters are 1, 2 and 3:
//
//	1  2  3
//	a  -  -   undecided
//	a  b  -   in doubt
//	a  b  a   as most
//	a  b  b   otherwise
func (b *ballot) compare(voters []string) (is verdict, other [32]byte) {
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

// mark starts a fingerprint of the state behind the entry that was just carried out.
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
	if x.checkVerdict(b) == nil && x.on.hashed != nil {
		x.on.hashed(index, sum)
	}
}

// report notes the fingerprint of a member behind an entry. The error is an ErrDiverged if the majority has another
// fingerprint than this member.
func (x *machine) report(index uint64, sum [32]byte, member string) error {
	x.prints.mu.Lock()
	b := x.prints.at(index)
	if len(b.reports) < maxReports {
		b.reports[member] = sum
	}
	x.prints.mu.Unlock()
	return x.checkVerdict(b)
}

// maxReports is more than there are voters: a report costs memory, whoever sends it.
const maxReports = 100

// checkVerdict tells the member of a new verdict. The machine fails if the majority has another state.
func (x *machine) checkVerdict(b *ballot) error {
	if x.on.voters == nil {
		return nil
	}
	voters := x.on.voters()
	p := &x.prints
	p.mu.Lock()
	is, other := b.compare(voters)
	if is == b.said || is == undecided {
		p.mu.Unlock()
		return nil
	}
	b.said = is
	err := &divergedError{Index: b.index, Ours: *b.ours, Theirs: other}
	switch {
	case is == inDoubt:
		p.doubt = err
	case p.doubt != nil && p.doubt.Index <= b.index: // an older ballot says nothing about a newer doubt
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

// doubt returns an ErrDiverged while this member is in doubt; nil otherwise.
func (x *machine) doubt() error {
	x.prints.mu.Lock()
	defer x.prints.mu.Unlock()
	if x.prints.doubt == nil {
		return nil
	}
	return x.prints.doubt
}

// forget drops all fingerprints, since the state is a different one now. A sum that is being made is dropped when it
// is done.
func (p *fingerprints) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restored++
	p.ballots, p.doubt = nil, nil
}

// close stops the fingerprint that is being made, and waits for its goroutine.
func (p *fingerprints) close() {
	p.mu.Lock()
	if !p.stopped {
		p.stopped = true
		close(p.stop)
	}
	p.mu.Unlock()
	p.running.Wait()
}

// fingerprint returns the SHA-256 of the image without the texts of errors: texts are for people, may differ from
// build to build, and decide nothing. The error is errStopped if stop is closed first.
func (m *image) fingerprint(stop <-chan struct{}) (sum [32]byte, err error) {
	h := sha256.New()
	_, err = m.write(&stopper{h, stop}, false)
	return [32]byte(h.Sum(nil)), err
}
