package desk

import (
	"hash/maphash"
	"maps"

	"github.com/bookahead/bookahead/internal/cow"
)

// keys maps the callers' keys to bookings. There are many small maps, so that the first write after a
// Clone copies few of them. The zero value is empty.
type keys struct {
	owner cow.Owner
	root  *keyRoot
}

type keyRoot struct {
	owner  cow.Owner
	shards [keyShards]*keyShard
}

type keyShard struct {
	owner cow.Owner
	ids   map[string]BookingID
}

// keyShards is such that a million keys make maps of a thousand.
const keyShards = 1 << 10

// seed is another in each process: nobody can choose texts that meet in one place. No answer depends
// on it.
var seed = maphash.MakeSeed()

func shardOf(key string) int { return int(maphash.String(seed, key) % keyShards) }

// get returns the booking that has a key.
func (x *keys) get(key string) (BookingID, bool) {
	if x.root == nil {
		return 0, false
	}
	shard := x.root.shards[shardOf(key)]
	if shard == nil {
		return 0, false
	}
	id, ok := shard.ids[key]
	return id, ok
}

func (x *keys) set(key string, id BookingID) { x.own(key)[key] = id }

func (x *keys) remove(key string) { delete(x.own(key), key) }

// len returns the number of keys. It looks at each map.
func (x *keys) len() (n int) {
	if x.root == nil {
		return 0
	}
	for _, shard := range x.root.shards {
		if shard != nil {
			n += len(shard.ids)
		}
	}
	return n
}

// own returns the map for a key, which no clone shares.
func (x *keys) own(key string) map[string]BookingID {
	x.owner.Renew()
	switch {
	case x.root == nil:
		x.root = &keyRoot{owner: x.owner}
	case x.root.owner != x.owner:
		x.root = &keyRoot{x.owner, x.root.shards}
	}
	at := &x.root.shards[shardOf(key)]
	switch {
	case *at == nil:
		*at = &keyShard{x.owner, map[string]BookingID{}}
	case (*at).owner != x.owner:
		*at = &keyShard{x.owner, maps.Clone((*at).ids)}
	}
	return (*at).ids
}

// clone may run beside reads and other clones. O(1).
func (x *keys) clone() keys {
	x.owner.Share()
	return *x
}
