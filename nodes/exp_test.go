package nodes

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

var expWarm = 0

func (x *cluster) warm() int { return expWarm }
func TestExp(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	live, _ := strconv.Atoi(os.Getenv("L"))
	jobs, _ := strconv.Atoi(os.Getenv("J"))
	expWarm, _ = strconv.Atoi(os.Getenv("W"))
	for _, mode := range []string{"backlog", "early", "ar"} {
		if m := os.Getenv("MODE"); m != "" && m != mode {
			continue
		}
		t0 := time.Now()
		r, err := runGang(gangState{n, live, mode, "lowest"}, 1, jobs)
		if err != nil {
			t.Fatal(err)
		}
		f := func(d []time.Duration) string {
			if len(d) == 0 {
				return "-"
			}
			d = slices.Clone(d)
			slices.Sort(d)
			s := time.Duration(0)
			for _, x := range d {
				s += x
			}
			return fmt.Sprintf("mean %v p50 %v p99 %v max %v", s/time.Duration(len(d)), d[len(d)/2], d[len(d)*99/100], d[len(d)-1])
		}
		fmt.Println(mode, "atonce", r.atOnce, "tasks", r.tasks, "B", r.bytes, "total", time.Since(t0))
		fmt.Println("  nodes", f(r.reserve))
		fmt.Println("  leap ", f(r.search))
		fmt.Println("  rel  ", f(r.release))
	}
}
