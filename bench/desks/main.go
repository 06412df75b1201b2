// Desks simulates many desks, and bookings that span several of them, while messages are lost, late and doubled, and desks
// and agents stop. Units are held with an expiry on each desk, then committed, and the desk of the first part decides. No desk
// waits for the one who makes the booking: he may stop anywhere.
//
//	go run ./bench/desks                              # a table: what fails, by expiry and by loss
//	go run ./bench/desks -bookings 1000000 -only 3    # one row
//	go run ./bench/desks -one 1000000                 # one desk alone: what so many bookings cost
//
// Every booking is judged: all of its parts have run, or none has, but for a part whose desk could not hear in time that the
// booking is gone. The exit code is 1 if something was wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
)

func main() {
	x, only := usual(), 0
	flag.IntVar(&x.Bookings, "bookings", x.Bookings, "`number` of bookings in a row")
	flag.IntVar(&x.Desks, "desks", x.Desks, "`number` of desks")
	flag.Uint64Var(&x.Seed, "seed", x.Seed, "`seed` of all that is drawn")
	flag.IntVar(&only, "only", 0, "the `row` that is run; 0 for all")
	alone := flag.Int("one", 0, "book so many on one desk, and measure that; 0 simulates many desks")
	flag.Parse()
	if x.Desks < most || x.Bookings < 1 {
		fmt.Fprintf(os.Stderr, "desks: -desks %d is below %d, or -bookings %d below 1\n", x.Desks, most, x.Bookings)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *alone > 0 {
		err = one(ctx, os.Stdout, os.Stderr, *alone, x.Seed)
	} else {
		err = table(ctx, os.Stdout, os.Stderr, x, only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "desks:", err)
		os.Exit(1)
	}
}

// rows are the worlds of the table.
func rows(x settings) (list []settings) {
	still := x
	still.Late, still.Lose, still.Double, still.Cut, still.Stop, still.Die = 0, 0, 0, 0, 0, 0
	list = append(list, still)
	for _, lose := range []float64{0.01, 0.1} {
		for _, expiry := range []int64{5_000, 30_000, 300_000} {
			x.Lose, x.Double, x.Expiry = lose, lose, expiry
			list = append(list, x)
		}
	}
	return list
}

func table(ctx context.Context, out, progress io.Writer, x settings, only int) error {
	fmt.Fprintf(out, "%d desks of %d units, %d bookings of 2 or 3 of them in each row, seed %d\n\n", x.Desks, x.Units, x.Bookings, x.Seed)
	fmt.Fprintln(out, "| row | lost, and doubled | expiry | booked | taken by others | too late | tries | held in vain | in doubt, median | 99 % | longest | alone | unheard |")
	fmt.Fprintln(out, "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for i, row := range rows(x) {
		if only != 0 && only != i+1 {
			continue
		}
		w, err := newWorld(row)
		if err == nil {
			err = w.run(ctx, progress)
		}
		if err != nil {
			return err
		}
		c, n := w.watch.counts, float64(row.Bookings)
		tries := n
		for _, k := range c.again {
			tries += float64(k)
		}
		slices.Sort(c.doubts)
		doubt := func(share float64) float64 {
			if len(c.doubts) == 0 {
				return 0
			}
			return float64(c.doubts[int(share*float64(len(c.doubts)-1))]) / 1000
		}
		fmt.Fprintf(out, "| %d | %.0f %% | %d s | %.2f %% | %.2f %% | %.2f %% | %.3f | %.3f %% | %.1f s | %.1f s | %.0f s | %d | %d |\n", i+1, 100*row.Lose, row.Expiry/1000,
			100*float64(c.finished[booked])/n, 100*float64(c.finished[refused])/n, 100*float64(c.finished[late])/n,
			tries/n, 100*c.vain/c.all, doubt(0.5), doubt(0.99), doubt(1), c.lone, c.unheard)
	}
	return nil
}

// run lets agents come until all bookings are asked for, then lets nothing go wrong any more, and waits until every booking
// is judged.
func (w *world) run(ctx context.Context, progress io.Writer) error {
	w.come(0)
	shown := time.Now()
	for i := 0; w.step(); i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if i%1024 == 0 && time.Since(shown) > 5*time.Second {
			shown = time.Now()
			fmt.Fprintf(progress, "%d of %d bookings asked for, after %d hours\n", w.asked, w.Bookings, w.now/3_600_000)
		}
		if len(w.watch.wrong) > 0 {
			return errors.New(w.watch.wrong[0])
		}
		if w.calm && w.now > w.since+1000*(keep+ring)+int64(100*w.Down) {
			break // by now, desks have planned nothing but stops that do not come
		}
	}
	if len(w.watch.fates) > 0 {
		return fmt.Errorf("%d bookings were never judged", len(w.watch.fates))
	}
	for _, s := range w.sites {
		err := s.desk.Verify()
		if err != nil {
			return fmt.Errorf("desk %d: %w", s.name, err)
		}
	}
	return nil
}

// Bookings have 2 parts, or 3, of 1 to mostUnits units, for shortest milliseconds or longer.
const (
	most      = 3
	thirds    = 0.3
	mostUnits = 16
	shortest  = 30_000
)

// come lets an agent come, and the others later.
func (w *world) come(i int) {
	w.asked = i
	if i == w.Bookings {
		w.calm, w.since = true, w.now
		return
	}
	a := &agent{world: w, id: i, d: bookahead.Duration((shortest + w.rng.Int64N(w.Longest-shortest)) / 1000)}
	n := 2
	if w.rng.Float64() < thirds {
		n = 3
	}
	for len(a.parts) < n {
		k := w.rng.IntN(w.Desks)
		if !slices.ContainsFunc(a.parts, func(p part) bool { return p.desk == k }) {
			a.parts = append(a.parts, part{k, 1 + w.rng.Int64N(mostUnits)})
		}
	}
	if w.happens(w.Die) {
		w.after(w.rng.Int64N(int64(20*w.Delay)), func() { a.dead = true }) // most agents are done by then
	}
	a.start = bookahead.Time((w.now + w.rng.Int64N(w.Ahead)) / 1000)
	a.ask()
	work := (2 + thirds) * (mostUnits + 1) / 2 * float64(shortest+w.Longest) / 2 // unit-milliseconds of a booking
	w.after(int64(w.rng.ExpFloat64()*work/(w.Load*float64(w.Desks)*float64(w.Units))), func() { w.come(i + 1) })
}
