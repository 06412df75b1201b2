// Lambda books light paths ahead: a transfer has the same wavelength on every link of its
// path, since no link converts it. Each wavelength of each link has an
// availability vector. The vectors of a path are composed, each shifted by the delay of the links before
// it, and a transfer fits into the first run that is long enough (Stevens et al.,
// "Multi-cost job routing and scheduling in Grid networks", 2009, §4.1-4.3). A slot
// is a millisecond.
package main

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead/avail"
)

const (
	wavelengths = 3
	slots       = 60
)

// link is a fibre: a vector for each wavelength.
type link struct {
	name  string
	delay int // slots
	free  [wavelengths]*avail.Vector
}

func newLink(name string, delay int) *link {
	l := &link{name: name, delay: delay}
	for w := range l.free {
		l.free[w] = must(avail.NewVector(slots))
		l.free[w].Set(0, slots)
	}
	return l
}

func main() {
	path := []*link{newLink("Ghent-Amsterdam", 2), newLink("Amsterdam-Poznań", 6), newLink("Poznań-Prague", 3)}
	// The bookings of others.
	path[0].free[0].Clear(0, 25)
	path[1].free[0].Clear(40, 60)
	path[1].free[1].Clear(10, 30)
	path[2].free[1].Clear(45, 50)
	path[2].free[2].Clear(0, 48)

	for _, l := range path {
		for w, v := range l.free {
			fmt.Printf("%-17s λ%d %s\n", l.name, w, v)
		}
	}
	for _, burst := range []int{12, 12, 9, 12} {
		w, start, ok := assign(path, burst)
		if !ok {
			fmt.Printf("%d slots: blocked\n", burst)
			continue
		}
		fmt.Printf("%d slots: λ%d, sent in [%d, %d), is there at %d\n", burst, w, start, start+burst, book(path, w, start, burst))
	}
}

// assign returns the wavelength on which a burst can be sent first.
func assign(path []*link, burst int) (wavelength, start int, ok bool) {
	for w := range wavelengths {
		along, delay := path[0].free[w], path[0].delay
		for _, l := range path[1:] {
			along = along.Compose(l.free[w], delay)
			delay += l.delay
		}
		at, fits := along.FirstRun(burst)
		if fits && (!ok || at < start) {
			wavelength, start, ok = w, at, true
		}
	}
	return wavelength, start, ok
}

// book takes the burst out of each link for the time when it passes, and returns the slot in which its
// last bit has arrived.
func book(path []*link, w, start, burst int) (end int) {
	for _, l := range path {
		l.free[w].Clear(start, start+burst)
		start += l.delay
	}
	return start + burst
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
