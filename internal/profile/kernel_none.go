//go:build !amd64 || purego

package profile

func vector[U Units]([]U) *int32 { return nil }

func add32(*int32, int, int32, int32) (low, high int32) { panic("no vectors") }

func extremes32(*int32, int, int32) (low, high int32) { panic("no vectors") }
