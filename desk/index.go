package desk

import (
	"cmp"
	"hash/maphash"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/spans"
)

// owners lists the bookings of each owner. The index finds all spans of a tick, so an owner is taken for a tick here, and
// each booking of the owner for a span of that tick. The zero value is empty.
type owners struct{ spans.Index }

// owned is the span of a booking. Two names may have the same number; the bookings tell them apart.
func owned(owner string, id BookingID) spans.Span {
	number := bookahead.Time(maphash.String(seed, owner) >> 2)
	return spans.Span{Interval: bookahead.Interval{Start: number, End: number + 1}, ID: bookahead.ID(id)}
}

func (x *owners) add(k *Booking) { x.Add(owned(k.Owner, k.ID)) }

func (x *owners) remove(k *Booking) { x.Remove(owned(k.Owner, k.ID)) }

func (x *owners) clone() owners { return owners{x.Clone()} }

// of yields the bookings of an owner by ID; there may be bookings of other owners among them, whose names have the same
// number. O(log n + k) for the k that it yields.
func (x *owners) of(owner string) iter.Seq[BookingID] {
	return func(yield func(BookingID) bool) {
		for s := range x.Overlapping(owned(owner, 0).Interval) {
			if !yield(BookingID(s.ID)) {
				return
			}
		}
	}
}

// agenda says when something happens to each booking by itself. It lacks the Booked ones, since the calendars have their
// starts. An entry is a span that ends at its tick, so that the first span is the next one due. The zero value is empty.
type agenda struct{ spans.Index }

// due is the tick at which something happens to a booking by itself.
type due struct {
	at bookahead.Time // at least 1
	id BookingID
}

func (x due) span() spans.Span {
	return spans.Span{Interval: bookahead.Interval{Start: x.at - 1, End: x.at}, ID: bookahead.ID(x.id)}
}

func (x due) compare(y due) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.id, y.id)) }

func (x *agenda) add(k *Booking) {
	if k.change != 0 {
		x.Add(due{k.change, k.ID}.span())
	}
}

func (x *agenda) remove(k *Booking) {
	if k.change != 0 {
		x.Remove(due{k.change, k.ID}.span())
	}
}

func (x *agenda) clone() agenda { return agenda{x.Clone()} }

// next returns the entry with the least tick. O(log n).
func (x *agenda) next() (due, bool) {
	for s := range x.From(0) {
		return due{s.End, BookingID(s.ID)}, true
	}
	return due{}, false
}

// turn is the place of a waiting booking in the order of turns.
type turn struct {
	priority int64
	id       BookingID
	steps    bool // some shape has several steps
}

func turnOf(k *Booking) turn {
	return turn{k.Priority, k.ID, slices.ContainsFunc(k.Shapes, Shape.stepped)}
}

// stepped reports whether a shape has several steps.
func (x Shape) stepped() bool {
	return slices.ContainsFunc(x, func(p Part) bool { return p.After != nil })
}

func (x turn) compare(y turn) int {
	return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(x.id, y.id))
}

// waiting lists the waiting bookings in the order of their turns. A change makes a new slice, since clones share the
// old one; with MaxWaiting turns a slice has 96 KiB.
type waiting []turn

func (x *waiting) add(k *Booking) {
	if k.State != Waiting {
		return
	}
	i, _ := slices.BinarySearchFunc(*x, turnOf(k), turn.compare)
	*x = slices.Concat((*x)[:i], waiting{turnOf(k)}, (*x)[i:])
}

func (x *waiting) remove(k *Booking) {
	i, ok := slices.BinarySearchFunc(*x, turnOf(k), turn.compare)
	if k.State == Waiting && ok {
		*x = slices.Concat((*x)[:i], (*x)[i+1:])
	}
}

// reservedBy says which booking has a reservation of a schedule. Reservations with neighbouring IDs are mostly asked for
// one after another, so IDs lie on pages, and the last page is at hand. The zero value is empty.
type reservedBy struct {
	n     int
	pages map[bookahead.ID]*reservedPage
	at    bookahead.ID // the number of the last page
	last  *reservedPage
}

// reservedPage has 32 consecutive IDs, few enough that an ID alone on its page costs no more than the booking that was
// read for it.
type reservedPage struct {
	has uint32
	by  [32]BookingID
}

