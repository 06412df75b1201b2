package plan

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Order says which of two waiting jobs comes first. The zero value is FCFS. Ties go to the job that was submitted first.
type Order struct {
	compare func(a, b *Job, u *usage) int
	share   *Share // of FairShare; nil if the keys never move
	fault   error  // wraps bookahead.ErrInvalid, for New
}

// FCFS takes jobs in the order of Job.Submitted: first come, first served.
func FCFS() Order { return Order{} }

// SJF takes the shortest job first, by the estimate of its shortest shape.
func SJF() Order {
	return Order{compare: func(a, b *Job, _ *usage) int { return cmp.Compare(a.shortest(), b.shortest()) }}
}

func (j *Job) shortest() bookahead.Duration {
	d := j.Shapes[0].length()
	for _, s := range j.Shapes[1:] {
		d = min(d, s.length())
	}
	return d
}

// LSF takes the largest job first, by the units of all parts of its first shape (Kurowski et al., §2.1).
func LSF() Order {
	return Order{compare: func(a, b *Job, _ *usage) int { return cmp.Compare(b.Shapes[0].units(), a.Shapes[0].units()) }}
}

// ByPriority takes the job of the highest Priority first.
func ByPriority() Order {
	return Order{compare: func(a, b *Job, _ *usage) int { return cmp.Compare(b.Priority, a.Priority) }}
}

// Own takes jobs in the caller's order: compare is negative if a comes before b. It must be a strict weak order that does
// not change while jobs wait, and must not keep or change the jobs.
func Own(compare func(a, b *Job) int) Order {
	if compare == nil {
		return Order{fault: limits.Invalid("compare", nil, "is no order")}
	}
	return Order{compare: func(a, b *Job, _ *usage) int { return compare(a, b) }}
}

// By takes jobs by the first order, those that are equal by the second, and so on. At most one of them may be a FairShare.
func By(orders ...Order) Order {
	by := Order{}
	orders = slices.Clone(orders)
	shares := 0
	for _, o := range orders {
		if by.fault == nil {
			by.fault = o.fault
		}
		if o.share != nil {
			by.share = o.share
			shares++
		}
	}
	if shares > 1 {
		by.fault = limits.Invalid("orders", shares, "are FairShare, of which there is one at most")
	}
	by.compare = func(a, b *Job, u *usage) int {
		for _, o := range orders {
			if o.compare == nil {
				if c := cmp.Compare(a.Submitted, b.Submitted); c != 0 {
					return c
				}
				continue
			}
			if c := o.compare(a, b, u); c != 0 {
				return c
			}
		}
		return 0
	}
	return by
}

// Share is the settings of FairShare.
type Share struct {
	// HalfLife is how often all that was used counts half from then on, in ticks: at each multiple of it. 0 never
	// forgets, as in Kurowski et al., §2.1.
	HalfLife bookahead.Duration
	// Groups and Owners are the shares of groups and owners by name, at least 1; others have 1. One with twice the share
	// may have used twice as much.
	Groups, Owners map[string]int64
}

// FairShare takes the job of the group first that has used least for its share, and in a group the job of the owner who
// has. A job uses its units times its ticks. It counts with its estimate from its start, and with the ticks that it ran from
// its end on.
func FairShare(s Share) Order {
	s.Groups, s.Owners = maps.Clone(s.Groups), maps.Clone(s.Owners)
	return Order{share: &s, compare: func(a, b *Job, u *usage) int {
		return cmp.Or(
			compareUse(u.groups[a.Group], s.Groups[a.Group], u.groups[b.Group], s.Groups[b.Group]),
			compareUse(u.owners[a.Owner], s.Owners[a.Owner], u.owners[b.Owner], s.Owners[b.Owner]))
	}}
}

// compareUse compares used/share of two owners.
func compareUse(a uint64, shareA int64, b uint64, shareB int64) int {
	hiA, loA := bits.Mul64(a, uint64(max(1, shareB)))
	hiB, loB := bits.Mul64(b, uint64(max(1, shareA)))
	return cmp.Or(cmp.Compare(hiA, hiB), cmp.Compare(loA, loB))
}

func (o Order) moves() bool { return o.share != nil }

func (o Order) check() error {
	if o.fault != nil || o.share == nil {
		return o.fault
	}
	if o.share.HalfLife < 0 {
		return limits.Invalid("Share.HalfLife", o.share.HalfLife, "is negative")
	}
	for _, m := range []struct {
		name   string
		shares map[string]int64
	}{{"Share.Groups", o.share.Groups}, {"Share.Owners", o.share.Owners}} {
		for _, who := range slices.Sorted(maps.Keys(m.shares)) {
			if n := m.shares[who]; n < 1 {
				return limits.Invalid(m.name+"["+who+"]", n, "is less than 1")
			}
		}
	}
	return nil
}

// usage is what groups and owners have used, in units times ticks, at most the largest uint64. Nobody who has used nothing is
// in it.
type usage struct {
	groups, owners map[string]uint64
	halved         bookahead.Time // how often all was halved
}

// charge adds units times ticks to the use of a job's owner and group.
func (u *usage) charge(j *Job, units int64, ticks bookahead.Duration) {
	n := product(units, ticks)
	if n == 0 {
		return
	}
	for _, x := range []struct {
		of  map[string]uint64
		who string
	}{{u.groups, j.Group}, {u.owners, j.Owner}} {
		x.of[x.who] = min(x.of[x.who], ^uint64(0)-n) + n
	}
}

// refund takes units times ticks off again, of which the halvings since the charge have left a part.
func (u *usage) refund(j *Job, units int64, ticks bookahead.Duration, halvings bookahead.Time) {
	n := product(units, ticks) >> min(uint64(halvings), 64)
	for _, x := range []struct {
		of  map[string]uint64
		who string
	}{{u.groups, j.Group}, {u.owners, j.Owner}} {
		left := x.of[x.who] - min(x.of[x.who], n)
		if left == 0 {
			delete(x.of, x.who)
		} else {
			x.of[x.who] = left
		}
	}
}

func product(units int64, ticks bookahead.Duration) uint64 {
	hi, lo := bits.Mul64(uint64(units), uint64(max(0, ticks)))
	if hi > 0 {
		return ^uint64(0)
	}
	return lo
}

// forget halves all that was used at the multiples of the half life up to now.
func (u *usage) forget(now bookahead.Time, half bookahead.Duration) {
	if half == 0 {
		return
	}
	times := now/bookahead.Time(half) - u.halved
	if times <= 0 {
		return
	}
	u.halved += times
	for _, of := range []map[string]uint64{u.groups, u.owners} {
		for who, n := range of {
			n >>= min(uint64(times), 64)
			if n == 0 {
				delete(of, who)
			} else {
				of[who] = n
			}
		}
	}
}
