package replicated

import "time"

// backoff says when a failed act is tried again: after least, then after twice as long each time, up to most.
//
//	fails ── 1 s ── fails ── 2 s ── fails ── 4 s ── fails ── … ── 60 s ── fails ── 60 s ── …
type backoff struct {
	least, most time.Duration

	wait  time.Duration // before the next try; 0 after a success
	since time.Time     // the last failure
}

// isDue reports whether the act may be tried now.
func (b *backoff) isDue(now time.Time) bool { return now.Sub(b.since) >= b.wait }

// fail notes a failure, and doubles the wait.
func (b *backoff) fail(now time.Time) {
	b.wait = min(max(2*b.wait, b.least), b.most)
	b.since = now
}

// succeed ends the wait.
func (b *backoff) succeed() { b.wait = 0 }