// set notes that a booking has a reservation. If another booking has it, set returns that one instead.
func (x *reservedBy) set(id bookahead.ID, k BookingID) (other BookingID, twice bool) {
	number, bit := id/32, id%32
	if x.last == nil || x.at != number {
		x.turn(number)
	}
	p := x.last
	if p.has&(1<<bit) != 0 {
		return p.by[bit], true
	}
	p.has |= 1 << bit
	p.by[bit] = k
	x.n++
	return 0, false
}

// turn makes the page with a number the last one.
func (x *reservedBy) turn(number bookahead.ID) {
	if x.pages == nil {
		x.pages = map[bookahead.ID]*reservedPage{}
	}
	p := x.pages[number]
	if p == nil {
		p = new(reservedPage)
		x.pages[number] = p
	}
	x.at, x.last = number, p
}

// shards is a map that shares with its clones everything that neither side has written to. It has many small maps, so that
// the first write after a clone copies only a few keys. The zero value is empty.
type shards[K hashed, V any] struct {
	owner cow.Owner
	root  *shardRoot[K, V]
}

// hashed is a key with a number that says in which map it lies.
type hashed interface {
	comparable
	hash() uint64
}

type shardRoot[K hashed, V any] struct {
	owner  cow.Owner
	shards [shardCount]*shard[K, V]
}

type shard[K hashed, V any] struct {
	owner cow.Owner
	items map[K]V
}

// shardCount makes maps of a thousand keys out of a million.
const shardCount = 1 << 10

// seed is another number in each process, so that nobody can choose texts that all fall into one map. No answer depends on
// it.
var seed = maphash.MakeSeed()

func (x *shards[K, V]) get(key K) (v V, ok bool) {
	if x.root == nil {
		return v, false
	}
	at := x.root.shards[key.hash()%shardCount]
	if at == nil {
		return v, false
	}
	v, ok = at.items[key]
	return v, ok
}

func (x *shards[K, V]) set(key K, v V) { x.own(key.hash()%shardCount, 0)[key] = v }

func (x *shards[K, V]) remove(key K) { delete(x.own(key.hash()%shardCount, 0), key) }

// len returns the number of keys. It looks at each map.
func (x *shards[K, V]) len() (n int) {
	if x.root == nil {
		return 0
	}
	for _, at := range x.root.shards {
		if at != nil {
			n += len(at.items)
		}
	}
	return n
}

// all yields the items in no order. The loop may set or remove the item that it has.
func (x *shards[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if x.root == nil {
			return
		}
		for i := range x.root.shards {
			at := x.root.shards[i]
			if at == nil {
				continue
			}
			for key, v := range at.items {
				if !yield(key, v) {
					return
				}
			}
		}
	}
}

// own returns the map with an index, which no clone shares from then on. A new map has room for n items.
func (x *shards[K, V]) own(i uint64, n int) map[K]V {
	x.owner.Renew()
	switch {
	case x.root == nil:
		x.root = &shardRoot[K, V]{owner: x.owner}
	case x.root.owner != x.owner:
		x.root = &shardRoot[K, V]{x.owner, x.root.shards}
	}
	at := &x.root.shards[i]
	switch {
	case *at == nil:
		*at = &shard[K, V]{x.owner, make(map[K]V, n)}
	case (*at).owner != x.owner:
		*at = &shard[K, V]{x.owner, maps.Clone((*at).items)}
	}
	return (*at).items
}

// clone may run beside reads and other clones. O(1).
func (x *shards[K, V]) clone() shards[K, V] {
	x.owner.Share()
	return *x
}

// keys maps the callers' keys to bookings, or to series. The zero value is empty.
type keys[ID BookingID | SeriesID] struct{ by shards[keyText, ID] }

// keyText is a caller's key.
type keyText string

func (k keyText) hash() uint64 { return maphash.String(seed, string(k)) }

// get returns the booking or the series that has a key.
func (x *keys[ID]) get(key string) (ID, bool) { return x.by.get(keyText(key)) }

func (x *keys[ID]) set(key string, id ID) { x.by.set(keyText(key), id) }

func (x *keys[ID]) remove(key string) { x.by.remove(keyText(key)) }

// len returns the number of keys. It looks at each map.
func (x *keys[ID]) len() int { return x.by.len() }

// clone may run beside reads and other clones. O(1).
func (x *keys[ID]) clone() keys[ID] { return keys[ID]{x.by.clone()} }

// inIndex reports whether an index has a span.
func inIndex(x *spans.Index, want spans.Span) bool {
	for s := range x.Overlapping(want.Interval) {
		if s == want {
			return true
		}
	}
	return false
}
