package main

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// order is a job that is submitted, or a workflow of jobs that are all alike. Its times
// count from its submission.
type order struct {
	submit    bookahead.Time
	job       bookahead.Request
	at        []int              // the site of each job
	transfer  bookahead.Duration // between two jobs on different sites
	bandwidth int64
}

// shortest is for how long the order would run on an empty system.
func (o order) shortest() bookahead.Time {
	jobs := bookahead.Time(len(o.at))
	return jobs*bookahead.Time(o.job.Duration) + (jobs-1)*bookahead.Time(o.transfer)
}

// request returns the request for one job, which may start from ready on.
func (o order) request(ready bookahead.Time) bookahead.Request {
	r := o.job
	r.Ready, r.Deadline = ready, o.submit+o.job.Deadline
	return r
}

// stream has the orders of one run. First comes the warm-up, one book-ahead time
// long, and then the steady part.
type stream struct {
	orders []order
	steady int            // the first order that counts
	end    bookahead.Time // of the steady part
}

// interarrival is the mean time between submissions in the steady part.
func (s stream) interarrival(warm bookahead.Time) float64 {
	return float64(s.end-warm) / float64(len(s.orders)-s.steady)
}

// newStream makes the orders of a run. By chance, the steady part has more or less work
// than the gap should offer. So that part is drawn out, or pushed together, until its load
// is exact.
func newStream(e experiment, gap, load, length float64, seed uint64) (stream, error) {
	warm := bookahead.Time(e.ahead)
	span := length * float64(warm)
	orders, err := e.orders(gap, warm+bookahead.Time(span), seed)
	if err != nil {
		return stream{}, err
	}
	s := stream{orders: orders}
	for s.steady < len(orders) && orders[s.steady].submit < warm {
		s.steady++
	}
	by := work(orders[s.steady:]) / (load * e.capacity() * span)
	for i := range orders[s.steady:] {
		o := &orders[s.steady+i]
		o.submit = warm + bookahead.Time(by*float64(o.submit-warm))
	}
	s.end = warm + bookahead.Time(by*span)
	return s, nil
}

// gapFor returns the mean time between first submissions that offers a load.
func gapFor(e experiment, load float64, seed uint64) (float64, error) {
	const gap = 1000
	end := 12 * bookahead.Time(e.ahead)
	orders, err := e.orders(gap, end, seed)
	if err != nil {
		return 0, err
	}
	return gap * work(orders) / (load * e.capacity() * float64(end)), nil
}

// orders returns the orders that are submitted before end. An order that could not end
// within the book-ahead time even on an empty system is left out.
func (e experiment) orders(gap float64, end bookahead.Time, seed uint64) ([]order, error) {
	jobs, err := e.jobs(gap, end, seed)
	if err != nil {
		return nil, err
	}
	bookings, err := workload.Reservations{Fraction: 1, Ahead: bookahead.Duration(e.lead * float64(e.ahead)), Slack: 2, Seed: seed}.Book(jobs)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 9))
	var orders []order
	for _, b := range bookings {
		o := e.order(b, rng)
		if o.job.Ready+o.shortest() <= bookahead.Time(e.ahead) {
			orders = append(orders, o)
		}
	}
	return orders, nil
}

// jobs returns the jobs that are submitted before end.
func (e experiment) jobs(gap float64, end bookahead.Time, seed uint64) ([]workload.Job, error) {
	model := workload.Feitelson{Nodes: e.units, Seed: seed, Gap: gap, Short: e.short}
	for n := 100 + int(2*float64(end)/gap); ; n *= 2 {
		jobs, err := model.Generate(n)
		if err != nil {
			return nil, err
		}
		if jobs[n-1].Submit >= end {
			behind, _ := slices.BinarySearchFunc(jobs, end, func(j workload.Job, t bookahead.Time) int { return cmp.Compare(j.Submit, t) })
			return jobs[:behind], nil
		}
	}
}

// work is the work of all orders, in units times seconds.
func work(orders []order) float64 {
	sum := 0.0
	for _, o := range orders {
		sum += float64(len(o.at)) * float64(o.job.Duration) * float64(o.job.Units)
	}
	return sum
}
