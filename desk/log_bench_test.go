package desk

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// filled returns a desk with live bookings on one pool, each with a key and an owner.
func filled(b *testing.B, live int, do func(d *Desk) func(Command) (Outcome, error)) *Desk {
	d, err := New(Config{})
	require.NoError(b, err)
	next := do(d)
	_, err = next(AddSchedule{"pool", Pool{Units: 128}})
	require.NoError(b, err)
	request := steady(live)
	for n := range live {
		r := request()
		_, err := next(Book{Key: fmt.Sprintf("key %d", n), Request: Request{
			Owner: owners100[n%100], Ready: r.Ready, Shapes: []Shape{{{On: "pool", Units: r.Units, Duration: r.Duration}}},
		}})
		require.NoError(b, err)
	}
	return d
}

func live(b *testing.B) int {
	if testing.Short() {
		return 1_000
	}
	return 100_000
}

// BenchmarkLog books and cancels beside many live bookings, through a log and without.
func BenchmarkLog(b *testing.B) {
	plain := func(d *Desk) func(Command) (Outcome, error) { return d.Do }
	for _, way := range []string{"none", "binary"} {
		b.Run("log="+way, func(b *testing.B) {
			d := filled(b, live(b), plain)
			do := d.Do
			if way != "none" {
				do = NewLog(d, io.Discard).Do
			}
			request, n := steady(live(b)), 0
			for b.Loop() {
				n++
				r := request()
				out, err := do(Book{Key: fmt.Sprintf("new %d", n), Request: Request{
					Owner: owners100[n%100], Ready: r.Ready, Shapes: []Shape{{{On: "pool", Units: r.Units, Duration: r.Duration}}},
				}})
				if err == nil {
					_, err = do(Cancel{out.Booking.ID})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReplay replays the log of many bookings.
func BenchmarkReplay(b *testing.B) {
	var log bytes.Buffer
	filled(b, live(b), func(d *Desk) func(Command) (Outcome, error) { return NewLog(d, &log).Do })
	for b.Loop() {
		d, err := New(Config{})
		require.NoError(b, err)
		_, err = Replay(bytes.NewReader(log.Bytes()), d, nil)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(live(b)), "ns/entry")
	b.ReportMetric(float64(log.Len())/float64(live(b)), "bytes/entry")
}

// BenchmarkSnapshot writes and reads a desk of many bookings, and applies entries on it.
func BenchmarkSnapshot(b *testing.B) {
	d := filled(b, live(b), func(d *Desk) func(Command) (Outcome, error) { return d.Do })
	data := written(b, d)
	each := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(live(b)), "ns/booking")
		b.ReportMetric(float64(len(data))/float64(live(b)), "bytes/booking")
	}
	b.Run("op=write", func(b *testing.B) {
		for b.Loop() {
			_, err := d.WriteTo(io.Discard)
			require.NoError(b, err)
		}
		each(b)
	})
	b.Run("op=read", func(b *testing.B) {
		for b.Loop() {
			_, err := Read(bytes.NewReader(data), Config{})
			require.NoError(b, err)
		}
		each(b)
	})
}

// BenchmarkApply applies entries that were decided: a booking of one place, which needs no clone, and a
// Cancel, which is applied to one.
func BenchmarkApply(b *testing.B) {
	d := filled(b, live(b), func(d *Desk) func(Command) (Outcome, error) { return d.Do })
	request := steady(live(b))
	for b.Loop() {
		r := request()
		e, err := d.Decide(Book{Request: Request{Ready: r.Ready, Shapes: []Shape{{{On: "pool", Units: r.Units, Duration: r.Duration}}}}})
		if err != nil {
			b.Fatal(err)
		}
		out, err := d.Apply(e)
		if err != nil {
			b.Fatal(err)
		}
		e, err = d.Decide(Cancel{out.Booking.ID})
		if err != nil {
			b.Fatal(err)
		}
		_, err = d.Apply(e)
		if err != nil {
			b.Fatal(err)
		}
	}
}
