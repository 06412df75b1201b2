package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/plan"
)

// batch is a batch task on so many units.
func batch(submit bookahead.Time, run, estimate bookahead.Duration, units int64) Task {
	return Task{Job: workload.Job{Submit: submit, Run: run, Estimate: estimate, Units: units}, Ready: submit}
}

// ahead is an AR task.
func ahead(submit, ready, due bookahead.Time, run, estimate bookahead.Duration, units int64) Task {
	t := batch(submit, run, estimate, units)
	t.Ready, t.Due, t.AR = ready, due, true
	return t
}

func (t Task) of(user int64) Task     { t.User = user; return t }
func (t Task) with(priority int) Task { t.Priority = priority; return t }

// machine is a provider of 4 units.
func machine(t require.TestingT, l Local) Provider {
	s, err := carts.NewFlat(4, carts.Config{})
	require.NoError(t, err)
	return Provider{s, 4, l}
}

// spans are starts and ends.
type spans [][2]bookahead.Time

// TestByHand: workloads on 4 units whose starts and ends were worked out on paper.
func TestByHand(t *testing.T) {
	for _, c := range []struct {
		name  string
		local Local
		grid  Config
		tasks []Task
		want  spans // of the runs
	}{
		{"strict FCFS: who fits waits behind who does not",
			Local{}, Config{},
			[]Task{batch(0, 10, 10, 3), batch(1, 5, 5, 2), batch(2, 3, 3, 1)},
			spans{{0, 10}, {10, 15}, {10, 13}}},
		{"strict FCFS: an early end is used at once",
			Local{}, Config{},
			[]Task{batch(0, 4, 10, 4), batch(1, 5, 9, 4), batch(2, 1, 1, 4)},
			spans{{0, 4}, {4, 9}, {9, 10}}},
		{"first fit: who fits goes ahead",
			Local{Backfill: plan.FirstFit()}, Config{},
			[]Task{batch(0, 10, 10, 3), batch(1, 5, 5, 2), batch(2, 3, 3, 1)},
			spans{{0, 10}, {10, 15}, {2, 5}}},
		{"first fit: a large one is put off",
			Local{Backfill: plan.FirstFit()}, Config{},
			[]Task{batch(0, 10, 10, 3), batch(1, 5, 5, 4), batch(2, 20, 20, 1)},
			spans{{0, 10}, {22, 27}, {2, 22}}},
		{"EASY: the head is not put off",
			Local{Backfill: plan.EASY(1)}, Config{},
			[]Task{batch(0, 10, 10, 3), batch(1, 5, 5, 4), batch(2, 20, 20, 1)},
			spans{{0, 10}, {10, 15}, {15, 35}}},
		{"EASY: what ends when the head starts goes ahead",
			Local{Backfill: plan.EASY(1)}, Config{},
			[]Task{batch(0, 10, 10, 3), batch(1, 5, 5, 4), batch(2, 8, 8, 1), batch(2, 9, 9, 1)},
			spans{{0, 10}, {10, 15}, {2, 10}, {15, 24}}},
		{"EASY: units that the head leaves are used beyond its start",
			Local{Backfill: plan.EASY(1)}, Config{},
			[]Task{batch(0, 10, 10, 2), batch(1, 5, 5, 3), batch(2, 20, 20, 1), batch(2, 20, 20, 1)},
			spans{{0, 10}, {10, 15}, {2, 22}, {15, 35}}},
		{"conservative: a task moves to where a later one has left",
			Local{Backfill: plan.Conservative()}, Config{},
			[]Task{batch(0, 4, 4, 2), batch(0, 3, 8, 2), batch(0, 4, 4, 4), batch(0, 4, 4, 2)},
			spans{{0, 4}, {0, 3}, {7, 11}, {3, 7}}},
		{"EASY: who went ahead holds the head to its promise when others end early",
			Local{Backfill: plan.EASY(1)}, Config{},
			[]Task{batch(0, 4, 10, 3), batch(1, 5, 5, 4), batch(2, 8, 8, 1)},
			spans{{0, 4}, {10, 15}, {2, 10}}},
		{"EASY: the second in the queue can be delayed",
			Local{Backfill: plan.EASY(1)}, Config{},
			[]Task{batch(0, 10, 10, 2), batch(1, 10, 10, 3), batch(2, 10, 10, 4), batch(3, 30, 30, 1)},
			spans{{0, 10}, {10, 20}, {33, 43}, {3, 33}}},
		{"EASY: an AR task goes around the head",
			Local{Backfill: plan.EASY(1)}, Config{},
			[]Task{batch(0, 10, 10, 4), batch(1, 5, 5, 4), ahead(2, 10, 0, 5, 5, 4)},
			spans{{0, 10}, {10, 15}, {15, 20}}},
		{"first fit: an AR task comes before who waits",
			Local{Backfill: plan.FirstFit()}, Config{},
			[]Task{batch(0, 10, 10, 4), batch(1, 5, 5, 4), ahead(2, 10, 0, 5, 5, 4)},
			spans{{0, 10}, {15, 20}, {10, 15}}},
		{"conservative: nobody is delayed",
			Local{Backfill: plan.Conservative()}, Config{},
			[]Task{batch(0, 10, 10, 2), batch(1, 10, 10, 3), batch(2, 10, 10, 4), batch(3, 30, 30, 1), batch(4, 6, 6, 1)},
			spans{{0, 10}, {10, 20}, {20, 30}, {30, 60}, {4, 10}}},
		{"conservative: an early end moves who waits to now",
			Local{Backfill: plan.Conservative()}, Config{},
			[]Task{batch(0, 4, 10, 4), batch(1, 5, 5, 4)},
			spans{{0, 4}, {4, 9}}},
		{"conservative: an early end moves who waits to a later place",
			Local{Backfill: plan.Conservative()}, Config{},
			[]Task{batch(0, 10, 10, 2), batch(0, 5, 20, 2), batch(1, 6, 6, 4), batch(2, 4, 4, 3)},
			spans{{0, 10}, {0, 5}, {10, 16}, {16, 20}}},
		{"conservative: the place that one leaves serves one before it",
			Local{Backfill: plan.Conservative()}, Config{},
			[]Task{batch(0, 2, 10, 3), batch(0, 6, 6, 1), batch(1, 10, 10, 4), batch(1, 4, 4, 1)},
			spans{{0, 2}, {0, 6}, {6, 16}, {2, 6}}},
		{"conservative: that place and what is free before it serve one before it",
			Local{Backfill: plan.Conservative()}, Config{},
			[]Task{ahead(0, 8, 0, 12, 12, 2), batch(0, 3, 10, 2), batch(0, 6, 6, 1), batch(1, 4, 4, 3), batch(1, 1, 1, 2)},
			spans{{8, 20}, {0, 3}, {0, 6}, {4, 8}, {3, 4}}},
		{"SJF: the shortest first",
			Local{Order: plan.SJF()}, Config{},
			[]Task{batch(0, 5, 5, 4), batch(1, 9, 9, 4), batch(2, 2, 2, 4), batch(3, 4, 4, 4)},
			spans{{0, 5}, {11, 20}, {5, 7}, {7, 11}}},
		{"SJF: by estimate, not by run",
			Local{Order: plan.SJF()}, Config{},
			[]Task{batch(0, 5, 5, 4), batch(1, 1, 9, 4), batch(2, 3, 3, 4)},
			spans{{0, 5}, {8, 9}, {5, 8}}},
		{"SJF and EASY: a promise is kept though a shorter one comes in",
			Local{Order: plan.SJF(), Backfill: plan.EASY(1)}, Config{},
			[]Task{batch(0, 5, 5, 3), batch(1, 9, 9, 4), batch(2, 6, 6, 2), batch(3, 2, 2, 1)},
			spans{{0, 5}, {5, 14}, {14, 20}, {3, 5}}},
		{"LSF: the largest first, and nobody overtakes",
			Local{Order: plan.LSF()}, Config{},
			[]Task{batch(0, 5, 5, 4), batch(1, 3, 3, 1), batch(2, 3, 3, 2), batch(3, 3, 3, 3)},
			spans{{0, 5}, {8, 11}, {8, 11}, {5, 8}}},
		{"LSF: the largest first, and who fits",
			Local{Order: plan.LSF(), Backfill: plan.FirstFit()}, Config{},
			[]Task{batch(0, 5, 5, 4), batch(1, 3, 3, 1), batch(2, 3, 3, 2), batch(3, 3, 3, 3)},
			spans{{0, 5}, {5, 8}, {8, 11}, {5, 8}}},
		{"LSF-10: decisions at 10, 20, ... only",
			Local{Order: plan.LSF(), Period: 10}, Config{},
			[]Task{batch(1, 3, 3, 1), batch(2, 5, 5, 3), batch(3, 2, 2, 4), batch(10, 1, 1, 4)},
			spans{{30, 33}, {30, 35}, {10, 12}, {20, 21}}},
		{"PPP: the highest priority first",
			Local{Order: plan.ByPriority()}, Config{},
			[]Task{batch(0, 5, 5, 4), batch(1, 5, 5, 4).with(1), batch(2, 5, 5, 4).with(2)},
			spans{{0, 5}, {10, 15}, {5, 10}}},
		{"PPPD: who runs gives way, and begins anew",
			Local{Order: plan.ByPriority(), Preempt: true}, Config{},
			[]Task{batch(0, 5, 5, 4), batch(1, 5, 5, 4).with(1)},
			spans{{6, 11}, {1, 6}}},
		{"PPPD: the lowest priority gives way, and what began last",
			Local{Order: plan.ByPriority(), Preempt: true}, Config{},
			[]Task{batch(0, 10, 10, 2).with(1), batch(1, 10, 10, 1), batch(2, 10, 10, 1), batch(3, 2, 2, 1).with(2)},
			spans{{0, 10}, {1, 11}, {5, 15}, {3, 5}}},
		{"PPPD: nobody gives way in vain, but only when that is enough",
			Local{Order: plan.ByPriority(), Preempt: true}, Config{},
			[]Task{batch(0, 10, 10, 3).with(5), batch(1, 10, 10, 1), batch(2, 2, 2, 4).with(2)},
			spans{{0, 10}, {12, 22}, {10, 12}}},
		{"PPPD: nobody gives way to who must wait for a reservation",
			Local{Order: plan.ByPriority(), Preempt: true}, Config{},
			[]Task{ahead(0, 5, 10, 5, 5, 4), batch(0, 4, 4, 4), batch(1, 6, 6, 4).with(2)},
			spans{{5, 10}, {0, 4}, {10, 16}}},
		{"PPPD: AR tasks do not give way",
			Local{Order: plan.ByPriority(), Preempt: true}, Config{},
			[]Task{ahead(0, 0, 5, 5, 5, 4), batch(1, 6, 6, 4).with(9)},
			spans{{0, 5}, {5, 11}}},
		{"FSS: in turns, whoever came first",
			Local{Order: plan.FairShare(plan.Share{})}, Config{},
			[]Task{batch(0, 4, 4, 4).of(1), batch(1, 4, 4, 4).of(1), batch(2, 4, 4, 4).of(2), batch(3, 2, 2, 4).of(2)},
			spans{{0, 4}, {8, 12}, {4, 8}, {12, 14}}},
		{"FSS: what counts is the run, once it is known",
			Local{Order: plan.FairShare(plan.Share{})}, Config{},
			[]Task{batch(0, 1, 10, 4).of(1), batch(0, 2, 2, 4).of(2), batch(0, 3, 3, 4).of(1), batch(0, 3, 3, 4).of(2)},
			spans{{0, 1}, {1, 3}, {3, 6}, {6, 9}}},
		{"fixed AR: batch tasks do not cross it",
			Local{Backfill: plan.FirstFit()}, Config{},
			[]Task{ahead(0, 5, 10, 5, 5, 4), batch(1, 3, 5, 4), batch(2, 3, 3, 4)},
			spans{{5, 10}, {10, 13}, {2, 5}}},
		{"flexible AR: the earliest place",
			Local{Backfill: plan.FirstFit()}, Config{},
			[]Task{batch(0, 6, 6, 4), ahead(1, 2, 12, 4, 4, 4)},
			spans{{0, 6}, {6, 10}}},
		{"fixed AR that cannot be met is late",
			Local{Backfill: plan.FirstFit()}, Config{},
			[]Task{batch(0, 6, 6, 4), ahead(1, 2, 6, 4, 4, 4)},
			spans{{0, 6}, {6, 10}}},
		{"fixed AR that cannot be met is rejected",
			Local{Backfill: plan.FirstFit()}, Config{Strict: true},
			[]Task{batch(0, 6, 6, 4), ahead(1, 2, 6, 4, 4, 4)},
			spans{{0, 6}, {}}},
		{"AR: what it gives back is used",
			Local{Backfill: plan.FirstFit()}, Config{},
			[]Task{ahead(0, 2, 12, 3, 10, 4), batch(1, 4, 4, 4)},
			spans{{2, 5}, {5, 9}}},
		{"AR first: not kept for the grid's period",
			Local{Backfill: plan.FirstFit()}, Config{ARFirst: true, Period: 10},
			[]Task{batch(1, 5, 5, 4), ahead(2, 3, 0, 4, 4, 4)},
			spans{{10, 15}, {3, 7}}},
		{"AR FCFS: kept, and behind who came before",
			Local{Backfill: plan.FirstFit()}, Config{Period: 10},
			[]Task{batch(1, 5, 5, 4), ahead(2, 3, 0, 4, 4, 4)},
			spans{{10, 15}, {15, 19}}},
		{"AR first: before batch tasks of the same tick",
			Local{Backfill: plan.FirstFit()}, Config{ARFirst: true},
			[]Task{batch(1, 5, 5, 4), ahead(1, 1, 0, 4, 4, 4)},
			spans{{5, 10}, {1, 5}}},
		{"steps: a start between two is missed",
			Local{}, Config{Search: Steps{Step: 5, Tries: 3}},
			[]Task{ahead(0, 0, 0, 7, 7, 4), ahead(0, 0, 0, 4, 4, 4)},
			spans{{0, 7}, {10, 14}}},
		{"steps: no more than so many",
			Local{}, Config{Search: Steps{Step: 5, Tries: 2}},
			[]Task{ahead(0, 0, 0, 7, 7, 4), ahead(0, 0, 0, 4, 4, 4)},
			spans{{0, 7}, {}}},
		{"more units than there are",
			Local{}, Config{},
			[]Task{batch(0, 1, 1, 5), ahead(0, 0, 0, 1, 1, 5), batch(0, 1, 1, 4)},
			spans{{}, {}, {0, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.grid.Providers = []Provider{machine(t, c.local)}
			r, err := Run(c.grid, c.tasks)
			require.NoError(t, err)
			for i, o := range r.Outcomes {
				require.Equal(t, c.want[i], [2]bookahead.Time{o.Start, o.End}, "task %d", i)
				require.Equal(t, o.End == 0, o.Rejected, "task %d", i)
			}
		})
	}
}
