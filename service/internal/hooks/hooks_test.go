package hooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

var (
	quick = pace{timeout: 10 * time.Second, first: time.Millisecond, most: 10 * time.Millisecond, giveUp: time.Hour, note: 5 * time.Millisecond, look: 5 * time.Millisecond}
	root  = who.Caller{Owner: "root", Role: who.Operator, By: "root"}
	ann   = who.Caller{Owner: "ann", Role: who.Booker, By: "ann"}
	bob   = who.Caller{Owner: "bob", Role: who.Booker, By: "bob"}
)

// receiver is a webhook's receiver, which checks each call and answers as told.
type receiver struct {
	*testing.T
	*httptest.Server
	mu     sync.Mutex
	got    []api.Event
	answer func(n int, w http.ResponseWriter, r *http.Request) // takes the event if it is nil, or writes nothing
	calls  int
}

func receive(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	x := &receiver{T: t, answer: answer}
	x.Server = httptest.NewServer(x)
	t.Cleanup(x.Server.Close)
	return x
}

// written notes whether something was answered.
type written struct {
	http.ResponseWriter
	is bool
}

func (w *written) WriteHeader(status int) {
	w.is = true
	w.ResponseWriter.WriteHeader(status)
}

func (x *receiver) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != "POST" {
		x.Errorf("%s: %v", r.Method, err)
	}
	seconds, sum := int64(0), ""
	fmt.Sscanf(strings.ReplaceAll(r.Header.Get("Bookahead-Signature"), ",", " "), "t=%d v1=%s", &seconds, &sum)
	own := hmac.New(sha256.New, []byte("a key"))
	fmt.Fprintf(own, "%d.%s", seconds, body)
	if sum != hex.EncodeToString(own.Sum(nil)) || time.Since(time.Unix(seconds, 0)) > time.Minute {
		x.Errorf("the signature %q is not that of %s", r.Header.Get("Bookahead-Signature"), body)
	}
	var e api.Event
	err = json.Unmarshal(body, &e)
	if err != nil || r.Header.Get("Bookahead-Delivery") != fmt.Sprint(e.Number) || e.By != "" {
		x.Errorf("%v: %s", err, body)
	}
	x.mu.Lock()
	x.calls++
	n := x.calls
	x.mu.Unlock()
	w := &written{ResponseWriter: to}
	if x.answer != nil {
		x.answer(n, w, r)
	}
	if w.is {
		return
	}
	x.mu.Lock()
	x.got = append(x.got, e)
	x.mu.Unlock()
}

// events returns what was taken.
func (x *receiver) events() []api.Event {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.got)
}

func (x *receiver) called() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.calls
}

// open opens an office in a folder, with a webhook.
func open(t *testing.T, folder, url, more string) *office.Office {
	require.NoError(t, os.WriteFile(filepath.Join(folder, "key"), []byte(" a key\n"), 0o600))
	text := "zone: Europe/Berlin\nschedules:\n  - {name: link, kind: pool, units: 100}\n  - {name: lab, kind: servers, count: 3}\n"
	text += "webhooks:\n  - {name: chat, url: '" + url + "', secret: key" + more + "}\n"
	c, err := config.Read([]byte(text), filepath.Join(folder, "bookahead.yaml"))
	require.NoError(t, err)
	o, err := office.Open(c, office.Options{Log: silent})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		l, err := o.Glance(t.Context(), root)
		return err == nil && len(l.Schedules()) == 2
	}, 20*time.Second, 5*time.Millisecond)
	return o
}

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

func begin(t *testing.T, o *office.Office, p pace) *Hooks {
	h, err := start(o, silent, p)
	require.NoError(t, err)
	return h
}

// book books on a schedule at some hour from now.
func book(t *testing.T, o *office.Office, c who.Caller, schedule string, hour int) uint64 {
	at := time.Now().Add(time.Duration(hour) * time.Hour)
	b, err := o.Book(t.Context(), c, "", api.Book{Wish: api.Wish{Title: "secret", Ready: &at, Parts: []api.Part{{Schedule: schedule, Units: 1, Duration: "PT1H"}}}})
	require.NoError(t, err)
	return b.ID
}

