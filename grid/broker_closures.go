package grid

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/limits"
)

// closings are the closures and extensions that a Broker has passed on to its providers. The provider
// keeps the closure itself, and others may have ended it there.
type closings struct {
	last bookahead.ClosureID
	live []closing // by ID
}

// closing is a closure or an extension that was passed on.
type closing struct {
	id       bookahead.ClosureID
	provider int
	own      bookahead.ClosureID // its ID at the provider
	end      bookahead.Time      // it is over by this time
}

func (x *closings) add(k int, c bookahead.Closure) bookahead.ClosureID {
	x.last++
	x.live = append(x.live, closing{x.last, k, c.ID, c.End})
	return x.last
}

func (x *closings) find(id bookahead.ClosureID) (int, bool) {
	return slices.BinarySearchFunc(x.live, id, func(c closing, id bookahead.ClosureID) int { return cmp.Compare(c.id, id) })
}

// forget drops the closings that are over by now. O(c).
func (x *closings) forget(now bookahead.Time) {
	x.live = slices.DeleteFunc(x.live, func(c closing) bool { return c.end <= now })
}

func (x *closings) clone() closings { return closings{x.last, slices.Clone(x.live)} }

// verify checks that the IDs ascend, that no closing is over, and that no two are one closure of a
// provider.
func (x *closings) verify(providers int, now bookahead.Time) error {
	before := bookahead.ClosureID(0)
	seen := map[Place]bool{}
	for _, c := range x.live {
		at := Place{c.provider, bookahead.ID(c.own)}
		if c.id <= before || c.id > x.last || c.provider < 0 || c.provider >= providers || c.end <= now || seen[at] {
			return fmt.Errorf("grid: at %d, closure %d of %d, behind %d, is %d of provider %d, and over at %d", now, c.id, x.last, before, c.own, c.provider, c.end)
		}
		before, seen[at] = c.id, true
	}
	return nil
}

// Close implements bookahead.Closable: it passes the closure on to a provider, which must be a
// bookahead.Closable. All servers must be of one provider. To close units, the Broker must have only
// one provider; otherwise use CloseAt. The error wraps bookahead.ErrInvalid. It takes a Close of the
// provider.
func (b *Broker) Close(c bookahead.Closure) (bookahead.Closure, error) {
	k := 0
	switch {
	case b.limits.Servers > 0:
		list, err := checkNamed(c, b.limits.Servers)
		if err != nil {
			return bookahead.Closure{}, err
		}
		k = b.providerOf(list[0])
	case len(b.providers) > 1:
		return bookahead.Closure{}, limits.Invalid("providers", len(b.providers), "are several, and any may close units: use CloseAt")
	}
	return b.CloseAt(k, c)
}

// CloseAt is Close at provider k. The error also wraps bookahead.ErrInvalid if there is no provider k,
// or if it does not have all of the servers.
func (b *Broker) CloseAt(k int, c bookahead.Closure) (bookahead.Closure, error) {
	c, err := b.checkAt(k, c)
	if err != nil {
		return bookahead.Closure{}, err
	}
	if b.limits.Servers > 0 {
		list, err := checkNamed(c, b.limits.Servers)
		if err != nil {
			return bookahead.Closure{}, err
		}
		for i, s := range list {
			own, ok := b.own(k, s)
			if !ok {
				return bookahead.Closure{}, limits.Invalid("Closure.Servers", s, fmt.Sprintf("lies at provider %d, not at provider %d", b.providerOf(s), k))
			}
			list[i] = own
		}
		c.Servers = list
	}
	return b.pass(k, c, bookahead.Closable.Close)
}

// Extend implements bookahead.Closable if there is only one provider; otherwise use ExtendAt. Costs and
// errors are those of ExtendAt.
func (b *Broker) Extend(c bookahead.Closure) (bookahead.Closure, error) {
	if len(b.providers) > 1 {
		return bookahead.Closure{}, limits.Invalid("providers", len(b.providers), "are several, and any may be extended: use ExtendAt")
	}
	return b.ExtendAt(0, c)
}

