package desk

import "hash/maphash"

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
