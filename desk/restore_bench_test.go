package desk

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// throng returns a desk with live bookings of 1 to 3 parts on one pool, each with a key and an owner.
func throng(b *testing.B, live int) *Desk {
	d, err := New(Config{})
	require.NoError(b, err)
	_, err = d.Do(AddSchedule{"pool", Pool{Units: 128}})
	require.NoError(b, err)
	request := steady(live)
	for n := range live {
		r := request()
		shape := Shape{}
		for range 1 + n%3 {
			shape = append(shape, Part{On: "pool", Units: r.Units, Duration: r.Duration})
		}
		_, err := d.Do(Book{Key: fmt.Sprintf("key %d", n), Request: Request{
			Owner: owners100[n%100], Ready: r.Ready, Shapes: []Shape{shape},
		}})
		require.NoError(b, err)
	}
	return d
}

// BenchmarkRestore writes and reads a desk in turn, and reports the median of how much longer the reading takes.
func BenchmarkRestore(b *testing.B) {
	for _, n := range []int{live(b), 10 * live(b)} {
		b.Run(fmt.Sprintf("live=%d", n), func(b *testing.B) {
			d := throng(b, n)
			data := written(b, d)
			var ratios []float64
			for b.Loop() {
				began := time.Now()
				_, err := d.WriteTo(io.Discard)
				require.NoError(b, err)
				wrote := time.Now()
				_, err = Read(bytes.NewReader(data), Config{})
				require.NoError(b, err)
				ratios = append(ratios, float64(time.Since(wrote))/float64(wrote.Sub(began)))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "read/write")
		})
	}
}
