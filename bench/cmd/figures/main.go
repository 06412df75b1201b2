// Figures measures all published figures in one sitting, and writes the medians of several sittings into the pages that
// quote them.
//
//	go run ./bench/cmd/figures -measure          # half an hour; adds a sitting to bench/sittings
//	go run ./bench/cmd/figures -write            # writes the pages from all sittings
//	go run ./bench/cmd/figures -measure -only desk
//
// The machine should have nothing else to do. Before and after each command, the program looks how busy the processors are
// without it, and times a loop that is always the same. If more than a tenth of the machine is taken, or the loop takes a
// tenth longer or less than at another time of the sitting, the command is repeated, three times at the most. What stays
// disturbed is kept and marked, and a page that quotes it says so. The loop lies in the cache of a core, and does not see who else
// uses the memory: sit down several times, at different hours, and the page says how far the sittings differ.
//
// Sittings are kept in bench/sittings, so that other hours and other people add theirs. Whoever changes what a command measures
// deletes its files there.
//
// A page quotes figures between two marks, <!-- figures NAME --> and <!-- end of figures -->, and a package comment in its
// section "# Measured". The text between is made from templates/NAME.tmpl, which names benchmarks.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	measure := flag.Bool("measure", false, "measure, and keep a sitting")
	write := flag.Bool("write", false, "write the pages from all sittings")
	only := flag.String("only", "", "measure the `commands` of these names alone, between commas")
	folder := flag.String("keep", filepath.Join("bench", "sittings"), "`folder` of the sittings")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, *measure, *write, *only, *folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, measure, write bool, only, folder string) error {
	if !measure && !write {
		return fmt.Errorf("neither -measure nor -write is set")
	}
	if measure {
		list, err := choose(only)
		if err == nil {
			err = sit(ctx, list, folder)
		}
		if err != nil {
			return err
		}
	}
	if !write {
		return nil
	}
	r, err := readSittings(folder)
	if err != nil {
		return err
	}
	return r.writePages(".")
}

// choose returns the commands of some names; all for "".
func choose(only string) (list []command, err error) {
	if only == "" {
		return commands, nil
	}
	for _, name := range strings.Split(only, ",") {
		found := false
		for _, c := range commands {
			if c.name == name {
				list, found = append(list, c), true
			}
		}
		if !found {
			return nil, fmt.Errorf("-only %q is no command", name)
		}
	}
	return list, nil
}
