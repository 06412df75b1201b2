package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strconv"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// one fills one desk with bookings of a part on a pool, each with a key and one of a thousand owners, and prints what they cost.
func one(ctx context.Context, out, progress io.Writer, bookings int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, seed))
	empty := inUse()
	d, err := desk.New(desk.Config{})
	if err == nil {
		_, err = d.Do(desk.AddSchedule{Name: "units", Kind: desk.Pool{Units: 128}})
	}
	span := bookahead.Time(float64(bookings) * 8.5 * 500 / 0.7 / 128) // at which 70 % of the units are taken
	began := time.Now()
	shown := began
	for n := 0; n < bookings && err == nil; n++ {
		if n%4096 == 0 {
			err = ctx.Err()
			if time.Since(shown) > 10*time.Second {
				shown = time.Now()
				fmt.Fprintf(progress, "%d of %d\n", n, bookings)
			}
		}
		r := request(bookahead.Time(rng.Int64N(int64(span))), 0, 1+rng.Int64N(16), bookahead.Duration(1+rng.IntN(1000)))
		r.Owner = "owner " + strconv.Itoa(n%1000)
		if err == nil {
			_, err = d.Do(desk.Book{Key: strconv.Itoa(n), Request: r})
		}
	}
	if err != nil {
		return err
	}
	took := time.Since(began)
	bytesEach := float64(inUse()-empty) / float64(bookings)
	var file bytes.Buffer
	began = time.Now()
	_, err = d.WriteTo(&file)
	if err != nil {
		return err
	}
	wrote, size := time.Since(began), file.Len()
	runtime.KeepAlive(d)
	d = nil
	runtime.GC()
	began = time.Now()
	_, err = desk.Read(&file, desk.Config{})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| bookings | booked in a second | memory | bytes each | snapshot | written in | read in |")
	fmt.Fprintln(out, "|--:|--:|--:|--:|--:|--:|--:|")
	fmt.Fprintf(out, "| %d | %.0f | %.1f GB | %.0f | %.0f MB | %.1f s | %.1f s |\n", bookings, float64(bookings)/took.Seconds(), bytesEach*float64(bookings)/1e9,
		bytesEach, float64(size)/1e6, wrote.Seconds(), time.Since(began).Seconds())
	return nil
}

// inUse returns how many bytes are in use.
func inUse() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
