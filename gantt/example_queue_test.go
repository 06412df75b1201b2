package gantt_test

import (
	"context"
	"log"
	"os"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/plan"
)

// Four GPUs: two jobs run, a large one is promised its place, and a small one that is longer than the large one can wait is
// expected behind it. In the picture of WriteTo the three look different.
func ExampleQueue() {
	gpus := must(carts.NewIndexed(4, carts.Config{}))
	queue := must(plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "gpus", Pool: gpus}}, Backfill: plan.EASY(1)}))
	for _, j := range []struct {
		id, owner string
		units     int64
		minutes   bookahead.Duration
	}{{"small", "ann", 1, 60}, {"short", "bob", 2, 30}, {"large", "eve", 4, 60}, {"long", "bob", 1, 90}} {
		shape := plan.Shape{{On: "gpus", Units: j.units, Duration: j.minutes}}
		err := queue.Submit(plan.Job{ID: plan.ID(j.id), Owner: j.owner, Shapes: []plan.Shape{shape}})
		if err != nil {
			log.Fatal(err)
		}
	}
	ctx := context.Background()
	for _, s := range must(queue.Pass(ctx, 0)).Starts {
		err := queue.Started(s.Job)
		if err != nil {
			log.Fatal(err)
		}
	}

	chart := gantt.Chart{Window: bookahead.Interval{Start: 0, End: 240}, Axis: gantt.Axis{Steps: []bookahead.Duration{60}}}
	err := gantt.Queue{Queue: queue, Forecasts: must(queue.Forecasts(ctx)), Name: func(j plan.Job) (label, key string) {
		return string(j.ID), string(j.ID)
	}}.Fill(&chart)
	if err != nil {
		log.Fatal(err)
	}
	must(chart.WriteText(os.Stdout, 48))
	// Output:
	// gpus │            cccccccccccc
	//      │bbbbbbbbbbbbcccccccccccc
	//      │aaaaaa      cccccccccccc
	//      │aaaaaa      ccccccccccccdddddddddddddddddd
	//      └┬───────────┬───────────┬───────────┬───────────
	//       0           60          120         180
	//      a short
	//      b small
	//      c large
	//      d long
}
