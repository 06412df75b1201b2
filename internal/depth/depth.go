// Package depth says how long the tests run. There are three depths of the same tests:
//
//	go test -short ./...                for a contributor: a quarter of the operations
//	go test ./...                       for a change: 20 000 operations for each structure
//	BOOKAHEAD_OPS=1000000 go test ./... for a night: as many operations as the variable says
//
// Every test that draws cases asks this package how many, so that the variable is the only switch. rapid
// draws 100 cases a property, or as many as its own variable RAPID_CHECKS says, and a fifth of them with -short.
package depth

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// Usual is the number of operations for a change.
const Usual = 20_000

// whole is the number of operations with which a test draws as many cases as it names.
const whole = 50_000

// Operations returns how many operations the test of a structure runs.
func Operations() int {
	n := Usual
	if s := os.Getenv("BOOKAHEAD_OPS"); s != "" {
		var err error
		n, err = strconv.Atoi(s)
		if err != nil {
			panic(fmt.Sprintf("BOOKAHEAD_OPS=%q is not a number", s))
		}
	}
	if testing.Short() {
		n /= 4
	}
	return n
}

// Cases returns how many cases a test draws that draws so many with 50 000 operations: in proportion to Operations. It returns
// at least a tenth, as with -short, since such tests check that rare cases were among those that they drew, and at least 1.
func Cases(named int) int {
	return max(1, named/10, int(int64(named)*int64(Operations())/whole))
}

// Deep reports whether more operations are asked for than a change needs.
func Deep() bool { return Operations() > Usual }
