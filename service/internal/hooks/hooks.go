package hooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

// Hooks are the webhooks of a service.
type Hooks struct {
	stop  context.CancelFunc
	ended sync.WaitGroup
}

// pace says how fast a hook goes. Tests have a faster one.
type pace struct {
	timeout time.Duration // of a call
	first   time.Duration // before a call is tried again for the first time
	most    time.Duration // before a call is tried again, at the most
	giveUp  time.Duration // the age of an event that is not tried again
	note    time.Duration // between two notes in the log
	look    time.Duration // between two looks at who leads
}

var usual = pace{timeout: 10 * time.Second, first: time.Second, most: time.Hour, giveUp: 3 * 24 * time.Hour, note: 10 * time.Second, look: time.Second}

// Start calls the webhooks of an office until Close. The error is that of a secret that cannot be read.
func Start(o *office.Office, log *slog.Logger) (*Hooks, error) { return start(o, log, usual) }

func start(o *office.Office, log *slog.Logger, p pace) (*Hooks, error) {
	var list []*hook
	for _, w := range o.Config.Webhooks {
		secret, err := config.ReadSecret(w.Secret)
		if err != nil {
			return nil, fmt.Errorf("webhook %q: %w", w.Name, err)
		}
		list = append(list, &hook{Webhook: w, pace: p, office: o, secret: secret, client: &http.Client{CheckRedirect: stay}, log: log.With("webhook", w.Name)})
	}
	ctx, stop := context.WithCancel(context.Background())
	h := &Hooks{stop: stop}
	for _, one := range list {
		h.ended.Go(func() { one.run(ctx) })
	}
	return h, nil
}

// Close ends the calls, and notes how far they have come.
func (h *Hooks) Close() {
	h.stop()
	h.ended.Wait()
}

// hook is a webhook. Its goroutine alone uses it.
type hook struct {
	config.Webhook
	pace
	office *office.Office
	secret []byte
	client *http.Client
	log    *slog.Logger

	at      uint64 // the receiver has heard of all events up to this number
	noted   uint64 // the number in the log
	notedAt time.Time
}

// errAway says that another member leads now.
var errAway = errors.New("hooks: another member leads")

// errEnded says that the receiver wants no calls any more.
var errEnded = errors.New("hooks: the receiver has ended the webhook, with status 410")

// run calls the receiver for as long as this member leads, again and again, until ctx ends.
func (h *hook) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := h.rest(ctx, 0)
		if err == nil {
			err = h.lead(ctx)
		}
		if errors.Is(err, errEnded) {
			h.log.Error("the receiver has answered with status 410: it is not called any more")
			return
		}
		if err != nil && !errors.Is(err, errAway) && ctx.Err() == nil {
			h.log.Warn("a webhook begins again", "err", err)
		}
		sleep(ctx, h.look)
	}
}

// lead calls the receiver until an error, or until another member leads.
func (h *hook) lead(ctx context.Context) error {
	_, err := h.office.Look(ctx, who.Caller{Role: who.Reader}) // from here on the journal has the notes of earlier leaders
	if err != nil {
		return err
	}
	at, ok := h.office.Journal.DeliveredTo(h.Name)
	h.at, h.noted = at, at
	if !ok {
		err = h.anew(ctx)
	}
	for err == nil {
		err = h.turn(ctx)
	}
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), h.timeout)
	defer stop()
	h.notedAt = time.Time{}
	return errors.Join(err, h.note(last))
}

// anew tells the receiver that events are gone, and goes on from the present.
func (h *hook) anew(ctx context.Context) error {
	h.at = h.office.Journal.Last()
	h.notedAt, h.noted = time.Time{}, h.at+1 // whatever comes, from here on
	err := h.note(ctx)
	if err != nil {
		return err
	}
	return h.tell(ctx, &api.Event{Number: h.at, At: time.Now(), What: "gone"})
}

// turn tells some events, or waits for some.
func (h *hook) turn(ctx context.Context) error {
	list, more, err := h.office.Journal.After(h.at)
	if err != nil {
		return h.anew(ctx)
	}
	for i := range list {
		if list[i].Number <= h.at {
			continue // events were given up meanwhile, this one among them
		}
		if h.tells(ctx, &list[i]) {
			e := h.office.EventOf(who.Caller{}, &list[i])
			err = h.tell(ctx, &e)
		}
		if err != nil {
			return err
		}
		h.at = max(h.at, list[i].Number)
		err = h.note(ctx)
		if err != nil {
			return err
		}
	}
	if len(list) == 0 {
		wait, stop := context.WithTimeout(ctx, h.look)
		defer stop()
		select {
		case <-more:
		case <-wait.Done():
		}
	}
	return errors.Join(h.rest(ctx, 0), h.note(ctx))
}

// note notes in the log how far the receiver has heard, if that is new and the last note is old enough.
func (h *hook) note(ctx context.Context) error {
	if h.at == h.noted || time.Since(h.notedAt) < h.pace.note {
		return nil
	}
	err := h.office.NoteDelivered(ctx, h.Name, h.at)
	if err == nil {
		h.noted, h.notedAt = h.at, time.Now()
	}
	return err
}

// rest waits for a time. The error says that ctx has ended, or that another member leads.
func (h *hook) rest(ctx context.Context, d time.Duration) error {
	for until := time.Now().Add(d); ; {
		switch left := time.Until(until); {
		case ctx.Err() != nil:
			return ctx.Err()
		case !h.office.Leads():
			return errAway
		case left <= 0:
			return nil
		default:
			sleep(ctx, min(left, h.look))
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
