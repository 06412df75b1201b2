package desk

import (
	"bytes"
	"fmt"
	"io"
	"syscall"
	"testing"

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

func userTime() float64 {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}

func BenchmarkReadWrite(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("live=%d", n), func(b *testing.B) {
			d := throng(b, n)
			var out bytes.Buffer
			_, err := d.WriteTo(&out)
			require.NoError(b, err)
			var ratios []float64
			var wr, rd float64
			for b.Loop() {
				u0 := userTime()
				_, err := d.WriteTo(io.Discard)
				require.NoError(b, err)
				u1 := userTime()
				_, err = Read(bytes.NewReader(out.Bytes()), Config{})
				require.NoError(b, err)
				u2 := userTime()
				ratios = append(ratios, (u2-u1)/(u1-u0))
				wr, rd = wr+u1-u0, rd+u2-u1
				fmt.Printf("n=%d write %.0f read %.0f ratio %.2f\n", n, (u1-u0)*1e3, (u2-u1)*1e3, (u2-u1)/(u1-u0))
			}
		})
	}
}
