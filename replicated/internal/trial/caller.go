package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated"
)

// caller is a client that books, and cancels some of its bookings. It remembers the answers.
type caller struct {
	client  *replicated.Client
	name    string
	chance  *rand.Rand
	answers *atomic.Int64

	calls    []timed
	booked   map[string]desk.BookingID // by title; acknowledged
	doubtful map[string]bool           // titles without an answer
	live     []desk.BookingID          // booked, not cancelled
	gone     map[desk.BookingID]bool   // cancelled and acknowledged
	maybe    map[desk.BookingID]bool   // cancelled without an answer
	wrong    []string
}

// timed is a call with an answer.
type timed struct {
	at   time.Time
	took time.Duration
}

// run makes calls until enough is closed, and waits for the last answer.
func (c *caller) run(ctx context.Context, enough <-chan struct{}) {
	c.booked, c.doubtful = map[string]desk.BookingID{}, map[string]bool{}
	c.gone, c.maybe = map[desk.BookingID]bool{}, map[desk.BookingID]bool{}
	for n := 0; ctx.Err() == nil; n++ {
		select {
		case <-enough:
			return
		default:
		}
		if len(c.live) > 0 && c.chance.IntN(4) == 0 {
			c.cancel(ctx)
		} else {
			c.book(ctx, fmt.Sprint(n))
		}
	}
}

// book books without a key. So only the session keeps a retry from booking twice.
func (c *caller) book(ctx context.Context, title string) {
	out, err := c.do(ctx, desk.Book{Request: desk.Request{
		Owner: c.name, Title: title, Shapes: []desk.Shape{{{On: "pool", Units: 1 + c.chance.Int64N(8), Duration: 5}}},
	}})
	switch {
	case err == nil:
		c.booked[title] = out.Booking.ID
		c.live = append(c.live, out.Booking.ID)
		if out.Booking.Owner != c.name || out.Booking.Title != title {
			c.wrong = append(c.wrong, fmt.Sprintf("%s booked %q, and was answered %+v", c.name, title, out.Booking))
		}
	case errors.Is(err, replicated.ErrUnknown):
		c.doubtful[title] = true
	case ctx.Err() == nil:
		c.wrong = append(c.wrong, fmt.Sprintf("%s booked %q: %v", c.name, title, err))
	}
}

// cancel cancels a booking. A second Cancel is an ErrNotFound, so a retry that is carried out twice does not stay
// hidden.
func (c *caller) cancel(ctx context.Context) {
	i := c.chance.IntN(len(c.live))
	id := c.live[i]
	c.live = slices.Delete(c.live, i, i+1)
	_, err := c.do(ctx, desk.Cancel{ID: id})
	switch {
	case err == nil:
		c.gone[id] = true
	case errors.Is(err, replicated.ErrUnknown):
		c.maybe[id] = true
	case ctx.Err() == nil:
		c.wrong = append(c.wrong, fmt.Sprintf("%s cancelled %d: %v", c.name, id, err))
	}
}

func (c *caller) do(ctx context.Context, command desk.Command) (desk.Outcome, error) {
	begun := time.Now()
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	out, err := c.client.Do(ctx, command)
	if err == nil {
		c.answers.Add(1)
		now := time.Now()
		c.calls = append(c.calls, timed{now, now.Sub(begun)})
	}
	return out, err
}

// summary counts the calls.
func (t *trial) summary(callers []*caller, begun time.Time) Result {
	r := Result{Took: time.Since(begun), Kills: t.kills, LeaderKills: len(t.leads)}
	var all []timed
	for _, c := range callers {
		all = append(all, c.calls...)
		r.Booked += len(c.booked)
		r.Cancelled += len(c.gone)
		r.Unknown += len(c.doubtful) + len(c.maybe)
		r.Wrong = append(r.Wrong, c.wrong...)
	}
	if len(all) == 0 {
		return r
	}
	slices.SortFunc(all, func(a, b timed) int { return a.at.Compare(b.at) })
	last := begun
	for _, one := range all {
		r.Stop = max(r.Stop, one.at.Sub(last))
		last = one.at
	}
	r.Back = t.back(all)
	slices.SortFunc(all, func(a, b timed) int { return int(a.took - b.took) })
	at := func(per float64) time.Duration { return all[int(per*float64(len(all)-1))].took }
	r.P50, r.P99, r.P999 = at(0.5), at(0.99), at(0.999)
	return r
}

