// Bandwidth is a calendar of transfers over one line of 100 Gb/s. A transfer may be narrow and long or wide and short: of its
// shapes that end in time it takes the one that is done first. A customer has a quota of terabytes in any day. A
// refusal gives its reasons, and other places. The calendar survives a restart. A tick is a minute.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

const (
	gbps     = 100
	terabyte = 8000 / 60. // in Gb/s and minutes
)

var clock = bookahead.Clock{Epoch: time.Date(2027, time.January, 4, 0, 0, 0, 0, time.UTC), Tick: time.Minute}

func main() {
	d := must(desk.New(desk.Config{}))
	for _, c := range []desk.Command{
		desk.AddSchedule{Name: "line", Kind: desk.Pool{Units: gbps, Horizon: 48 * 60}},
		desk.SetQuota{Name: "day", Quota: desk.Quota{Label: "customer", Each: true, Ticks: 150 * terabyte, Window: 24 * 60}},
		desk.Book{Request: fixed("telescope", 70, 60, 180)},
		desk.Book{Request: fixed("backbone", 100, 300, 60)},
	} {
		must(d.Do(c))
	}

	for _, t := range []struct {
		owner           string
		terabytes       int64
		ready, deadline bookahead.Time
	}{
		{"genomes", 60, 0, 12 * 60},
		{"climate", 110, 30, 12 * 60},
		{"backup", 40, 120, 8 * 60},
		{"movie", 145, 0, 8 * 60},
		{"genomes", 100, 600, 24 * 60}, // more than the quota has left
		{"genomes", 100, 600, 36 * 60},
	} {
		r := transfer(t.owner, t.terabytes, t.ready, t.deadline)
		out, err := d.Do(desk.Book{Request: r})
		if err == nil {
			p := out.Booking.Places[0]
			fmt.Printf("%-8s %3d Gb/s, %s to %s\n", t.owner, p.Units, wall(p.Start), wall(p.End))
			continue
		}
		fmt.Printf("%-8s %v\n", t.owner, err)
		if errors.Is(err, bookahead.ErrUnavailable) {
			instead(d, r)
		}
	}
	_, used, err := d.QuotaUse("day", "genomes", bookahead.Interval{End: 24 * 60})
	check(err)
	fmt.Printf("genomes has %.0f of 150 TB on Monday\n", float64(used)/terabyte)

	// Written before a restart, and read after it.
	var saved bytes.Buffer
	must(d.WriteTo(&saved))
	size := saved.Len()
	d = must(desk.Read(&saved, desk.Config{}))
	fmt.Println("the calendar, after a restart from", size, "bytes:")
	for start := bookahead.Time(0); start < 12*60; start += 60 {
		free := must(d.Free(bookahead.Interval{Start: start, End: start + 60}, desk.Part{On: "line"}))
		fmt.Printf("%s │%s\n", wall(start), strings.Repeat("█", int(gbps-free.Free)/4))
	}
}

// transfer is a wish for one of several rates. Those that are too slow for the deadline are left out.
func transfer(owner string, terabytes int64, ready, deadline bookahead.Time) desk.Request {
	r := desk.Request{Owner: owner, Labels: []string{"customer"}, Ready: ready, Deadline: deadline}
	for _, rate := range []int64{10, 20, 40, 80, 100} {
		minutes := bookahead.Duration((terabytes*8000 + rate*60 - 1) / (rate * 60))
		if ready+bookahead.Time(minutes) <= deadline {
			r.Shapes = append(r.Shapes, desk.Shape{{On: "line", Units: rate, Duration: minutes}})
		}
	}
	return r
}

// instead names the obstacles of the narrowest shape, and offers a later time, a lower rate and a shorter one: a part of
// the data, that is, in time.
func instead(d *desk.Desk, r desk.Request) {
	narrow := r
	narrow.Shapes = r.Shapes[:1]
	why, err := d.Why(narrow, bookahead.Effort{})
	check(err)
	for _, o := range why.Obstacles {
		fmt.Println("   as", o.Text(clock, "15:04"))
	}
	p := narrow.Shapes[0][0]
	vary := desk.Vary{Units: desk.Down(p.Units, 10, 10), Durations: desk.Down(p.Duration, 60, 60), Until: 24 * 60}
	for b, err := range d.Alternatives(narrow, vary, bookahead.Effort{}) {
		check(err)
		a := b.Places[0]
		fmt.Printf("   or %3d Gb/s, %s to %s, %.0f TB\n", a.Units, wall(a.Start), wall(a.End), float64(a.Units)*float64(a.End-a.Start)/terabyte)
	}
}

func fixed(owner string, rate int64, start bookahead.Time, minutes bookahead.Duration) desk.Request {
	return desk.Request{Owner: owner, Ready: start, Shapes: []desk.Shape{{{On: "line", Units: rate, Duration: minutes}}}}
}

func wall(t bookahead.Time) string { return must(clock.Wall(t)).Format("Mon 15:04") }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
