package nodes

import (
	"errors"
	"reflect"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// memory is a finding of a search: a request has no place that starts from one time to another.
type memory struct {
	r           Request
	from, until bookahead.Time
}

// memories says how a memory of searches is wrong. The zero value is right.
type memories struct {
	// serves reports whether a finding about one request holds for another.
	serves func(known, r Request) bool
	// opens returns the starts that something that is given back for a time can make possible.
	opens func(what string, w bookahead.Interval, d bookahead.Time) bookahead.Interval
	// shared is set if a clone has the memory of its original.
	shared bool
}

// remembers is a machine that never looks where it knows that there is no place.
type remembers struct {
	booker
	memories
	known *[]memory
}

func remembering(z memories) maker {
	return func(c Config, deal string) (booker, error) {
		m, err := newReal(c, deal)
		return &remembers{booker: m, memories: z, known: &[]memory{}}, err
	}
}

// alike reports whether two requests differ at most in their times, durations and numbers of tasks.
func alike(a, b Request) bool {
	a.Ready, a.Deadline, a.Duration, a.Tasks = b.Ready, b.Deadline, b.Duration, b.Tasks
	return reflect.DeepEqual(a, b)
}

func right(known, r Request) bool {
	return alike(known, r) && known.Tasks <= r.Tasks && known.Duration <= r.Duration
}

// later returns a request for the starts of which nothing is known; false if there are none.
func (x *remembers) later(r Request) (Request, bool) {
	serves := x.serves
	if serves == nil {
		serves = right
	}
	if r.Validate() != nil {
		return r, true
	}
	now := x.Frame().Now
	for _, z := range *x.known {
		first := max(r.Ready, now)
		if serves(z.r, r) && z.from <= first && first < z.until {
			r.Ready = z.until
		}
	}
	d := bookahead.Time(r.Duration)
	return r, r.Ready <= bookahead.MaxTime-d && (r.Deadline == 0 || r.Ready <= r.Deadline-d)
}

// learn remembers a search for r, of which the starts before those of asked were known.
func (x *remembers) learn(r Request, start bookahead.Time, err error) {
	f := x.Frame()
	until := start
	switch {
	case errors.Is(err, bookahead.ErrUnavailable):
		until = f.Horizon - bookahead.Time(r.Duration) + 1
		if r.Deadline != 0 {
			until = min(until, r.Deadline-bookahead.Time(r.Duration)+1)
		}
	case err != nil:
		return
	}
	if from := max(r.Ready, f.Now); from < until {
		*x.known = append(*x.known, memory{r, from, until})
		if len(*x.known) > 64 {
			*x.known = slices.Delete(*x.known, 0, 1)
		}
	}
}

// cut forgets the findings that may be wrong once something is given back.
func (x *remembers) cut(what string, w bookahead.Interval) {
	if w.Empty() {
		return
	}
	for i := range *x.known {
		z := &(*x.known)[i]
		d := bookahead.Time(z.r.Duration)
		open := bookahead.Interval{Start: w.Start - d + 1, End: w.End}
		if x.opens != nil {
			open = x.opens(what, w, d)
		}
		if open.Start < z.until && open.End > z.from && !open.Empty() {
			z.until = max(z.from, open.Start)
		}
	}
}

// why returns the error of a request without a place: the starts that are passed over count for the reason.
func (x *remembers) why(r Request) error {
	_, err := x.booker.Search(r)
	if errors.Is(err, bookahead.ErrUnavailable) {
		return err
	}
	return bookahead.ErrUnavailable // the memory is wrong
}

func (x *remembers) Search(r Request) (Offer, error) {
	shorter, ok := x.later(r)
	if !ok {
		return Offer{}, x.why(r)
	}
	offer, err := x.booker.Search(shorter)
	x.learn(r, offer.Start, err)
	if errors.Is(err, bookahead.ErrUnavailable) {
		err = x.why(r)
	}
	return offer, err
}

func (x *remembers) Reserve(r Request) (Reservation, error) {
	shorter, ok := x.later(r)
	if !ok {
		return Reservation{}, x.why(r)
	}
	res, err := x.booker.Reserve(shorter)
	x.learn(r, res.Start, err)
	if errors.Is(err, bookahead.ErrUnavailable) {
		err = x.why(r)
	}
	return res, err
}

func (x *remembers) Release(id bookahead.ID) error {
	res, _ := x.Reservation(id)
	err := x.booker.Release(id)
	if err == nil {
		x.cut("release", res.Interval)
	}
	return err
}

func (x *remembers) Rebook(id bookahead.ID, r Request) (Reservation, error) {
	old, _ := x.Reservation(id)
	res, err := x.booker.Rebook(id, r)
	if err == nil {
		x.cut("rebook", old.Interval)
	}
	return res, err
}

// always is all time that a cut can be about.
var always = bookahead.Interval{Start: 0, End: bookahead.MaxTime}

func (x *remembers) EndClosure(id bookahead.ClosureID, at bookahead.Time) error {
	err := x.booker.EndClosure(id, at)
	x.cut("end of a closure", always)
	return err
}

func (x *remembers) Extend(c bookahead.Closure, more []Added) (bookahead.Closure, error) {
	c, err := x.booker.Extend(c, more)
	x.cut("extension", c.Interval)
	return c, err
}

func (x *remembers) Displace(f Force) (Displacement, error) {
	done, err := x.booker.Displace(f)
	if err == nil {
		x.cut("displacement", always)
	}
	return done, err
}

func (x *remembers) copied() booker {
	c := *x
	c.booker = x.booker.copied()
	if !x.shared {
		known := slices.Clone(*x.known)
		c.known = &known
	}
	return &c
}

func (x *remembers) reread(t require.TestingT, seed uint64) booker {
	c := *x
	c.booker = x.booker.reread(t, seed)
	return &c
}

// forgetsNot is a memory that one kind of change does not cut.
func forgetsNot(change string) memories {
	return memories{opens: func(what string, w bookahead.Interval, d bookahead.Time) bookahead.Interval {
		if what == change {
			return bookahead.Interval{}
		}
		return bookahead.Interval{Start: w.Start - d + 1, End: w.End}
	}}
}

// blurs is a memory that takes requests for the same that differ in something.
func blurs(blur func(known, r *Request)) memories {
	return memories{serves: func(known, r Request) bool {
		blur(&known, &r)
		return right(known, r)
	}}
}

// A finding that a request has no place is remembered too long, or for the wrong requests.
var memoryFaults = []fault{
	{name: "memory that outlives a release", late: true, open: remembering(forgetsNot("release"))},
	{name: "memory that outlives a rebooking", late: true, open: remembering(forgetsNot("rebook"))},
	{name: "memory that outlives a closure", late: true, open: remembering(forgetsNot("end of a closure"))},
	{name: "memory that outlives an extension", late: true, open: remembering(forgetsNot("extension"))},
	{name: "memory that outlives a displacement", late: true, open: remembering(forgetsNot("displacement"))},
	{name: "memory cut at the start of a release", late: true, open: remembering(memories{
		opens: func(_ string, w bookahead.Interval, _ bookahead.Time) bookahead.Interval { return w },
	})},
	{name: "memory cut a tick short", late: true, open: remembering(memories{
		opens: func(_ string, w bookahead.Interval, d bookahead.Time) bookahead.Interval {
			return bookahead.Interval{Start: w.Start - d + 2, End: w.End}
		},
	})},
	{name: "memory that a clone shares", late: true, open: remembering(memories{shared: true})},
	{name: "memory of a longer request", late: true, open: remembering(memories{
		serves: func(known, r Request) bool { return alike(known, r) && known.Tasks <= r.Tasks },
	})},
	{name: "memory of more tasks", late: true, open: remembering(memories{
		serves: func(known, r Request) bool { return alike(known, r) && known.Duration <= r.Duration },
	})},
	{name: "memory of fewer nodes", late: true, open: remembering(blurs(func(known, r *Request) { known.Except = r.Except }))},
	{name: "memory of fewer tasks a node", late: true, open: remembering(blurs(func(known, r *Request) { known.PerNode = r.PerNode }))},
	{name: "memory of one group", late: true, open: remembering(blurs(func(known, r *Request) { known.Within = r.Within }))},
	{name: "memory of a head", late: true, open: remembering(blurs(func(known, r *Request) { known.Head = r.Head }))},
}
