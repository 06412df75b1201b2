package trial

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/depth"
)

var killsFlag = flag.Int("kills", 0, "how often TestKills kills the leader; 0 means 3 times, in proportion to BOOKAHEAD_OPS")

// seed is the seed of the killer and of the clients.
var seed = flag.Uint64("seed", 1, "seed of TestKills")

func TestMain(m *testing.M) {
	Member()
	os.Exit(m.Run())
}

// Members are killed while clients book. No acknowledged booking is lost, none is there twice, and in the end all
// members have the same bytes.
func TestKills(t *testing.T) {
	kills := *killsFlag
	if kills == 0 {
		kills = depth.Cases(3)
	}
	for _, members := range []int{1, 3} {
		t.Run(fmt.Sprintf("members=%d", members), func(t *testing.T) {
			dir := t.TempDir()
			r, err := Run(t.Context(), Plan{
				Members: members, Kills: kills, For: time.Duration(kills) * time.Second, Random: 2 * time.Second, Seed: *seed, Dir: dir, Say: t.Logf,
			})
			t.Logf("%+v", r)
			if err != nil || len(r.Wrong) > 0 {
				t.Log(Tail(dir, 1<<14))
			}
			require.NoError(t, err)
			require.Empty(t, r.Wrong)
			require.Equal(t, kills, r.LeaderKills)
			require.Zero(t, r.Unknown, "each call has an answer in the end")
			require.Positive(t, r.Booked)
		})
	}
}

// The check must find a booking that is lost, one that is there twice, one that was refused, and one that was
// cancelled by nobody: otherwise TestKills would show nothing.
func TestTheCheckSeesFaults(t *testing.T) {
	for name, fault := range map[string]func(*desk.Desk, *caller){
		"lost":       func(_ *desk.Desk, c *caller) { c.booked["more"] = 9 },
		"twice":      func(d *desk.Desk, c *caller) { book(t, d, c.name, "0") },
		"refused":    func(d *desk.Desk, c *caller) { book(t, d, c.name, "more") },
		"another":    func(_ *desk.Desk, c *caller) { c.booked["0"]++ },
		"cancelled":  func(d *desk.Desk, _ *caller) { do(t, d, desk.Cancel{ID: 1}) },
		"uncanceled": func(_ *desk.Desk, c *caller) { c.gone[1] = true },
	} {
		t.Run(name, func(t *testing.T) {
			d, err := desk.New(desk.Config{Keep: keep})
			require.NoError(t, err)
			do(t, d, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 64}})
			c := &caller{name: "ann"}
			stopped, stop := context.WithCancel(t.Context())
			stop()
			c.run(stopped, nil)
			for i := range 3 {
				title := fmt.Sprint(i)
				c.booked[title] = book(t, d, c.name, title)
			}
			do(t, d, desk.Cancel{ID: 2})
			c.gone[2] = true
			require.Empty(t, c.missing(d))
			fault(d, c)
			require.NotEmpty(t, c.missing(d))
		})
	}
}

func do(t *testing.T, d *desk.Desk, c desk.Command) desk.Outcome {
	t.Helper()
	out, err := d.Do(c)
	require.NoError(t, err)
	return out
}

func book(t *testing.T, d *desk.Desk, owner, title string) desk.BookingID {
	t.Helper()
	return do(t, d, desk.Book{Request: desk.Request{Owner: owner, Title: title, Shapes: []desk.Shape{{{On: "pool", Units: 1, Duration: 5}}}}}).Booking.ID
}
