package desk

import (
	"hash/maphash"
	"maps"

	"github.com/bookahead/bookahead/internal/cow"
)

// keys maps the callers' keys to bookings, or to series. There are many small maps, so that the first write after a
// Clone copies few of them. The zero value is empty.
type keys[ID BookingID | SeriesID] struct {
	owner cow.Owner
	root  *keyRoot[ID]
}

type keyRoot[ID BookingID | SeriesID] struct {
	owner  cow.Owner
	shards [keyShards]*keyShard[ID]
}

type keyShard[ID BookingID | SeriesID] struct {
	owner cow.Owner
	ids   map[string]ID
}

// keyShards is such that a million keys make maps of a thousand.
const keyShards = 1 << 10

// seed is another in each process: nobody can choose texts that meet in one place. No answer depends
// on it.
var seed = maphash.MakeSeed()

func shardOf(key string) int { return int(maphash.String(seed, key) % keyShards) }

// get returns the booking or the series that has a key.
func (x *keys[ID]) get(key string) (ID, bool) {
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

func (x *keys[ID]) set(key string, id ID) { x.own(key)[key] = id }

func (x *keys[ID]) remove(key string) { delete(x.own(key), key) }

// len returns the number of keys. It looks at each map.
func (x *keys[ID]) len() (n int) {
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
func (x *keys[ID]) own(key string) map[string]ID {
	x.owner.Renew()
	switch {
	case x.root == nil:
		x.root = &keyRoot[ID]{owner: x.owner}
	case x.root.owner != x.owner:
		x.root = &keyRoot[ID]{x.owner, x.root.shards}
	}
	at := &x.root.shards[shardOf(key)]
	switch {
	case *at == nil:
		*at = &keyShard[ID]{x.owner, map[string]ID{}}
	case (*at).owner != x.owner:
		*at = &keyShard[ID]{x.owner, maps.Clone((*at).ids)}
	}
	return (*at).ids
}

// clone may run beside reads and other clones. O(1).
func (x *keys[ID]) clone() keys[ID] {
	x.owner.Share()
	return *x
}
