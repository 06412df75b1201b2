package desk

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func TestScratchFrom(t *testing.T) {
	for _, e := range []int{20,22,24,26} {
	d := deskWith(t, "pool", Pool{Units: 100})
	l := bookahead.Duration(1)<<e
	for _, r := range []Request{
		{Owner: "eve", Shapes: []Shape{{{On: "pool", Units: 1, Duration: 1 << 10}}}},
		{Owner: "eve", Ready: 1 << 10, Shapes: []Shape{{{On: "pool", Units: 2, Duration: l}}}},
	} {
		_, err := d.Do(Book{Request: r})
		require.NoError(t, err)
	}
	do(t, d, SetQuota{"q", Quota{Each: true, Ticks: 1, Every: 5, From: 1<<12 - 1}})
	for _, dur := range []bookahead.Duration{1,1<<10, l} {
	start := time.Now()
		_, err := d.Do(Book{Request: Request{Owner: "eve", Ready: 1 << 10, Shapes: []Shape{{{On: "pool", Units: 2, Duration: dur}}}}})
		t.Log(e, dur, err, time.Since(start))
	}
	}
}
