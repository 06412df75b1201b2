package bookahead_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/idletree"
)

// TestPicture compares readme.svg, the picture of the README, with the schedule that it shows:
// eight GPUs of which one is closed for the morning, and the earliest place for three of them
// from half past eight on.
func TestPicture(t *testing.T) {
	const file, gpus, hour = "readme.svg", 8, 60
	window := bookahead.Interval{Start: 0, End: 9 * hour}
	tree, err := idletree.NewTree(gpus, idletree.Config{Horizon: 24 * hour, Prefer: idletree.LowestIndex})
	require.NoError(t, err)
	_, err = tree.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 4 * hour}, Servers: []int{7}})
	require.NoError(t, err)

	owner := map[bookahead.ID]string{}
	var booked []bookahead.Reservation
	for _, b := range []struct {
		owner string
		bookahead.Request
	}{
		{"ann", bookahead.At(0, 3*hour, 4)},
		{"bob", bookahead.At(hour, 4*hour, 3)},
		{"cho", bookahead.At(4*hour, 2*hour, 4)},
		{"ann", bookahead.At(5*hour, 2*hour, 4)},
		{"bob", bookahead.At(6*hour+30, 90, 2)},
	} {
		res, err := tree.Reserve(b.Request)
		require.NoError(t, err)
		owner[res.ID] = b.owner
		booked = append(booked, res)
	}
	profile, err := gantt.ProfileOf("in use", tree, gpus, window)
	require.NoError(t, err)
	offer, err := tree.Search(bookahead.Request{Ready: 30, Duration: hour, Units: 3})
	require.NoError(t, err)
	require.Equal(t, "[180, 240) [0 1 2]", offer.String())

	bars, err := gantt.ServerBars(booked, func(r bookahead.Reservation) (label, key string) { return owner[r.ID], owner[r.ID] })
	require.NoError(t, err)
	bars = append(bars,
		gantt.Bar{Interval: bookahead.Interval{Start: 0, End: 4 * hour}, Row: 7, Label: "closed for repair", Closed: true},
		gantt.Bar{Interval: offer.Interval, Rows: len(offer.Servers), Label: "3 for an hour", Key: "3 for an hour", Held: true})
	axis, err := gantt.WallClock(bookahead.Clock{Epoch: time.Date(2027, time.January, 4, 8, 0, 0, 0, time.UTC), Tick: time.Minute})
	require.NoError(t, err)
	chart := gantt.Chart{
		Title: "Eight GPUs, and the earliest place for three of them for an hour, from 08:30 on",
		Axis:  axis, Window: window, Now: 30, Rows: gpus, Bars: bars, Profiles: []gantt.Profile{profile}, Width: 860,
	}
	var picture bytes.Buffer
	_, err = chart.WriteTo(&picture)
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(file, picture.Bytes(), 0o644))
	}
	committed, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, bytes.Equal(picture.Bytes(), committed), "%s is another picture: run the test with -update", file)
}
