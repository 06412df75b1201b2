//go:build !(amd64 || arm64) || purego

package profile

func (nd *node[U]) prefetch() {}
