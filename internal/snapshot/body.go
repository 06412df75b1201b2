package snapshot

// Body begins to read numbers that have no head and no sum of their own, since they lie in a frame
// that has. Errors call them by a name.
func Body(name string, data []byte) *Reader {
	return &Reader{rest: data, size: len(data), name: name}
}

// At returns how many bytes have been read.
func (r *Reader) At() int { return r.at }
