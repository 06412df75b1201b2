package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/client"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/folder"
)

// storm is a load of clients on three members, of which the leader is killed again and again.
type storm struct {
	clients int
	lasts   time.Duration
	kills   int
	live    int           // bookings at the beginning
	within  time.Duration // how long a call may take, also while a leader is elected
	pause   time.Duration // of a client between two calls
	flat    bool          // memory is read every ten seconds, and must not grow
}

// TestKilledLeaders kills the leader of three twice while clients search and book. Nothing that was answered is lost or doubled.
func TestKilledLeaders(t *testing.T) {
	storm{clients: 8, lasts: 6 * time.Second, kills: 2, within: time.Minute}.press(t)
}

// TestLoad is the same with 200 clients, 100 000 bookings and ten kills, and for five minutes with fewer calls. It prints what it
// measures.
func TestLoad(t *testing.T) {
	if os.Getenv("BOOKAHEAD_LOAD") == "" {
		t.Skip("set BOOKAHEAD_LOAD=1: it takes minutes")
	}
	t.Run("without kills", func(t *testing.T) {
		storm{clients: 200, lasts: time.Minute, live: 100_000, within: time.Minute}.press(t)
	})
	t.Run("with kills", func(t *testing.T) {
		storm{clients: 200, lasts: time.Minute, kills: 10, live: 100_000, within: time.Minute}.press(t)
	})
	t.Run("for long", func(t *testing.T) {
		storm{clients: 50, lasts: 5 * time.Minute, live: 100_000, within: time.Minute, pause: 500 * time.Millisecond, flat: true}.press(t)
	})
}

// trio is three members.
type trio struct {
	*testing.T
	ids, urls, files []string
	members          []*process
	elections        int // won by members that were killed since
}

const pools = 20

func startTrio(t *testing.T, live int) *trio {
	dir := t.TempDir()
	x := &trio{T: t}
	var peers strings.Builder
	addresses := free(t, 6)
	binds, listens := addresses[:3], addresses[3:]
	for i := range 3 {
		fmt.Fprintf(&peers, "    - {id: m%d, address: '%s'}\n", i, binds[i])
	}
	more := ""
	for i := range pools {
		more += fmt.Sprintf("  - {name: pool%d, kind: pool, units: 1000}\n", i)
	}
	for i := range 3 {
		id, listen := fmt.Sprint("m", i), listens[i]
		member := fmt.Sprintf("member:\n  id: %s\n  bind: '%s'\n  peers:\n%s", id, binds[i], peers.String())
		x.ids, x.urls = append(x.ids, id), append(x.urls, "http://"+listen)
		file := write(t, filepath.Join(dir, id), listen, member)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, bytes.Replace(text, []byte("quotas:\n"), []byte(more+"quotas:\n"), 1), 0o600))
		x.files = append(x.files, file)
	}
	if live > 0 {
		x.fill(live)
	}
	for _, file := range x.files {
		x.members = append(x.members, launch(t, file))
	}
	c := client.New("root's token", x.urls...)
	c.Patience = 2 * time.Minute
	require.Eventually(t, func() bool {
		list, err := c.Schedules(t.Context())
		return err == nil && len(list) == 3+pools
	}, 2*time.Minute, 50*time.Millisecond)
	return x
}