// back returns the median time from a kill of the leader to the next answer. The calls are in the order of their
// answers.
func (t *trial) back(calls []timed) time.Duration {
	var took []time.Duration
	for _, killed := range t.leads {
		const onTheWay = 5 * time.Millisecond // skips answers from before the kill
		i, _ := slices.BinarySearchFunc(calls, killed.Add(onTheWay), func(c timed, at time.Time) int { return c.at.Compare(at) })
		if i < len(calls) {
			took = append(took, calls[i].at.Sub(killed))
		}
	}
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// check waits until all members have the same log. It checks that their states have the same bytes, and that each
// acknowledged booking is there once.
func (t *trial) check(ctx context.Context, admin *replicated.Client, callers []*caller, r *Result) error {
	var views []replicated.View
	for {
		views = nil
		for _, m := range t.members {
			v, err := admin.ReadAt(ctx, m.peer.Address, replicated.Linearizable)
			if err == nil {
				views = append(views, v)
			}
		}
		same := len(views) == len(t.members)
		for _, v := range views {
			same = same && v.Applied == views[0].Applied
		}
		if same {
			break
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			r.Wrong = append(r.Wrong, fmt.Sprintf("not all members come to the same entry: %d answer", len(views)))
			return nil
		}
	}
	r.Entries = views[0].Applied
	var first []byte
	for i, v := range views {
		var b bytes.Buffer
		_, err := v.WriteTo(&b)
		if err != nil {
			return err
		}
		err = v.Verify()
		if err != nil {
			r.Wrong = append(r.Wrong, fmt.Sprintf("member %s: %v", t.members[i].peer.ID, err))
		}
		if i == 0 {
			first = b.Bytes()
		}
		if !bytes.Equal(first, b.Bytes()) {
			r.Wrong = append(r.Wrong, fmt.Sprintf("members 1 and %s differ after entry %d", t.members[i].peer.ID, v.Applied))
		}
	}
	r.Bytes = len(first)
	for _, c := range callers {
		r.Wrong = append(r.Wrong, c.missing(views[0].Desk)...)
	}
	return nil
}

// missing returns the differences between the answers of a caller and a desk.
func (c *caller) missing(d *desk.Desk) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, c.name+": "+fmt.Sprintf(format, args...)) }
	seen := map[string]desk.BookingID{}
	for b := range d.Bookings(desk.Filter{Owner: c.name}, bookahead.Effort{}) {
		before, twice := seen[b.Title]
		if twice {
			say("%q is booked twice, as %d and %d", b.Title, before, b.ID)
		}
		seen[b.Title] = b.ID
		answered, ok := c.booked[b.Title]
		switch {
		case ok && answered != b.ID:
			say("%q is %d, and was answered as %d", b.Title, b.ID, answered)
		case !ok && !c.doubtful[b.Title]:
			say("%q is booked, and was refused", b.Title)
		}
		cancelled := b.State == desk.Cancelled
		if cancelled != c.gone[b.ID] && !c.maybe[b.ID] {
			say("%d is %v, and was cancelled: %v", b.ID, b.State, c.gone[b.ID])
		}
	}
	for _, title := range slices.Sorted(maps.Keys(c.booked)) {
		_, ok := seen[title]
		if !ok {
			say("%q, booked as %d, is lost", title, c.booked[title])
		}
	}
	return wrong
}
