package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/service/api"
)

func get[T any](ctx context.Context, c *Client, path string, query url.Values) (T, error) {
	return do[T](ctx, c, &call{method: "GET", path: path, query: query, twice: true})
}

// ask posts a question, which changes nothing.
func ask[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	return do[T](ctx, c, &call{method: "POST", path: path, body: body, twice: true})
}

func window(from, until time.Time) url.Values {
	return url.Values{"from": {from.Format(time.RFC3339Nano)}, "until": {until.Format(time.RFC3339Nano)}}
}

func byNumber(path string, id uint64) string { return path + strconv.FormatUint(id, 10) }

// Schedules returns what can be booked.
func (c *Client) Schedules(ctx context.Context) ([]api.Schedule, error) {
	return get[[]api.Schedule](ctx, c, "/v1/schedules", nil)
}

// Schedule returns a schedule by its name.
func (c *Client) Schedule(ctx context.Context, name string) (api.Schedule, error) {
	return get[api.Schedule](ctx, c, "/v1/schedules/"+url.PathEscape(name), nil)
}

// Free returns how much of a schedule is free, step by step.
func (c *Client) Free(ctx context.Context, name string, from, until time.Time) ([]api.Step, error) {
	return get[[]api.Step](ctx, c, "/v1/schedules/"+url.PathEscape(name)+"/free", window(from, until))
}

// Use returns how much of a schedule each owner uses.
func (c *Client) Use(ctx context.Context, name string, from, until time.Time) ([]api.Use, error) {
	return get[[]api.Use](ctx, c, "/v1/schedules/"+url.PathEscape(name)+"/use", window(from, until))
}

// Search returns the earliest place of a wish. It books nothing.
func (c *Client) Search(ctx context.Context, w api.Wish) (api.Offer, error) {
	return ask[api.Offer](ctx, c, "/v1/searches", w)
}

// Alternatives returns places that would do instead.
func (c *Client) Alternatives(ctx context.Context, w api.Wish) ([]api.Offer, error) {
	return ask[[]api.Offer](ctx, c, "/v1/alternatives", w)
}

// Why says why a wish has no place, or only a late one.
func (c *Client) Why(ctx context.Context, w api.Wish) (api.Refusal, error) {
	return ask[api.Refusal](ctx, c, "/v1/reasons", w)
}

// Book books, holds or waits. A caller who may call again after its own end gives a key, and has the same booking then.
func (c *Client) Book(ctx context.Context, key string, b api.Book) (api.Booking, error) {
	return do[api.Booking](ctx, c, &call{method: "POST", path: "/v1/bookings", body: b, key: cmp.Or(key, rand.Text())})
}

// Booking returns a booking by its number.
func (c *Client) Booking(ctx context.Context, id uint64) (api.Booking, error) {
	return get[api.Booking](ctx, c, byNumber("/v1/bookings/", id), nil)
}