// truth returns the events of the journal behind a number.
func truth(t *testing.T, o *office.Office, after uint64) (list []uint64) {
	for {
		events, _, err := o.Journal.After(after)
		require.NoError(t, err)
		if len(events) == 0 {
			return list
		}
		for _, e := range events {
			after = e.Number
			list = append(list, e.Number)
		}
	}
}

// told returns the numbers of events from the first one behind "gone" on, each once, and checks that they come in order: behind
// each event comes one that is new, or some that were told before.
func told(t *testing.T, list []api.Event) (numbers []uint64) {
	for _, e := range list {
		if e.What == "gone" {
			continue
		}
		i, known := slices.BinarySearch(numbers, e.Number)
		require.True(t, known || i == len(numbers), "event %d is new, and comes behind %v", e.Number, numbers)
		if !known {
			numbers = append(numbers, e.Number)
		}
	}
	return numbers
}

// settle waits until the webhook is done with all events of an office.
func settle(t *testing.T, o *office.Office) {
	last := o.Journal.Last()
	require.Eventually(t, func() bool {
		all := truth(t, o, 0)
		at, _ := o.Journal.DeliveredTo("chat")
		return at >= min(last, all[len(all)-1])
	}, 30*time.Second, time.Millisecond)
}

// await waits until a receiver has taken the last event of an office.
func await(t *testing.T, x *receiver, o *office.Office) {
	require.Eventually(t, func() bool {
		all, got := truth(t, o, 0), x.events()
		return len(got) > 0 && got[len(got)-1].Number == all[len(all)-1]
	}, 30*time.Second, 5*time.Millisecond)
}

// TestAReceiverThatFails fails, hangs, hangs up and takes events without an answer. It hears of each event nevertheless, in order.
func TestAReceiverThatFails(t *testing.T) {
	x := receive(t, func(n int, w http.ResponseWriter, r *http.Request) {
		switch rand.IntN(12) {
		case 0:
			w.WriteHeader([]int{500, 503, 404, 429, 301}[rand.IntN(5)])
		case 1:
			time.Sleep(300 * time.Millisecond) // takes it, too late
		case 2:
			w.(*written).is = true
			panic(http.ErrAbortHandler)
		case 3:
			w.WriteHeader(202)
			w.(*written).is = false
		}
	})
	o := open(t, t.TempDir(), x.URL, "")
	defer o.Close()
	p := quick
	p.timeout = 200 * time.Millisecond
	h := begin(t, o, p)
	require.Eventually(t, func() bool { return len(x.events()) == 1 }, 20*time.Second, time.Millisecond)
	first := x.events()[0]
	require.Equal(t, "gone", first.What, "it is new, and knows no earlier event")
	for i := range 40 {
		id := book(t, o, ann, "link", i+1)
		if i%4 == 0 {
			_, err := o.Act(t.Context(), ann, id, "", office.Cancel)
			require.NoError(t, err)
		}
	}
	await(t, x, o)
	h.Close()
	require.Equal(t, truth(t, o, first.Number), told(t, x.events()))
	for _, e := range x.events() {
		require.NotContains(t, fmt.Sprint(e), "secret")
	}
}

// TestALeaderChanges closes and opens offices in turn on one folder, as members lead in turn, while the receiver fails. What one has noted the
// next one knows, so that no event is lost, and few come twice.
func TestALeaderChanges(t *testing.T) {
	x := receive(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if rand.IntN(4) == 0 {
			w.WriteHeader(500)
		}
	})
	folder := t.TempDir()
	first := uint64(0)
	var last []uint64
	for round := range 4 {
		if round == 2 { // the journal has lost its file: the note is in the log of the desk alone
			require.NoError(t, os.Remove(filepath.Join(folder, "data", "journal", "delivered.json")))
		}
		o := open(t, folder, x.URL, "")
		h := begin(t, o, quick)
		for i := range 15 {
			book(t, o, ann, "link", 20*round+i+1)
		}
		if round == 0 || round == 3 {
			await(t, x, o)
		}
		if round == 0 {
			first = x.events()[0].Number
		}
		last = truth(t, o, first)
		h.Close()
		require.NoError(t, o.Close())
	}
	got := x.events()
	require.Equal(t, "gone", got[0].What)
	require.NotContains(t, fmt.Sprint(got[1:]), "gone")
	require.Equal(t, last, told(t, got))
	require.Less(t, len(got), len(last)+25, "few come twice")
}

