package real_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

var out = flag.String("out", "", "the `folder` for the numbers of the comparison; none if empty")

// day is what users want of 16 nodes in four racks: a stream of small jobs, a gang of half the cluster now and then, and lessons that have
// a rack at a time.
type day struct {
	jobs    []arrival
	lessons []time.Duration // after the begin
}

type arrival struct {
	after time.Duration
	job
}

const (
	lesson   = 10 * time.Second
	arrivals = 100 // seconds in which jobs come
)

func newDay() (d day) {
	rng := rand.New(rand.NewPCG(41, 0))
	for at, n := time.Duration(0), 0; at < arrivals*time.Second; n++ {
		at += time.Duration(rng.IntN(900)) * time.Millisecond
		says := time.Duration(3+rng.IntN(9)) * time.Second
		d.jobs = append(d.jobs, arrival{at, job{name: fmt.Sprintf("small-%03d", n), pods: 1, gpus: 1 + rng.Int64N(8), says: says, runs: says - time.Second}})
	}
	for i := range 5 {
		at := time.Duration(10+20*i) * time.Second
		d.jobs = append(d.jobs, arrival{at, job{name: fmt.Sprintf("gang-%d", i), pods: 8, gpus: 8, says: 8 * time.Second, runs: 7 * time.Second}})
	}
	for i := range 4 {
		d.lessons = append(d.lessons, time.Duration(30+20*i)*time.Second)
	}
	return d
}

// outcome is what came of a day.
type outcome struct {
	gangs, longest time.Duration // mean and longest time from the creation of a gang until all of it runs
	small          time.Duration // mean wait of the others
	used           float64       // share of the GPUs that did work while jobs came
	kept           int           // lessons all of whose nodes were bound within two seconds
	pods, stuck    int           // all pods, and those that have not ended by then
	took           time.Duration
	use            []use // in each second
}

// use is the GPUs that pods hold, and those that do work: the pods of a group work once all of them run.
type use struct{ holds, works int64 }

// patience is how long a day may take. Without gangs, two of them may each hold what the other waits for.
const patience = 4 * time.Minute

// TestBesideTheStockScheduler: the same jobs go through the stock scheduler alone, and through bookahead with it.
func TestBesideTheStockScheduler(t *testing.T) {
	d := newDay()
	var list []outcome
	for _, stock := range []bool{true, false} {
		t.Run(fmt.Sprintf("stock=%v", stock), func(t *testing.T) { list = append(list, d.goBy(t, stock)) })
	}
	if len(list) < 2 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| | stock scheduler | with bookahead |\n|---|--:|--:|\n")
	row := func(name string, f func(o outcome) string) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, f(list[0]), f(list[1]))
	}
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	row("gangs wait at least, mean", func(o outcome) string { return seconds(o.gangs) })
	row("gangs wait at least, longest", func(o outcome) string { return seconds(o.longest) })
	row("other jobs wait at least, mean", func(o outcome) string { return seconds(o.small) })
	row("GPUs that do work, while jobs come", func(o outcome) string { return fmt.Sprintf("%.0f %%", 100*o.used) })
	row(fmt.Sprintf("lessons with all nodes in time, of %d", len(d.lessons)), func(o outcome) string { return fmt.Sprint(o.kept) })
	row("pods that never end", func(o outcome) string { return fmt.Sprintf("%d of %d", o.stuck, o.pods) })
	row("the last one ended after", func(o outcome) string { return seconds(o.took) })
	t.Logf("\n%s", b.String())
	require.Equal(t, len(d.lessons), list[1].kept)
	require.Zero(t, list[1].stuck)
	require.Less(t, list[0].kept, len(d.lessons), "the day is too easy")
	d.write(t, list)
}

// write writes what the report draws.
func (d *day) write(t *testing.T, list []outcome) {
	if *out == "" {
		return
	}
	require.NoError(t, os.MkdirAll(*out, 0o777))
	days, seconds := "scheduler,gangs wait mean s,gangs wait longest s,others wait mean s,GPUs that work %,lessons in time,pods that never end,last end s\n", "scheduler,second,holds,works\n"
	for i, name := range []string{"stock", "with bookahead"} {
		o := list[i]
		days += fmt.Sprintf("%s,%.1f,%.1f,%.1f,%.0f,%d,%d,%.1f\n", name, o.gangs.Seconds(), o.longest.Seconds(), o.small.Seconds(), 100*o.used, o.kept, o.stuck, o.took.Seconds())
		for second, u := range o.use {
			seconds += fmt.Sprintf("%s,%d,%d,%d\n", name, second, u.holds, u.works)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(*out, "days.csv"), []byte(days), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(*out, "seconds.csv"), []byte(seconds), 0o666))
}

func (d *day) goBy(t *testing.T, stock bool) (o outcome) {
	p, k, w := run(t, 4, 4)
	if !stock {
		p.replica(t, 1, build(t))
		time.Sleep(3 * time.Second)
	}
	began := time.Now().Truncate(time.Second).Add(time.Second)
	jobs := slices.Clone(d.jobs)
	for i, at := range d.lessons {
		j := job{name: fmt.Sprintf("lesson-%d", i), pods: 4, gpus: 8, says: lesson - time.Second, runs: lesson - 2*time.Second, stock: stock}
		if !stock {
			p.reserve(t, j.name, 4, began.Add(at), lesson)
			j.reservation = j.name
		}
		jobs = append(jobs, arrival{at, j})
	}
	look := func() {
		if time.Since(began) >= time.Duration(len(o.use))*time.Second {
			o.use = append(o.use, k.use())
		}
	}
	for at := time.Duration(0); len(jobs) > 0; at += 100 * time.Millisecond {
		time.Sleep(time.Until(began.Add(at)))
		look()
		rest := jobs[:0:0]
		for _, x := range jobs {
			if x.after > at {
				rest = append(rest, x)
				continue
			}
			x.stock = stock
			p.submit(t, x.job)
			o.pods += x.pods
		}
		jobs = rest
	}
	for time.Since(began) < patience && !ended(t, k, o.pods) {
		time.Sleep(100 * time.Millisecond)
		look()
	}
	w.mu.Lock()
	require.Empty(t, w.wrong)
	w.mu.Unlock()

	gangs := map[string]time.Duration{}
	small, lessons := []time.Duration{}, map[string]int{}
	for _, x := range k.list() {
		if over(x) {
			o.took = max(o.took, k.ended(x).Sub(began))
		} else {
			o.stuck++
		}
		wait := bound(x).Sub(x.CreationTimestamp.Time)
		switch name := x.Name[:strings.LastIndex(x.Name, "-")]; {
		case strings.HasPrefix(name, "lesson"):
			if wait <= 2*time.Second {
				lessons[name]++
			}
		case x.Annotations[v1alpha1.PodGroup] != "":
			gangs[name] = max(gangs[name], wait)
		default:
			small = append(small, wait)
		}
	}
	for _, n := range lessons {
		if n == 4 {
			o.kept++
		}
	}
	for _, wait := range gangs {
		o.gangs += wait / time.Duration(len(gangs))
		o.longest = max(o.longest, wait)
	}
	for _, wait := range small {
		o.small += wait / time.Duration(len(small))
	}
	for _, u := range o.use[:arrivals] {
		o.used += float64(u.works) / (16 * 8 * arrivals)
	}
	return o
}

// bound returns when the scheduler bound a pod.
func bound(o *corev1.Pod) time.Time {
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time
		}
	}
	return metav1.Now().Time
}
