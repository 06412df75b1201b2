package cow

import (
	"hash/maphash"
	"iter"
	"maps"
)

// Map is a map that shares with its clones all that neither side has written to. It has many small maps, its shards, so that
// the first write after a Clone copies only a few keys:
//
//	shards     0    1    2    3 ...
//	original   ▒▒   ▓▓   ▒▒   ▒▒       has written to a key in shard 1
//	clone      ▒▒   ▒▒   ▒▒   ▒▒       shares the other shards with it
//
// The zero value is empty.
type Map[K comparable, V any] struct {
	owner Owner
	root  *root[K, V]
}

type root[K comparable, V any] struct {
	owner  Owner
	shards [shards]*shard[K, V]
}

type shard[K comparable, V any] struct {
	owner Owner
	items map[K]V
}

// shards makes maps of a thousand keys out of a million.
const shards = 1 << 10

// seed is another number in each process, so that nobody can choose keys that all fall into one shard. No answer depends on
// it.
var seed = maphash.MakeSeed()

// Shard returns the number of the shard in which a key lies.
func (m *Map[K, V]) Shard(key K) int { return int(maphash.Comparable(seed, key) % shards) }

// Get returns the value of a key. O(1).
func (m *Map[K, V]) Get(key K) (v V, ok bool) {
	if m.root == nil {
		return v, false
	}
	at := m.root.shards[m.Shard(key)]
	if at == nil {
		return v, false
	}
	v, ok = at.items[key]
	return v, ok
}

// Set gives a key a value. O(1), and after a Clone O(k) for the k keys of the shard.
func (m *Map[K, V]) Set(key K, v V) { m.Own(m.Shard(key), 0)[key] = v }

// Remove takes a key out, if it is there. It costs as much as Set.
func (m *Map[K, V]) Remove(key K) { delete(m.Own(m.Shard(key), 0), key) }

// Len returns the number of keys. It looks at each shard.
func (m *Map[K, V]) Len() (n int) {
	if m.root == nil {
		return 0
	}
	for _, at := range m.root.shards {
		if at != nil {
			n += len(at.items)
		}
	}
	return n
}

// All yields the items in no order. The loop may set or remove the item that it has.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if m.root == nil {
			return
		}
		for i := range m.root.shards {
			at := m.root.shards[i]
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

// Own returns the items of a shard, which the caller may write to until the next Clone. If there is no such shard yet, it
// gets room for n items. So a caller who has many keys can sort them by Shard, and fill one shard after another.
func (m *Map[K, V]) Own(i, n int) map[K]V {
	m.owner.Renew()
	switch {
	case m.root == nil:
		m.root = &root[K, V]{owner: m.owner}
	case m.root.owner != m.owner:
		m.root = &root[K, V]{m.owner, m.root.shards}
	}
	at := &m.root.shards[i]
	switch {
	case *at == nil:
		*at = &shard[K, V]{m.owner, make(map[K]V, n)}
	case (*at).owner != m.owner:
		*at = &shard[K, V]{m.owner, maps.Clone((*at).items)}
	}
	return (*at).items
}

// Clone returns a copy. It may run beside reads and other Clones. O(1).
func (m *Map[K, V]) Clone() Map[K, V] {
	m.owner.Share()
	return *m
}
