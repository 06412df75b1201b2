package desk

import (
	"hash/maphash"
	"iter"
	"maps"

	"github.com/bookahead/bookahead/internal/cow"
)

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