// ExtendAt adds units, or servers, at provider k, which must be a bookahead.Closable. Servers get
// the Broker's next numbers. The error wraps bookahead.ErrInvalid. It takes an Extend of the
// provider.
func (b *Broker) ExtendAt(k int, c bookahead.Closure) (bookahead.Closure, error) {
	c, err := b.checkAt(k, c)
	if err == nil {
		err = b.knowsAll(k)
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	before := b.known(k)
	return b.pass(k, c, func(p bookahead.Closable, c bookahead.Closure) (bookahead.Closure, error) {
		done, err := p.Extend(c)
		if err == nil && b.limits.Servers > 0 {
			b.number(k, done.Servers[len(done.Servers)-1]+1-before)
		}
		return done, err
	})
}

// checkAt checks a closure for provider k, and returns the part of it that lies ahead of the Broker's
// clock. The provider's clock may be behind.
func (b *Broker) checkAt(k int, c bookahead.Closure) (bookahead.Closure, error) {
	if k < 0 || k >= len(b.providers) {
		return c, limits.Invalid("provider", k, fmt.Sprintf("is none of the %d", len(b.providers)))
	}
	return closures.Check(c, b.limits.Now)
}

// pass passes a closure on to provider k, and returns it as the Broker lists it.
func (b *Broker) pass(k int, c bookahead.Closure, by func(bookahead.Closable, bookahead.Closure) (bookahead.Closure, error)) (done bookahead.Closure, err error) {
	s := b.providers[k].schedule
	ok := bookahead.Update(s, func(p bookahead.Closable) { done, err = by(p, c) })
	switch {
	case !ok:
		return done, limits.Invalid(fmt.Sprintf("providers[%d]", k), fmt.Sprintf("%T", s), "is no bookahead.Closable: its capacity cannot change")
	case err != nil:
		return bookahead.Closure{}, fmt.Errorf("grid: provider %d: %w", k, err)
	}
	return b.listed(b.closings.add(k, done), k, done), nil
}

// listed returns a closure of provider k as the Broker lists it.
func (b *Broker) listed(id bookahead.ClosureID, k int, c bookahead.Closure) bookahead.Closure {
	c.ID = id
	if b.limits.Servers > 0 {
		c.Servers = b.shift(k, c.Servers)
	}
	return c
}

// End implements bookahead.Closable. The error is also bookahead.ErrNotFound if others have ended the
// closure at the provider. It takes an End of the provider, and O(c) for c closures.
func (b *Broker) End(id bookahead.ClosureID, at bookahead.Time) (err error) {
	i, ok := b.closings.find(id)
	if !ok {
		return bookahead.ErrNotFound
	}
	c := &b.closings.live[i]
	at = max(at, b.limits.Now)
	err = bookahead.ErrNotFound
	bookahead.Update(b.providers[c.provider].schedule, func(p bookahead.Closable) { err = p.End(c.own, at) })
	switch {
	case err == nil:
		c.end = at
	case err != bookahead.ErrNotFound:
		return fmt.Errorf("grid: provider %d: %w", c.provider, err)
	}
	if err != nil || !b.lists(*c) {
		b.closings.live = slices.Delete(b.closings.live, i, i+1)
	}
	return err
}

// lists reports whether the provider of a closing still has the closure.
func (b *Broker) lists(x closing) (found bool) {
	bookahead.View(b.providers[x.provider].schedule, func(p bookahead.Closable) {
		for c := range p.Closures() {
			found = found || c.ID == x.own && c.End > b.limits.Now
		}
	})
	return found
}

// Closures implements bookahead.Closable: it yields the closures that were made through the Broker and
// are not over at their provider. It takes the Closures of each provider, and O(c) for c closures.
func (b *Broker) Closures() iter.Seq[bookahead.Closure] {
	return func(yield func(bookahead.Closure) bool) {
		all := make([]map[bookahead.ClosureID]bookahead.Closure, len(b.providers))
		for _, x := range b.closings.live {
			if all[x.provider] == nil {
				all[x.provider] = b.closuresAt(x.provider)
			}
			c, ok := all[x.provider][x.own]
			if ok && !yield(b.listed(x.id, x.provider, c)) {
				return
			}
		}
	}
}

// closuresAt returns the closures of provider k that are not over.
func (b *Broker) closuresAt(k int) map[bookahead.ClosureID]bookahead.Closure {
	all := map[bookahead.ClosureID]bookahead.Closure{}
	bookahead.View(b.providers[k].schedule, func(p bookahead.Closable) {
		for c := range p.Closures() {
			if c.End > b.limits.Now {
				all[c.ID] = c
			}
		}
	})
	return all
}
