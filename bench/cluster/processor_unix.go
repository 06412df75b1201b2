//go:build unix

package main

import (
	"syscall"
	"time"
)

// processor returns how long processors have worked for this program, on all threads, in user and in system
// mode. Other programs slow a run's wall time down, and hardly its processor time.
func processor() time.Duration {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	if err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
