//go:build (amd64 || arm64) && !purego

package profile

import "unsafe"

// prefetch asks for the cache lines of a leaf of 32-bit units. Of a leaf of 64-bit units it asks
// for the starts and half of the units.
func (nd *node[U]) prefetch() { prefetchLines(unsafe.Pointer(nd)) }

// prefetchLines asks the processor for the 14 cache lines from p on. No address faults.
//
//go:noescape
func prefetchLines(p unsafe.Pointer)
