package grid

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// mixed is a job with parts on halls and on cells. The parts on halls come first.
type mixed struct {
	Job
	halls []*hall // of the first parts
}

func drawMixed(t *rapid.T, halls []*hall, members []*cells, now bookahead.Time) mixed {
	j := mixed{Job: Job{Ready: max(0, now+bookahead.Time(rapid.IntRange(-5, 30).Draw(t, "ready")))}}
	span := bookahead.Duration(0)
	add := func(on Member, most int64) {
		p := Part{
			On:       on,
			Offset:   bookahead.Duration(max(0, rapid.IntRange(-8, 8).Draw(t, "offset"))),
			Duration: bookahead.Duration(rapid.IntRange(1, 12).Draw(t, "duration")),
			Units:    rapid.Int64Range(1, most).Draw(t, "units"),
		}
		span = max(span, p.Offset+p.Duration)
		j.Parts = append(j.Parts, p)
	}
	used := rapid.Permutation(halls).Draw(t, "halls")
	j.halls = used[:rapid.IntRange(1, len(used)).Draw(t, "gangs")]
	for _, h := range j.halls {
		add(h.drawGang(t), 3)
	}
	for range rapid.IntRange(0, 2).Draw(t, "parts") {
		c := members[rapid.IntRange(0, len(members)-1).Draw(t, "on")]
		add(c, min(3, c.capacity))
	}
	if rapid.IntRange(0, 2).Draw(t, "limited") == 2 {
		j.Deadline = j.Ready + bookahead.Time(span) + bookahead.Time(rapid.IntRange(0, 30).Draw(t, "slack"))
	}
	return j
}

// scan is the brute force: every start, from the first to the last.
func (j mixed) scan(horizon bookahead.Duration) (bookahead.Time, error) {
	n := len(j.halls)
	for t := j.Ready; t < axis; t++ {
		late := slices.ContainsFunc(j.Parts, func(p Part) bool { return j.Deadline != 0 && p.window(t).End > j.Deadline })
		ok := !late && fits(j.Parts[n:], 0, t)
		for i, h := range j.halls {
			ok = ok && h.fits(j.Parts[i], j.Parts[i].On.(Gang).Request, t, horizon)
		}
		if ok {
			return t, nil
		}
	}
	return 0, bookahead.ErrUnavailable
}

// real is the job on the members themselves, and the place of each part in it. The parts are in the
// opposite order if turned is set.
func (j mixed) real(turned bool) (Job, []int) {
	var order []int // of the real parts, by part of j
	for i := range j.Parts {
		order = append(order, i)
	}
	if turned {
		slices.Reverse(order)
	}
	job := j.Job
	job.Parts = make([]Part, len(j.Parts))
	for i, p := range j.Parts {
		c, ok := p.On.(*cells)
		if ok {
			p.On = c.Keeper
		}
		job.Parts[order[i]] = p
	}
	return job, order
}

// A scan of all starts finds the same start, on machines, pools and servers, some of which are closed
// for a time. The nodes have room, and a job that is given back leaves no trace.
func TestGangsStartAsTheScanSays(t *testing.T) {
	const horizon = 60
	count := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		halls := []*hall{drawHall(t, horizon), drawHall(t, horizon)}
		members := []*cells{drawCells(t, horizon), drawCells(t, horizon)}
		now := bookahead.Time(0)
		type booked struct {
			mixed
			Allocation
			order []int
		}
		var live []booked
		for range 100 {
			switch rapid.IntRange(0, 9).Draw(t, "event") {
			case 0:
				halls[rapid.IntRange(0, 1).Draw(t, "hall")].drawClosure(t)
			case 1:
				now = min(now+bookahead.Time(rapid.IntRange(0, 6).Draw(t, "step")), axis-horizon)
				for _, h := range halls {
					h.now = now
					require.NoError(t, h.Advance(now))
				}
				for _, c := range members {
					c.now = now
					require.NoError(t, c.Advance(now))
				}
			case 2, 3:
				if len(live) == 0 {
					continue
				}
				k := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				b := live[k]
				live = slices.Delete(live, k, k+1)
				over := !slices.ContainsFunc(b.Allocation.Parts, func(r bookahead.Reservation) bool { return r.End > now })
				err := b.Release()
				require.Equal(t, over, err == bookahead.ErrNotFound)
				require.True(t, over || err == nil, "%v", err)
				for i := range b.mixed.Parts {
					if i < len(b.halls) {
						b.halls[i].book(t, b.Nodes[b.order[i]], 1)
					} else {
						b.mixed.Parts[i].On.(*cells).add(t, b.Allocation.Parts[b.order[i]].Offer, false)
					}
				}
				count["released"]++
			default:
				j := drawMixed(t, halls, members, now)
				real, order := j.real(rapid.Bool().Draw(t, "turned"))
				plan, err := CoSearch(real)
				if chained(Job{Parts: j.Parts[len(j.halls):]}) {
					require.ErrorIs(t, err, bookahead.ErrInvalid)
					continue
				}
				want, wantErr := j.scan(horizon)
				require.Equal(t, wantErr, err)
				a, err := CoAllocate(real)
				require.Equal(t, wantErr, err)
				if err != nil {
					count["unavailable"]++
					break
				}
				count["booked"]++
				require.Equal(t, want, plan.Start)
				require.Equal(t, want, a.Start)
				require.Len(t, a.Nodes, len(j.halls))
				require.Len(t, plan.Nodes, len(j.halls))
				for i, p := range j.Parts {
					res := a.Parts[order[i]]
					require.Equal(t, plan.Parts[order[i]], res.Offer)
					require.Equal(t, p.window(want), res.Interval)
					require.Equal(t, p.Units, res.Units)
					if i >= len(j.halls) {
						p.On.(*cells).add(t, res.Offer, true)
						continue
					}
					h, held := j.halls[i], a.Nodes[order[i]]
					require.Equal(t, plan.Nodes[order[i]], held.Offer)
					require.Equal(t, res.ID, held.ID)
					require.Equal(t, res.Interval, held.Interval)
					known, err := h.Reservation(res.ID)
					require.NoError(t, err)
					require.Equal(t, known, held)
					h.check(t, p, p.On.(Gang).Request, held)
					h.book(t, held, -1)
				}
				live = append(live, booked{j, a, order})
			}
			for _, h := range halls {
				require.NoError(t, h.Verify())
			}
		}
	})
	t.Log(count)
	for _, kind := range []string{"booked", "unavailable", "released"} {
		require.Positive(t, count[kind], kind)
	}
}
