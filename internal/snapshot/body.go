package snapshot

// Body begins to read numbers without a head and a sum of their own, because they lie in a frame
// that has both. Errors call the numbers by name.
func Body(name string, data []byte) *Reader {
	return &Reader{rest: data, size: len(data), name: name}
}

// At returns how many bytes have been read.
func (r *Reader) At() int { return r.at }
