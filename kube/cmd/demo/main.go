// Demo shows bookahead on a cluster that is not there: eight nodes in two racks, twenty jobs, two reservations and a node that fails.
// The API server is a fake clientset, and so are the scheduler and the kubelets; the controller is the real one. A morning takes about
// a second.
//
//	go -C kube run ./cmd/demo
//	go -C kube run ./cmd/demo -o morning.svg
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/controller"
	"github.com/bookahead/bookahead/kube/internal/settings"
	"github.com/bookahead/bookahead/kube/internal/virtual"
)

func main() {
	out := flag.String("o", "bookahead-demo.svg", "the `file` for the picture; none if empty")
	flag.Parse()
	x, err := run(os.Stdout)
	if err == nil && *out != "" {
		err = x.save(*out)
	}
	if err != nil {
		log.Fatal(err)
	}
	if *out != "" {
		fmt.Printf("The picture is in %s.\n", *out)
	}
}

// morning is the cluster from 8 o'clock on.
type morning struct {
	*virtual.Cluster
	out     io.Writer
	now     time.Time
	told    map[string]bool // events by name
	picture picture
}

var (
	opens  = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	closes = opens.Add(5 * time.Hour)
)

// run lets the morning go by, and draws it.
func run(out io.Writer) (*morning, error) {
	ctx := context.Background()
	x := &morning{out: out, now: opens, told: map[string]bool{}, picture: picture{lanes: map[string][]string{}}}
	x.Cluster = virtual.New(func() time.Time { return x.now })
	clients := controller.Clients{Kube: x.Client(), Dynamic: x.Reservations}
	s := settings.New()
	s.Startup.Duration, s.Repair.Duration = time.Second, time.Hour
	c, err := controller.New(controller.Config{
		Clients: clients, Source: controller.Listed{Clients: clients}, Settings: s, Identity: "demo", Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return x.now },
	})
	if err != nil {
		return nil, err
	}
	err = x.build(ctx)
	if err != nil {
		return nil, err
	}
	due := x.now
	for ; x.now.Before(closes); x.now = x.now.Add(time.Minute) {
		happened, err := x.happen(ctx)
		if err != nil {
			return nil, err
		}
		ended, err := x.tick(ctx)
		if err != nil {
			return nil, err
		}
		for news := happened || ended || !x.now.Before(due); news; {
			next, err := c.Pass(ctx)
			if err != nil {
				return nil, err
			}
			due = cluster.Wall(next)
			news, err = x.tick(ctx) // what the controller let go is bound, and may be news for it
			if err != nil {
				return nil, err
			}
		}
		err = x.tell(ctx)
		if err != nil {
			return nil, err
		}
	}
	fmt.Fprintln(out)
	return x, x.draw(out)
}

// tick lets the scheduler and the kubelets act, and reports whether anything has happened.
func (x *morning) tick(ctx context.Context) (news bool, err error) {
	list, err := x.Tick(ctx)
	if err != nil || len(list) == 0 {
		return false, err
	}
	pods, err := x.Kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	x.picture.look(x.now, pods.Items)
	return true, nil
}

// tell prints the events that are new. Pods of a group are one line.
func (x *morning) tell(ctx context.Context) error {
	list, err := x.Kube.CoreV1().Events("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	nodes, order := map[string][]string{}, []string{}
	var lines []string
	for _, e := range list.Items {
		if x.told[e.Name] {
			continue
		}
		x.told[e.Name] = true
		if e.Reason != "Opened" {
			if e.Reason != "Delayed" || !strings.Contains(e.InvolvedObject.Name, "-") || strings.HasSuffix(e.InvolvedObject.Name, "-00") {
				lines = append(lines, fmt.Sprintf("%s %s: %s", base(e.InvolvedObject.Name), strings.ToLower(e.Reason), x.shorter(e.Message)))
			}
			continue
		}
		name, node := base(e.InvolvedObject.Name), strings.TrimPrefix(e.Message, "may start on node ")
		if nodes[name] == nil {
			order = append(order, name)
		}
		nodes[name] = append(nodes[name], node)
	}
	slices.Sort(lines)
	slices.Sort(order)
	for _, name := range order {
		slices.Sort(nodes[name])
		pods := len(nodes[name])
		what := "a pod"
		if pods > 1 {
			what = fmt.Sprintf("%d pods", pods)
		}
		lines = append(lines, fmt.Sprintf("%s starts: %s on %s", name, what, strings.Join(slices.Compact(nodes[name]), ", ")))
	}
	for _, l := range lines {
		fmt.Fprintf(x.out, "%s  %s\n", x.now.Format("15:04"), l)
	}
	return nil
}

// shorter leaves the date and the seconds out of the times of a message: all are of one morning.
func (x *morning) shorter(message string) string {
	return strings.NewReplacer(x.now.Format("2006-01-02T"), "", ":00Z", "").Replace(message)
}

// base returns the name of a job, without the number of the pod.
func base(name string) string {
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		return name[:i]
	}
	return name
}

// fail takes a node away, or gives it back.
func (x *morning) fail(ctx context.Context, node string, ready bool) error {
	x.picture.fail(x.now, node, ready)
	word := "fails"
	if ready {
		word = "is back"
	}
	fmt.Fprintf(x.out, "%s  node %s %s\n", x.now.Format("15:04"), node, word)
	return x.Change(ctx, node, func(n *corev1.Node) {
		x.NotReady(n)
		if ready {
			n.Status.Conditions[0].Status = corev1.ConditionTrue
		}
	})
}
