package main

import (
	"context"
	"fmt"
	"time"

	"github.com/bookahead/bookahead/kube/internal/virtual"
)

// Each node has 16 CPUs and 2 GPUs.
var nodes = []string{"a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"}

// jobs come in at a minute of the morning. They say for how long they run, and are often done earlier.
var jobs = []struct {
	minute, pods, gpus, says, runs int
	within                         string
}{
	{0, 2, 2, 60, 45, ""}, {0, 1, 1, 120, 100, ""}, {2, 4, 1, 30, 25, ""}, {4, 1, 2, 90, 90, ""}, {6, 1, 1, 20, 12, ""},
	{8, 8, 1, 60, 50, virtual.Rack}, // a gang of eight: it takes a rack as a whole
	{10, 1, 2, 40, 30, ""}, {12, 2, 1, 50, 45, ""}, {15, 1, 1, 15, 10, ""}, {20, 3, 2, 45, 40, ""}, {25, 1, 1, 60, 60, ""},
	{30, 2, 2, 30, 20, ""}, {35, 1, 1, 10, 10, ""}, {40, 4, 2, 60, 55, virtual.Rack}, {50, 1, 2, 25, 20, ""}, {60, 2, 1, 40, 35, ""},
	{70, 1, 2, 30, 30, ""}, {80, 1, 1, 55, 45, ""}, {90, 6, 1, 30, 25, ""}, {100, 2, 2, 60, 50, ""},
}

// build makes the cluster and the reservations.
func (x *morning) build(ctx context.Context) error {
	fmt.Fprintln(x.out, "Eight nodes with 2 GPUs each, in two racks. The exam has three nodes of a rack from 10:00 to 11:00, and the review two nodes from 12:00 to 12:30.")
	fmt.Fprintln(x.out)
	for _, name := range nodes {
		err := x.AddNode(ctx, name, name[:1], 16, 2)
		if err != nil {
			return err
		}
	}
	err := x.Reserve(ctx, "exam", 3, 4, 2, opens.Add(2*time.Hour), time.Hour, virtual.Rack)
	if err != nil {
		return err
	}
	return x.Reserve(ctx, "review", 2, 4, 2, opens.Add(4*time.Hour), 30*time.Minute, "")
}

// happen does what comes from outside in a minute, and reports whether there was something.
func (x *morning) happen(ctx context.Context) (something bool, err error) {
	minute := int(x.now.Sub(opens) / time.Minute)
	for i, j := range jobs {
		if j.minute != minute {
			continue
		}
		err := x.Submit(ctx, virtual.Job{
			Name: fmt.Sprintf("job%02d", i+1), Pods: j.pods, CPUs: 1, GPUs: int64(j.gpus), Within: j.within,
			Says: time.Duration(j.says) * time.Minute, Runs: time.Duration(j.runs) * time.Minute,
		})
		if err != nil {
			return false, err
		}
		something = true
	}
	switch minute {
	case 65:
		err := x.Submit(ctx, virtual.Job{Name: "student", Pods: 6, CPUs: 1, GPUs: 1, Says: time.Hour, Runs: 55 * time.Minute, Reservation: "exam"})
		if err != nil {
			return false, err
		}
		return true, x.Submit(ctx, virtual.Job{Name: "reviewer", Pods: 2, CPUs: 1, GPUs: 2, Says: 30 * time.Minute, Runs: 30 * time.Minute, Reservation: "review"})
	case 75:
		return true, x.fail(ctx, "a2", false)
	case 160:
		return true, x.fail(ctx, "a2", true)
	}
	return something, nil
}