func TestFilters(t *testing.T) {
	for _, one := range []struct {
		more string
		want []string
	}{
		{"", []string{"booked ann", "booked bob", "booked ann", "closed ", "cancelled bob", "reopened ", "changed ann", "changed ann"}},
		{", what: [booked, cancelled]", []string{"booked ann", "booked bob", "booked ann", "cancelled bob"}},
		{", owners: [ann]", []string{"booked ann", "booked ann", "changed ann", "changed ann"}},
		{", on: [lab]", []string{"booked ann", "closed ", "reopened ", "changed ann", "changed ann"}},
		{", on: [link], owners: [bob], what: [cancelled]", []string{"cancelled bob"}},
	} {
		x := receive(t, nil)
		o := open(t, t.TempDir(), x.URL, one.more)
		h := begin(t, o, quick)
		require.Eventually(t, func() bool { return len(x.events()) == 1 }, 20*time.Second, time.Millisecond)
		book(t, o, ann, "lab", 1)
		id := book(t, o, bob, "link", 1)
		moves := book(t, o, ann, "link", 7)
		end := time.Now().Add(48 * time.Hour)
		shut, err := o.Shut(t.Context(), root, api.Close{Schedule: "lab", Servers: []int{2}, End: &end})
		require.NoError(t, err)
		_, err = o.Act(t.Context(), bob, id, "", office.Cancel)
		require.NoError(t, err)
		_, err = o.Open(t.Context(), root, shut.ID)
		require.NoError(t, err)
		for _, to := range []string{"lab", "link"} { // it leaves the lab, too
			settle(t, o) // the event before is told while the booking is there
			_, err = o.Change(t.Context(), ann, moves, "", api.Wish{Ready: &end, Parts: []api.Part{{Schedule: to, Units: 1, Duration: "PT1H"}}}, "")
			require.NoError(t, err)
		}
		settle(t, o)
		var got []string
		for _, e := range x.events()[1:] {
			got = append(got, e.What+" "+e.Owner)
		}
		require.Equal(t, one.want, got, one.more)
		h.Close()
		require.NoError(t, o.Close())
	}
}

// TestAReceiverThatIsAwayForDays comes back when its events are too old, hears that some are gone, and of all that come then.
func TestAReceiverThatIsAwayForDays(t *testing.T) {
	var back sync.Mutex
	away := true
	x := receive(t, func(n int, w http.ResponseWriter, r *http.Request) {
		back.Lock()
		defer back.Unlock()
		if away && n > 1 {
			w.WriteHeader(503)
		}
	})
	o := open(t, t.TempDir(), x.URL, "")
	defer o.Close()
	p := quick
	p.giveUp = 100 * time.Millisecond
	h := begin(t, o, p)
	require.Eventually(t, func() bool { return len(x.events()) == 1 }, 20*time.Second, time.Millisecond)
	h.Close()
	for i := range 10 {
		book(t, o, ann, "link", i+1)
	}
	h = begin(t, o, p)
	defer h.Close()
	settle(t, o) // they are given up
	back.Lock()
	away = false
	back.Unlock()
	require.Eventually(t, func() bool { return len(x.events()) > 1 }, 20*time.Second, time.Millisecond)
	book(t, o, ann, "link", 30)
	await(t, x, o)
	got := x.events()
	require.Equal(t, "gone", got[1].What)
	require.Equal(t, truth(t, o, got[1].Number), told(t, got))
}

func TestAReceiverThatEndsIt(t *testing.T) {
	x := receive(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 3 {
			w.WriteHeader(http.StatusGone)
		}
	})
	o := open(t, t.TempDir(), x.URL, "")
	defer o.Close()
	h := begin(t, o, quick)
	defer h.Close()
	for i := range 10 {
		book(t, o, ann, "link", i+1)
	}
	require.Eventually(t, func() bool { return x.called() == 3 }, 20*time.Second, time.Millisecond)
	time.Sleep(100 * time.Millisecond)
	require.Equal(t, 3, x.called())
}

