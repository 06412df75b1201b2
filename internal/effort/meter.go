// Package effort counts the steps of a search, and says when it must stop.
package effort

import (
	"context"
	"fmt"

	"github.com/bookahead/bookahead"
)

// Chunk is the most steps that Go may be asked for at once. A pass over a longer list asks again
// after each chunk:
//
//	for i := range list {
//		if i%effort.Chunk == 0 && !m.Go(min(effort.Chunk, len(list)-i)) {
//			return
//		}
//		...
//	}
const Chunk = 512

// interval is how many steps may be made between two looks at the context. With a chunk
// that was granted before the context ended, at most interval + Chunk = 1 024 follow its end.
const interval = 512

// Meter counts the steps of one search. New makes one; the zero value allows none.
type Meter struct {
	steps int64 // granted so far
	next  int64 // steps up to here are granted without a look; -1 once stopped
	most  int64
	ctx   context.Context
	done  <-chan struct{}
}

// New returns a meter that has granted nothing yet. The error wraps bookahead.ErrInvalid.
func New(e bookahead.Effort) (Meter, error) {
	err := e.Validate()
	if err != nil {
		return Meter{}, err
	}
	m := Meter{most: e.Steps, ctx: e.Context}
	if m.most == 0 {
		m.most = bookahead.DefaultSteps
	}
	if m.ctx != nil {
		m.done = m.ctx.Done()
	}
	return m, nil
}

// Go asks for n more steps, from 0 to Chunk, and reports whether the search may make them. Once
// Go has refused, it refuses for ever.
func (m *Meter) Go(n int) bool {
	m.steps += int64(n)
	if m.steps <= m.next {
		return true
	}
	return m.look(int64(n))
}

// look is the slow part of Go: it looks at the context and at the limit. It is not inlined, so
// that Go can be.
//
//go:noinline
func (m *Meter) look(n int64) bool {
	before := m.steps - n
	stopped := m.next < 0 || n > m.most-before
	select {
	case <-m.done:
		stopped = true
	default:
	}
	if stopped {
		m.steps, m.next = before, -1
		return false
	}
	m.next = m.most
	if m.done != nil {
		m.next = before + min(interval, m.most-before)
	}
	return true
}

// Spend is Go for work that cannot be divided, and may be of more steps than Chunk. n is not negative.
func (m *Meter) Spend(n int64) bool {
	if n > m.Left() {
		m.next = -1
		return false
	}
	m.steps += n
	return m.steps <= m.next || m.look(n)
}

// Part returns a meter for a part of the search: of at most n steps, and of no more than m allows. Add
// counts them once the part is over.
func (m *Meter) Part(n int64) Meter {
	p := Meter{most: max(0, min(n, m.Left())), ctx: m.ctx, done: m.done}
	if m.Stopped() {
		p.next = -1
	}
	return p
}

// Add counts the steps of a part. That a part has stopped does not stop m.
func (m *Meter) Add(p *Meter) { m.steps += p.steps }

// Rest returns the Effort for the rest of the search, whose steps are as long as n steps of m. At least n
// steps are left.
func (m *Meter) Rest(n int64) bookahead.Effort {
	return bookahead.Effort{Context: m.ctx, Steps: m.Left() / n}
}

// Stopped reports whether Go has refused steps.
func (m *Meter) Stopped() bool { return m.next < 0 }

// Steps returns how many steps were granted.
func (m *Meter) Steps() int64 { return m.steps }

// Left returns how many steps the limit still allows.
func (m *Meter) Left() int64 { return m.most - m.steps }

// Err returns the error of a search that was stopped: bookahead.ErrStopped, with the cause of the
// context if the context is done.
func (m *Meter) Err() error {
	if m.ctx != nil && m.ctx.Err() != nil {
		return fmt.Errorf("%w: %w", bookahead.ErrStopped, context.Cause(m.ctx))
	}
	return bookahead.ErrStopped
}
