package desk

import "hash/maphash"

// keys maps the callers' keys to bookings. The zero value is empty.
type keys struct{ by shards[keyText, BookingID] }

// keyText is a caller's key.
type keyText string

func (k keyText) hash() uint64 { return maphash.String(seed, string(k)) }

// get returns the booking that has a key.
func (x *keys) get(key string) (BookingID, bool) { return x.by.get(keyText(key)) }

func (x *keys) set(key string, id BookingID) { x.by.set(keyText(key), id) }

func (x *keys) remove(key string) { x.by.remove(keyText(key)) }

// len returns the number of keys. It looks at each map.
func (x *keys) len() int { return x.by.len() }

// clone may run beside reads and other clones. O(1).
func (x *keys) clone() keys { return keys{x.by.clone()} }