// fill begins all members from a backup with many bookings.
func (x *trio) fill(live int) {
	c, err := config.Load(x.files[0])
	require.NoError(x, err)
	d, err := desk.New(desk.Config{Keep: c.Ticks(c.Keep.Time())})
	require.NoError(x, err)
	do := func(cmd desk.Command, err error) {
		require.NoError(x, err)
		_, err = d.Do(cmd)
		require.NoError(x, err)
	}
	clock := c.Clock()
	now, err := clock.Floor(time.Now())
	require.NoError(x, err)
	do(desk.Advance{Now: now}, nil)
	for i := range c.Schedules {
		add, err := c.AddSchedule(&c.Schedules[i])
		do(add, err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range live {
		length := bookahead.Duration(30 + r.IntN(400))
		do(desk.Book{Key: fmt.Sprint("before ", i), Request: desk.Request{Owner: "bob", Title: fmt.Sprint("before ", i), Ready: now + bookahead.Time(1+r.IntN(60*24*60)),
			Shapes: []desk.Shape{{{On: fmt.Sprint("pool", i%pools), Units: 1 + r.Int64N(8), Duration: length}}}}}, nil)
	}
	var backup bytes.Buffer
	require.NoError(x, folder.WriteBackup(&backup, c, d))
	for _, file := range x.files {
		c, err := config.Load(file)
		require.NoError(x, err)
		require.NoError(x, folder.Restore(c, bytes.NewReader(backup.Bytes())))
	}
}

// killLeader kills the leader as a machine dies, and starts it again a while later.
func (x *trio) killLeader() {
	var leader int
	require.Eventually(x, func() bool {
		for i, u := range x.urls {
			ctx, stop := context.WithTimeout(x.Context(), 2*time.Second)
			h, err := client.New("root's token", u).Health(ctx)
			stop()
			if err == nil && h.Role == "leader" && h.Leader == x.ids[i] {
				leader = i
				return true
			}
		}
		return false
	}, time.Minute, 50*time.Millisecond)
	x.members[leader].kill()
	x.elections += won(x.members[leader])
	killed, done := time.Now(), make(chan string, 1)
	go func() { done <- x.awaitLeader(leader, killed) }()
	time.Sleep(time.Duration(500+rand.IntN(1000)) * time.Millisecond)
	x.members[leader] = launch(x.T, x.files[leader])
	x.Logf("%s is killed: %s", x.ids[leader], <-done)
}

// won returns how many elections a member has won, as its log says.
func won(p *process) int { return strings.Count(p.output.String(), "election won") }

// awaitLeader waits until another member leads, and until it answers, and says how long that has taken since a time.
func (x *trio) awaitLeader(not int, since time.Time) string {
	others := slices.Delete(slices.Clone(x.urls), not, not+1)
	for i := 0; x.Context().Err() == nil; i++ {
		c := client.New("root's token", others[i%2])
		h, err := c.Health(x.Context())
		if err != nil || h.Role != "leader" {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		elected := time.Since(since)
		_, err = c.Schedules(x.Context())
		return fmt.Sprintf("another leads after %v, and answers after %v (%v)", elected.Round(time.Millisecond), time.Since(since).Round(time.Millisecond), err)
	}
	return "nobody leads"
}

// memory returns the resident memory of the members in MiB.
func (x *trio) memory() (list []int) {
	for _, m := range x.members {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.cmd.Process.Pid))
		_, after, _ := strings.Cut(string(text), "VmRSS:")
		kib := 0
		fmt.Sscan(after, &kib)
		list = append(list, kib/1024)
	}
	return list
}

// staysFlat reads every ten seconds, until a time, the memory of the members in MiB: all of it, and what is live after a collection, which the
// collector lets double until the next one. What is live stays as it is once caches are warm, but for a few thousand new bookings, and so do
// the goroutines.
func (x *trio) staysFlat(until time.Time) {
	begun, most := time.Now(), map[string]int{}
	for time.Now().Before(until) {
		time.Sleep(10 * time.Second)
		third := int(3 * time.Since(begun) / until.Sub(begun))
		var live, goroutines []int
		for i := range x.urls {
			live = append(live, x.metric(i, "go_memstats_next_gc_bytes")>>21)
			goroutines = append(goroutines, x.metric(i, "go_goroutines"))
		}
		x.Logf("%3.0f s: %d MiB, %d MiB live, %d goroutines", time.Since(begun).Seconds(), x.memory(), live, goroutines)
		for name, list := range map[string][]int{"live": live, "goroutines": goroutines} {
			name += fmt.Sprint(third)
			most[name] = max(most[name], slices.Max(list))
		}
	}
	require.LessOrEqual(x, most["live2"], most["live1"]+most["live1"]/4, "MiB in the last third, and in the one before")
	require.LessOrEqual(x, most["goroutines2"], 2*most["goroutines1"], "in the last third, and in the one before")
}

// metric returns the value of a metric of a member.
func (x *trio) metric(member int, name string) int {
	answer, err := http.Get(x.urls[member] + "/metrics")
	require.NoError(x, err)
	defer answer.Body.Close()
	value := 0.0
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		fmt.Sscanf(lines.Text(), name+" %g", &value)
	}
	require.NotZero(x, value, name)
	return int(value)
}

// worker is a client, and what it has seen.
type worker struct {
	c        *client.Client
	r        *rand.Rand
	name     string
	answered map[string]uint64 // keys of bookings, and their numbers
	took     map[string][]time.Duration
	errs     []string
}

func (s storm) press(t *testing.T) {
	x := startTrio(t, s.live)
	before := x.memory()
	until := time.Now().Add(s.lasts)
	ctx, stop := context.WithTimeout(t.Context(), s.lasts+2*time.Minute)
	defer stop()
	pool := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: s.clients, MaxConnsPerHost: 0}}
	var workers []*worker
	var busy sync.WaitGroup
	for i := range s.clients {
		w := &worker{r: rand.New(rand.NewPCG(7, uint64(i))), name: fmt.Sprint("worker ", i), answered: map[string]uint64{}, took: map[string][]time.Duration{}}
		w.c = client.New("ann's token", append(slices.Clone(x.urls[i%3:]), x.urls[:i%3]...)...)
		w.c.HTTP, w.c.Patience = pool, time.Minute
		workers = append(workers, w)
		busy.Go(func() {
			for n := 0; time.Now().Before(until); n++ {
				w.turn(ctx, n, s)
			}
		})
	}
	for range s.kills {
		time.Sleep(s.lasts / time.Duration(s.kills+2))
		x.killLeader()
	}
	if s.flat {
		x.staysFlat(until)
	}
	busy.Wait()
	for _, m := range x.members {
		x.elections += won(m)
	}
	t.Logf("%d elections, the first among them", x.elections)
	s.report(t, workers, before, x.memory())
	x.check(workers, s.live)
	for _, m := range x.members {
		m.stop()
	}
	for _, file := range x.files {
		said, err := command(t, "verify", "-config", file)
		require.NoError(t, err)
		t.Log(strings.TrimSpace(said))
	}
}

