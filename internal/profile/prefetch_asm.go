//go:build (amd64 || arm64) && !purego

package profile

import "unsafe"

// prefetch asks for the lines of a leaf of 32-bit units; of a longer one, for those of its
// starts and half of its units.
func (nd *node[U]) prefetch() { prefetchLines(unsafe.Pointer(nd)) }

// prefetchLines asks the processor for the 14 cache lines from p on. No address faults.
//
//go:noescape
func prefetchLines(p unsafe.Pointer)
