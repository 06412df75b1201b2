//go:build darwin || dragonfly || freebsd || linux

package disklog

import "syscall"

// freeBytes returns how many bytes of the disk are free for users that are not root.
func freeBytes(dir string) (int64, error) {
	var s syscall.Statfs_t
	err := syscall.Statfs(dir, &s)
	return int64(s.Bavail) * int64(s.Bsize), err
}
