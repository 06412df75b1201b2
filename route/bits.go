package route

// within reports whether each node of a is a node of b.
func within(a, b []uint64) bool {
	for i, w := range a {
		if w&^b[i] != 0 {
			return false
		}
	}
	return true
}

func mark(set []uint64, i int) { set[i>>6] |= 1 << (i & 63) }

func marked(set []uint64, i int) bool { return set[i>>6]>>(i&63)&1 != 0 }
