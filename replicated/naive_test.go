package replicated

import (
	"errors"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// naive is a simple model of a machine. It has no log, no snapshots and no ring: it feeds a desk directly, and keeps
// its sessions in a list, in the order of their use.
type naive struct {
	desk     *desk.Desk
	sessions []*naiveSession // in the order of their use
	clocked  bool
	sealed   bool
}

type naiveSession struct {
	id     SessionID
	number uint64 // of the last call
	body   []byte // of the last call
	answer answer // to the last call
}

func newNaive() *naive {
	d, err := desk.New(desk.Config{Keep: 7})
	if err != nil {
		panic(err)
	}
	return &naive{desk: d}
}

// take carries an entry out, and returns the answers.
func (n *naive) take(e entry) []answer {
	var refused error
	if n.sealed {
		refused = ErrSealed
	} else {
		n.forget(e)
		refused = n.advance(e)
	}
	if len(e.calls) == 0 {
		return []answer{{err: refused}}
	}
	var out []answer
	for _, c := range e.calls {
		out = append(out, n.call(e, c, refused))
		switch c.op {
		case seal:
			n.sealed, refused = true, ErrSealed
		case unseal:
			if n.sealed {
				n.sealed = false
				_ = n.advance(e)
			}
		}
	}
	return out
}

// forget forgets sessions, from the front of the list.
func (n *naive) forget(e entry) {
	for uint64(len(n.sessions)) > e.room || n.memory() > e.memory {
		n.sessions = n.sessions[1:]
	}
}

// memory returns the weight of all answers together.
func (n *naive) memory() (sum uint64) {
	for _, s := range n.sessions {
		if s.number > 0 {
			sum += weigh(&s.answer.outcome)
		}
	}
	return sum
}

func (n *naive) advance(e entry) error {
	ahead := e.now - n.desk.Now()
	if ahead <= 0 {
		return nil
	}
	if n.clocked && e.jump != -1 && bookahead.Duration(ahead) > e.jump {
		return &JumpError{n.desk.Now(), e.now}
	}
	_, err := n.desk.Do(desk.Advance{Now: e.now})
	n.clocked = n.clocked || err == nil
	return err
}

func (n *naive) call(e entry, c call, refused error) answer {
	switch c.op {
	case openSession:
		if refused != nil {
			return answer{err: refused}
		}
		if c.session == 0 || slices.ContainsFunc(n.sessions, func(s *naiveSession) bool { return s.id == c.session }) {
			return answer{err: bookahead.ErrInvalid}
		}
		n.sessions = append(n.sessions, &naiveSession{id: c.session})
		n.forget(e)
		return answer{session: c.session}
	case doCommand:
		return n.command(e, c, refused)
	case mark, seal, unseal:
		return answer{}
	}
	return answer{err: bookahead.ErrInvalid} // the draw makes reports without a body
}

func (n *naive) command(e entry, c call, refused error) answer {
	at := slices.IndexFunc(n.sessions, func(s *naiveSession) bool { return s.id == c.session })
	if c.session != 0 {
		if at < 0 {
			return answer{err: ErrSession}
		}
		s := n.sessions[at]
		switch {
		case c.number == 0:
			return answer{err: bookahead.ErrInvalid}
		case c.number < s.number:
			return answer{err: ErrSession}
		case c.number == s.number && string(c.body) != string(s.body):
			return answer{err: bookahead.ErrInvalid}
		case c.number == s.number:
			if refused == nil {
				n.use(at)
			}
			return s.answer
		}
	}
	if refused != nil {
		return answer{err: refused}
	}
	var a answer
	command, err := desk.UnmarshalCommand(c.body)
	switch {
	case err != nil:
		a.err = err
	case e.now >= 0 && moves(command):
		a.err = bookahead.ErrInvalid
	default:
		a.outcome, a.err = n.desk.Do(command)
	}
	if c.session != 0 {
		n.sessions[at].number, n.sessions[at].body, n.sessions[at].answer = c.number, c.body, a
		n.use(at)
	}
	n.forget(e)
	return a
}

// moves reports whether a command moves the clock.
func moves(c desk.Command) bool {
	b, batch := c.(desk.Batch)
	_, moves := c.(desk.Advance)
	return moves || batch && slices.ContainsFunc(b.Commands, func(c desk.Command) bool {
		_, moves := c.(desk.Advance)
		return moves
	})
}

func (n *naive) use(at int) {
	s := n.sessions[at]
	n.sessions = append(slices.Delete(n.sessions, at, at+1), s)
}

// alike reports whether two answers are equal for a caller.
func alike(a, b answer) bool {
	if a.session != b.session || (a.err == nil) != (b.err == nil) {
		return false
	}
	for _, err := range portableErrors {
		if errors.Is(a.err, err) != errors.Is(b.err, err) {
			return false
		}
	}
	one, err := a.outcome.MarshalBinary()
	other, failed := b.outcome.MarshalBinary()
	return err == nil && failed == nil && string(one) == string(other)
}