func TestRedirections(t *testing.T) {
	other := receive(t, nil)
	x := receive(t, nil)
	x.answer = func(n int, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/there":
		case n%2 == 1:
			http.Redirect(w, r, other.URL+"/there", http.StatusTemporaryRedirect)
		default:
			http.Redirect(w, r, "/there", http.StatusPermanentRedirect)
		}
	}
	o := open(t, t.TempDir(), x.URL+"/here", "")
	defer o.Close()
	h := begin(t, o, quick)
	defer h.Close()
	require.Eventually(t, func() bool { return len(x.events()) > 0 }, 20*time.Second, time.Millisecond)
	require.Zero(t, other.called(), "another host hears nothing")
}

func TestBackoff(t *testing.T) {
	h := &hook{pace: usual}
	for try := range 200 {
		d := h.backoff(try)
		require.LessOrEqual(t, d, time.Hour)
		require.GreaterOrEqual(t, d, min(time.Hour, time.Second<<min(try, 20))/2)
	}
}

func TestSecretsAndLogs(t *testing.T) {
	t.Setenv("HOOK_KEY", "from the environment\n")
	got, err := config.ReadSecret("$HOOK_KEY")
	require.NoError(t, err)
	require.Equal(t, "from the environment", string(got))
	_, err = config.Read([]byte("schedules: [{name: lab, kind: pool, units: 1}]\nwebhooks:\n  - {name: x, url: 'https://x.org', secret: k, what: [booked, bocked]}\n"), "x.yaml")
	require.ErrorContains(t, err, `webhooks[0].what[1]: "bocked" is no event`)
	_, err = config.ReadSecret("$NO_SUCH_KEY")
	require.ErrorContains(t, err, "$NO_SUCH_KEY is empty")
	o := open(t, t.TempDir(), "http://localhost:1/?token=hush", "")
	defer o.Close()
	o.Config.Webhooks[0].Secret += ".not"
	_, err = start(o, silent, quick)
	require.ErrorContains(t, err, `webhook "chat"`)
	var log strings.Builder
	w := &hook{Webhook: o.Config.Webhooks[0], pace: quick, office: o, client: http.DefaultClient, secret: []byte("k"), log: slog.New(slog.NewTextHandler(&log, nil))}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	require.Error(t, w.tell(ctx, &api.Event{Number: 1, At: time.Now()}))
	require.Contains(t, log.String(), "does not take")
	require.NotContains(t, log.String(), "hush")
}

// TestTheBeginningIsNoted ends the calls before the first event. Whoever leads next knows where the receiver has begun.
func TestTheBeginningIsNoted(t *testing.T) {
	x := receive(t, nil)
	o := open(t, t.TempDir(), x.URL, "")
	defer o.Close()
	h := begin(t, o, quick)
	require.Eventually(t, func() bool { return len(x.events()) == 1 }, 20*time.Second, time.Millisecond)
	h.Close()
	book(t, o, ann, "link", 1)
	h = begin(t, o, quick)
	defer h.Close()
	await(t, x, o)
	require.Equal(t, "gone", x.events()[0].What)
	require.Equal(t, "booked", x.events()[1].What)
}

// TestALeaderDies ends the member in the middle of many events, so that the last note is not written. The next one goes on near there.
func TestALeaderDies(t *testing.T) {
	x := receive(t, func(int, http.ResponseWriter, *http.Request) { time.Sleep(10 * time.Millisecond) })
	folder := t.TempDir()
	o := open(t, folder, x.URL, "")
	h := begin(t, o, quick)
	require.Eventually(t, func() bool { return len(x.events()) == 1 }, 20*time.Second, time.Millisecond)
	h.Close()
	for i := range 60 {
		book(t, o, ann, "link", i+1)
	}
	h = begin(t, o, quick)
	require.Eventually(t, func() bool { return len(x.events()) > 40 }, 20*time.Second, time.Millisecond)
	require.NoError(t, o.Close())
	h.Close()
	o = open(t, folder, x.URL, "")
	defer o.Close()
	h = begin(t, o, quick)
	defer h.Close()
	await(t, x, o)
	require.Equal(t, truth(t, o, x.events()[0].Number), told(t, x.events()))
	require.Less(t, len(x.events()), 61+20, "few come twice")
}
