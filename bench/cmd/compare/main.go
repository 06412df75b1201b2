// Compare replays a workload as advance reservations on every structure of the
// library, checks that those which promise the same answers give them, and
// prints what each accepted and what each call cost.
//
//	go run ./bench/cmd/compare                           # a synthetic workload
//	go run ./bench/cmd/compare -trace KTH-SP2-1996.swf.gz
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench"
	"github.com/bookahead/bookahead/bench/replay"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its surroundings. It returns 0, or 1 if something failed, or
// 2 if the arguments make no sense.
func run(args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "compare:", err)
		return 2
	}
	report, err := compare(s, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "compare:", err)
		return 1
	}
	if err := report.write(stdout, s.format); err != nil {
		fmt.Fprintln(stderr, "compare:", err)
		return 1
	}
	if err := disagreement(s.structures, report.results); err != nil {
		fmt.Fprintln(stderr, "compare: THE STRUCTURES DISAGREE:", err)
		return 1
	}
	return 0
}

// compare replays the workload on each structure.
func compare(s settings, stderr io.Writer) (report, error) {
	w, err := load(s)
	if err != nil {
		return report{}, err
	}
	rep := report{workload: w}
	for _, st := range s.structures {
		fresh := func() (bookahead.Schedule, error) {
			return st.New(w.Capacity, bench.Config{Origin: w.bookings[0].Submit, Horizon: w.Horizon})
		}
		p := newProgress(stderr, st.Name, len(w.bookings))
		r, err := replay.Run(fresh, w.Capacity, w.bookings, p.update)
		p.done()
		if err != nil {
			return report{}, fmt.Errorf("%s: %w", st.Name, err)
		}
		rep.add(st.Name, r)
	}
	rep.finish()
	return rep, nil
}

// disagreement names the first booking at which two structures part that
// promise the same answers.
func disagreement(structures []bench.Structure, results []replay.Result) error {
	first := map[string]int{} // by promise
	for i, st := range structures {
		k, seen := first[st.Answers]
		if st.Answers == "" || !seen {
			first[st.Answers] = i
			continue
		}
		for n, o := range results[i].Outcomes {
			if want := results[k].Outcomes[n]; o != want {
				return fmt.Errorf("%s and %s, each an %s, part at booking %d: %v, and %v",
					structures[k].Name, st.Name, st.Answers, n+1, want, o)
			}
		}
	}
	return nil
}

// progress shows how far a long run has come, on a terminal only.
type progress struct {
	out   io.Writer // nil if it is no terminal
	name  string
	total int
	shown time.Time
}

func newProgress(out io.Writer, name string, total int) *progress {
	p := &progress{name: name, total: total, shown: time.Now()}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.out = out
		}
	}
	return p
}

func (p *progress) update(done int) {
	if p.out != nil && time.Since(p.shown) > 200*time.Millisecond {
		p.shown = time.Now()
		fmt.Fprintf(p.out, "\r%s %d of %d\x1b[K", p.name, done, p.total)
	}
}

func (p *progress) done() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
