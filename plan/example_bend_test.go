package plan_test

import (
	"context"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/plan"
)

// A training of 120 minutes has checkpoints, so that it takes the hour before the place that is promised to a large job. That one ends
// early, and the rest of the training moves.
func ExampleQueue_Pass_pieces() {
	pool := must(carts.NewIndexed(8, carts.Config{}))
	q := must(plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "gpus", Pool: pool}}, Backfill: plan.EASY(1)}))
	training := gpus("training", 2, 120)
	training.Shapes[0][0].Pieces = &pieces.Rule{Least: 30, Restart: 5}
	for _, j := range []plan.Job{gpus("first", 6, 60), gpus("large", 8, 30), training} {
		check(q.Submit(j))
	}
	pass := func(now bookahead.Time) {
		r := must(q.Pass(context.Background(), now))
		for _, c := range r.Changes {
			if len(c.Places) == 0 {
				fmt.Printf("%d: %s stops\n", now, c.Job)
			} else {
				fmt.Printf("%d: %s goes on\n", now, c.Job)
			}
		}
		for _, s := range r.Starts {
			fmt.Printf("%d: %s starts:", now, s.Job)
			for _, at := range s.Places {
				fmt.Print(" ", at.Interval)
			}
			fmt.Println()
			check(q.Started(s.Job))
		}
	}
	pass(0)
	check(q.Ended(60, "first"))
	pass(60)
	check(q.Ended(80, "large"))
	pass(80)
	_, f, err := q.Job("training")
	check(err)
	fmt.Println("training is expected to end at", f.End)
	// Output:
	// 0: first starts: [0, 60)
	// 0: training starts: [0, 60) [90, 155)
	// 60: training stops
	// 60: large starts: [60, 90)
	// 80: training goes on
	// training is expected to end at 145
}