// Bookings yields the bookings of a query, such as from, until, schedule, owner, label, state and series, page by page. The
// last pair has an error if there is one.
func (c *Client) Bookings(ctx context.Context, query url.Values) iter.Seq2[api.Booking, error] {
	return func(yield func(api.Booking, error) bool) {
		query := url.Values{"limit": {"1000"}, "from": query["from"], "until": query["until"], "schedule": query["schedule"],
			"owner": query["owner"], "label": query["label"], "state": query["state"], "series": query["series"]}
		for {
			page, err := get[api.Page[api.Booking]](ctx, c, "/v1/bookings", query)
			if err != nil {
				yield(api.Booking{}, err)
				return
			}
			for _, b := range page.Items {
				if !yield(b, nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			query.Set("cursor", page.Next)
		}
	}
}

// Change gives a booking another wish. With a tag the booking must still be as the caller has seen it: a change that is sent again
// since its answer was lost is refused with 412 then, and the booking shows whether it was carried out. Preempt is "", or whose bookings give way.
func (c *Client) Change(ctx context.Context, id uint64, tag string, w api.Wish, preempt string) (api.Booking, error) {
	x := &call{method: "PUT", path: byNumber("/v1/bookings/", id), body: w, tag: tag, twice: true}
	if preempt != "" {
		x.query = url.Values{"preempt": {preempt}}
	}
	return do[api.Booking](ctx, c, x)
}

// Commit makes a booking of a hold, End ends a running booking now, and Cancel gives up a booking. With a tag the booking must
// still be as the caller has seen it.
func (c *Client) Commit(ctx context.Context, id uint64, tag string) (api.Booking, error) {
	return c.act(ctx, "POST", id, "/commit", tag, "booked", "running", "ended")
}

// End is described with Commit.
func (c *Client) End(ctx context.Context, id uint64, tag string) (api.Booking, error) {
	return c.act(ctx, "POST", id, "/end", tag, "ended")
}

// Cancel is described with Commit.
func (c *Client) Cancel(ctx context.Context, id uint64, tag string) (api.Booking, error) {
	return c.act(ctx, "DELETE", id, "", tag, "cancelled")
}

// act does something to a booking. If it was sent twice, and refused then, the first may have been carried out: the booking has one
// of some states, and that is what the caller wants.
func (c *Client) act(ctx context.Context, method string, id uint64, verb, tag string, done ...string) (api.Booking, error) {
	x := &call{method: method, path: byNumber("/v1/bookings/", id) + verb, tag: tag, twice: true}
	b, err := do[api.Booking](ctx, c, x)
	var p *api.Problem
	if x.sent > 1 && errors.As(err, &p) && p.Status < http.StatusInternalServerError {
		now, wrong := c.Booking(ctx, id)
		if wrong == nil && slices.Contains(done, now.State) {
			return now, nil
		}
	}
	return b, err
}

// BookSeries books a wish once in each of several windows.
func (c *Client) BookSeries(ctx context.Context, key string, s api.Series) (api.SeriesBooked, error) {
	return do[api.SeriesBooked](ctx, c, &call{method: "POST", path: "/v1/series", body: s, key: cmp.Or(key, rand.Text())})
}

// CancelSeries gives up all bookings of a series that have not begun.
func (c *Client) CancelSeries(ctx context.Context, id uint64) ([]api.Event, error) {
	return do[[]api.Event](ctx, c, &call{method: "DELETE", path: byNumber("/v1/series/", id)})
}

// Outages returns what is closed; of all schedules for "".
func (c *Client) Outages(ctx context.Context, schedule string) ([]api.Outage, error) {
	return get[[]api.Outage](ctx, c, "/v1/outages", url.Values{"schedule": {schedule}})
}

// InTheWay returns the bookings that lie where something is to be closed.
func (c *Client) InTheWay(ctx context.Context, w api.Close) ([]api.Booking, error) {
	return ask[[]api.Booking](ctx, c, "/v1/outages/preview", w)
}

// Close closes units, servers or nodes. It is sent once: an error that is no *api.Problem leaves open whether it was carried out.
func (c *Client) Close(ctx context.Context, w api.Close) (api.Closed, error) {
	return do[api.Closed](ctx, c, &call{method: "POST", path: "/v1/outages", body: w})
}

// Reopen ends an outage now.
func (c *Client) Reopen(ctx context.Context, id uint64) ([]api.Event, error) {
	return do[[]api.Event](ctx, c, &call{method: "DELETE", path: byNumber("/v1/outages/", id)})
}

// ConfirmClock lets the clock go on after all members were stopped for long, for operators.
func (c *Client) ConfirmClock(ctx context.Context) error {
	_, _, err := c.send(ctx, &call{method: "POST", path: "/v1/clock", twice: true})
	return err
}

// Quotas returns the quotas, and how much of each the caller uses in a window.
func (c *Client) Quotas(ctx context.Context, from, until time.Time) ([]api.Quota, error) {
	return get[[]api.Quota](ctx, c, "/v1/quotas", window(from, until))
}

// Audit returns some events behind a number with who has done them, for operators.
func (c *Client) Audit(ctx context.Context, after uint64) ([]api.Event, error) {
	return get[[]api.Event](ctx, c, "/v1/audit", url.Values{"after": {strconv.FormatUint(after, 10)}})
}

// Health returns the state of the member that answers. The error of a member that cannot carry out calls has its reason.
func (c *Client) Health(ctx context.Context) (api.Health, error) {
	return do[api.Health](ctx, c, &call{method: "GET", path: "/readyz"})
}

// Backup writes a backup of the whole desk, for operators. What is written before an error is no backup.
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	answer, _, err := c.send(ctx, &call{method: "GET", path: "/v1/backup", twice: true, stream: true})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(w, answer.Body)
	if err != nil {
		err = fmt.Errorf("client: the backup is cut off: %w", err)
	}
	return err
}
