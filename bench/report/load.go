package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

const unknown = "unknown"

// load is the load average of the machine over a minute, before and after all was measured. The programs
// run one after the other, and are part of the second number.
type load struct {
	before, after float64
	cores         int
	known         bool
}

const loadFormat = "%g at the start, %g at the end, on %d cores"

func (l load) String() string {
	if !l.known {
		return unknown
	}
	return fmt.Sprintf(loadFormat, l.before, l.after, l.cores)
}

// parseLoad reads a load as String writes it.
func parseLoad(text string) load {
	var l load
	n, err := fmt.Sscanf(text, loadFormat, &l.before, &l.after, &l.cores)
	l.known = err == nil && n == 3 && l.cores > 0
	return l
}

// stretch is how many times longer a call may have taken than on a quiet machine: where 7.3 programs
// take turns on 2 cores, each has a core for 2 of 7.3 turns.
func (l load) stretch() float64 {
	if !l.known {
		return 1
	}
	return max(1, l.most()/float64(l.cores))
}

// most is the higher of the two numbers.
func (l load) most() float64 { return max(l.before, l.after) }

// loadNow returns the load average over a minute, on Linux and macOS.
func loadNow() (x float64, known bool) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		text, err = exec.Command("sysctl", "-n", "vm.loadavg").Output()
	}
	if err != nil {
		return 0, false
	}
	_, err = fmt.Sscan(strings.Trim(string(text), "{ "), &x)
	return x, err == nil
}

// loadSince returns the load since a time at which it was before.
func loadSince(before float64, known bool) load {
	after, still := loadNow()
	return load{before: before, after: after, cores: runtime.NumCPU(), known: known && still}
}

// judge judges a claim about times anew, since the machine was busy; said is the verdict of the program. The
// value with its half width is a time, a ratio of two times, or the logarithm of a ratio. Each of the times may be
// stretch times too long, so that the truth lies in a wider interval:
//
//	a ratio of 3 ± 1 is claimed to be at least 1.5:      [2    4]       holds
//	the same at a load of 4 on 2 cores:            [1              8]   cannot be told
//
// A verdict that is the same in the wider interval stands.
func (l load) judge(said string, logarithm bool, value, half, from, to float64) string {
	low, high := value-half, value+half
	if logarithm {
		low, high = low-math.Log(l.stretch()), high+math.Log(l.stretch())
	} else {
		low, high = low/l.stretch(), high*l.stretch()
	}
	switch {
	case said == trial.Holds && (low < from || to < high):
		return trial.Untold
	case said == trial.Fails && from <= high && low <= to:
		return trial.Untold
	}
	return said
}
