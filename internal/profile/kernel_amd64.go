//go:build !purego

package profile

import "unsafe"

// vectors says that the processor has AVX2, and that the system keeps its registers.
var vectors = hasAVX2()

// vector returns the start of a list of 32-bit numbers that is long enough for the kernels to be
// worth their call, or nil.
func vector[U Units](list []U) *int32 {
	if unsafe.Sizeof(U(0)) != 4 || !vectors || len(list) < 8 {
		return nil
	}
	return (*int32)(unsafe.Pointer(unsafe.SliceData(list)))
}

func hasAVX2() bool

// add32 is addTo for n numbers from p on, 8 at least.
//
//go:noescape
func add32(p *int32, n int, delta, acc int32) (low, high int32)

// extremes32 is extremesOf for n numbers from p on, 8 at least.
//
//go:noescape
func extremes32(p *int32, n int, acc int32) (low, high int32)
