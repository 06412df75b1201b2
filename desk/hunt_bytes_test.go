//go:build !race

package desk

// countsBytes says that the bytes of a call are counted. The race detector allocates more.
const countsBytes = true
