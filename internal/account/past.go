package account

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/quota"
)

// Remember keeps uses that were charged, although their caller forgets them, as far as they still matter. Past yields them.
// O(u log n) for u uses.
func (x *Accounts) Remember(q *Rule, owner string, uses []quota.Use, now bookahead.Time) {
	since := q.Bounds.Since(now)
	of := q.Key(owner)
	was := x.toWrite(of)
	is := was
	for i := range uses {
		w := uses[i].Interval
		w.Start = max(w.Start, since)
		if !w.Empty() {
			is.past.Add(x.owner, w, uses[i].Amount)
		}
	}
	x.put(of, was, is)
}

// Past yields the use that Remember has kept, by owner, as far as it still matters to the rule: only owners who have some.
// O(a + k log k) for k of a accounts, and O(log n + p) for p pieces of each.
func (x *Accounts) Past(q *Rule, now bookahead.Time) iter.Seq2[string, []quota.Piece] {
	since := q.Bounds.Since(now)
	return func(yield func(string, []quota.Piece) bool) {
		for of, a := range x.of(q) {
			past := a.past.Pieces(since)
			if len(past) > 0 && !yield(of.Owner, past) {
				return
			}
		}
	}
}

// Restore opens an account with a past, as Past has yielded it. The error wraps bookahead.ErrInvalid if the rule has no such
// account, or if the pieces are not over by now, matter no more, or are not divided as Past divides them.
func (x *Accounts) Restore(q *Rule, owner string, past []quota.Piece, now bookahead.Time) error {
	if !q.mayHave(owner) {
		return limits.Invalid("owner", owner, "has no such account")
	}
	if len(past) == 0 {
		return limits.Invalid("past", len(past), "pieces are too few")
	}
	end := q.Bounds.Since(now)
	for i, p := range past {
		last := &past[max(0, i-1)]
		one := i > 0 && p.Start == end && p.Units == last.Units && p.More == last.More
		if p.Empty() || p.Start < end || p.End > now || p.Units < 0 || p.Units >= 1<<62 || p.Units == 0 && p.More == 0 || one {
			return limits.Invalid("past", p.Interval, "is no piece of the past")
		}
		end = p.End
	}
	x.open(q.Key(owner), past)
	return nil
}

// open opens an account with a past.
func (x *Accounts) open(of Key, past []quota.Piece) {
	was := x.toWrite(of)
	is := was
	for _, p := range past {
		is.use.AddPiece(x.owner, p)
		is.past.AddPiece(x.owner, p)
	}
	x.put(of, was, is)
}

// Sweep drops use that no longer matters to the rules in force. It does so after twice as many changes as it left accounts
// the last time, so that it adds a constant number of accounts to the cost of each change.
func (x *Accounts) Sweep(rules iter.Seq[*Rule], now bookahead.Time) {
	if x.changes < 2*x.left+64 {
		return
	}
	since := map[uint32]bookahead.Time{}
	for q := range rules {
		since[q.number] = q.Bounds.Since(now)
	}
	for of := range x.all.All() {
		was := x.toWrite(of)
		is := was
		is.use.Forget(x.owner, since[of.rule])
		is.past.Forget(x.owner, since[of.rule])
		x.put(of, was, is)
	}
	x.changes, x.left = 0, x.all.Len()
}