// turn makes one call: nine of ten are queries.
func (w *worker) turn(ctx context.Context, n int, s storm) {
	begun, kind := time.Now(), "query"
	var err error
	on := "link"
	if s.live > 0 {
		on = fmt.Sprint("pool", w.r.IntN(pools))
	}
	at := time.Now().Add(time.Duration(1+w.r.IntN(40*24)) * time.Hour)
	wish := api.Wish{Ready: &at, Parts: []api.Part{{Schedule: on, Units: 1, Duration: "PT30M"}}}
	switch w.r.IntN(10) {
	case 0:
		kind = "booking"
		key := fmt.Sprint(w.name, " ", n)
		wish.Title = key
		var b api.Booking
		b, err = w.c.Book(ctx, key, api.Book{Wish: wish})
		if err == nil {
			w.answered[key] = b.ID
		}
	case 1, 2, 3:
		_, err = w.c.Search(ctx, wish)
	case 4, 5:
		_, err = w.c.Free(ctx, on, at, at.Add(24*time.Hour))
	case 6:
		_, err = w.c.Schedules(ctx)
	default:
		for _, id := range w.answered {
			_, err = w.c.Booking(ctx, id)
			break
		}
	}
	took := time.Since(begun)
	time.Sleep(s.pause)
	w.took[kind] = append(w.took[kind], took)
	if err != nil {
		w.errs = append(w.errs, fmt.Sprint(kind, ": ", err))
	}
	if took > s.within {
		w.errs = append(w.errs, fmt.Sprint(kind, " took ", took))
	}
}

func (s storm) report(t *testing.T, workers []*worker, before, after []int) {
	all := map[string][]time.Duration{}
	var errs []string
	for _, w := range workers {
		for kind, list := range w.took {
			all[kind] = append(all[kind], list...)
		}
		errs = append(errs, w.errs...)
	}
	total := 0
	for kind, list := range all {
		slices.Sort(list)
		total += len(list)
		at := func(p float64) time.Duration { return list[int(p*float64(len(list)-1))].Round(10 * time.Microsecond) }
		t.Logf("%s: %d, p50 %v, p99 %v, longest %v", kind, len(list), at(0.5), at(0.99), at(1))
	}
	t.Logf("%d clients, %d kills, %d bookings before: %.0f requests a second, %d errors, memory %v MiB before, %v after",
		s.clients, s.kills, s.live, float64(total)/s.lasts.Seconds(), len(errs), before, after)
	require.Empty(t, errs[:min(len(errs), 5)])
}

// check reads the calendar: each booking that was answered is there once, under its number.
func (x *trio) check(workers []*worker, live int) {
	there := map[string]uint64{}
	c := client.New("root's token", x.urls...)
	n := 0
	for b, err := range c.Bookings(x.Context(), url.Values{}) {
		require.NoError(x, err)
		if b.Owner == "bob" {
			n++
			continue
		}
		_, twice := there[b.Title]
		require.False(x, twice, "%q is booked twice", b.Title)
		there[b.Title] = b.ID
	}
	require.Equal(x, live, n)
	answered := 0
	for _, w := range workers {
		for key, id := range w.answered {
			require.Equal(x, id, there[key], "%q was answered", key)
			answered++
		}
	}
	x.Logf("%d bookings were answered, and %d are there", answered, len(there))
	require.NotZero(x, answered)
}

// TestALostDisk empties the folder of one of three. It stops, since it has forgotten what it promised, until it joins anew. Then it counts
// again: another one may die.
func TestALostDisk(t *testing.T) {
	x := startTrio(t, 0)
	c := client.New("ann's token", x.urls...)
	c.Patience = time.Minute
	first, err := c.Book(t.Context(), "before", wantOn("link", 2))
	require.NoError(t, err)
	refused := launch(t, x.files[2], "-join") // it has a state
	<-refused.ended
	require.Contains(t, refused.output.String(), "is not empty")
	x.members[2].kill()
	data := filepath.Join(filepath.Dir(x.files[2]), "data")
	require.NoError(t, os.RemoveAll(data))
	x.members[2] = launch(t, x.files[2], "-join")
	one := client.New("ann's token", x.urls[2])
	one.Patience = time.Minute
	require.Eventually(t, func() bool {
		b, err := one.Booking(t.Context(), first.ID)
		return err == nil && b.State == "booked"
	}, time.Minute, 100*time.Millisecond)
	require.Eventually(t, func() bool { // it is a voter once it has everything
		return strings.Contains(x.members[2].output.String(), "the others have added this member")
	}, time.Minute, 100*time.Millisecond)
	x.members[0].kill()
	_, err = c.Book(t.Context(), "after", wantOn("link", 3))
	require.NoError(t, err, "two of three go on, and the new one is one of them")
}
