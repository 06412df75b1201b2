package scheduletest

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// The suite is tested with schedules that are wrong on purpose. Each fault is
// an oracle with one method spoilt.

type spoiltPool struct{ Pool }

type spoiltServers struct {
	Servers
	lot int // see chance
}

// as lets Reserve book what the outer Search offers, so that the fault is the
// same in both.
func (p *spoiltPool) as(s bookahead.Schedule, r bookahead.Request) (bookahead.Reservation, error) {
	o, err := s.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return bookahead.Reservation{ID: p.book(o), Offer: o}, nil
}

// units books so many units in w, behind the ledger's back.
func (p *spoiltPool) units(w bookahead.Interval, n int64) { p.add(w, n) }

type leakyRelease struct{ spoiltPool }

func (p *leakyRelease) Release(id bookahead.ID) error {
	o, err := p.strike(id)
	if err == nil {
		o.End--
		p.units(o.Interval, -o.Units)
	}
	return err
}

type endOffByOne struct{ spoiltPool }

func (p *endOffByOne) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := p.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	id := p.enter(o)
	o.End--
	p.units(o.Interval, o.Units)
	o.End++
	return bookahead.Reservation{ID: id, Offer: o}, nil
}

type lateStart struct{ spoiltPool }

func (p *lateStart) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.spoiltPool.Search(r)
	if err == nil && o.Start%4 != 0 && r.Deadline == 0 && p.horizon == 0 { // to the next slot edge
		o.Start += 4 - o.Start%4
		o.End = o.Start + bookahead.Time(r.Duration)
	}
	return o, err
}

func (p *lateStart) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return p.as(p, r) }

// skipsRunningSlot is Kurowski's Algorithm 2 as printed: it begins with the
// first change at the ready time or later.
type skipsRunningSlot struct{ spoiltPool }

func (p *skipsRunningSlot) Search(r bookahead.Request) (bookahead.Offer, error) {
	at := func(t bookahead.Time) int64 { return p.free(bookahead.Interval{Start: t, End: t + 1}) }
	late := r
	if err := r.Validate(); err == nil && r.Deadline == 0 {
		for late.Ready > p.clock && late.Ready < p.busy() && at(late.Ready) == at(late.Ready-1) {
			late.Ready++
		}
	}
	return p.spoiltPool.Search(late)
}

func (p *skipsRunningSlot) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return p.as(p, r)
}

type overbooks struct{ spoiltPool }

func (p *overbooks) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Units > 1 { // looks at the first tick only
		probe := r
		probe.Duration = 1
		o, err := p.spoiltPool.Search(probe)
		o.End = o.Start + bookahead.Time(r.Duration)
		if _, full := p.spoiltPool.Search(r); err != nil || full != nil {
			return bookahead.Offer{}, full
		}
		return o, err
	}
	return p.spoiltPool.Search(r)
}

func (p *overbooks) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return p.as(p, r) }

type freesRunningOnAdvance struct{ spoiltPool }

func (p *freesRunningOnAdvance) Advance(now bookahead.Time) error {
	err := p.spoiltPool.Advance(now)
	for _, res := range p.live() {
		if err == nil && res.Start < now {
			p.units(res.Interval, -res.Units)
			delete(p.booked, res.ID)
		}
	}
	return err
}

type forgetsOnAdvance struct{ spoiltPool } // the booking, not what it takes up

func (p *forgetsOnAdvance) Advance(now bookahead.Time) error {
	err := p.spoiltPool.Advance(now)
	for id, o := range p.booked {
		if o.Start < now {
			delete(p.booked, id)
		}
	}
	return err
}

type mutatingQuery struct{ spoiltPool }

func (p *mutatingQuery) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	a, err := p.spoiltPool.RangeQuery(w)
	if err == nil && a.Free > 0 && w.Len() > 3 {
		p.units(bookahead.Interval{Start: max(w.Start, p.clock), End: max(w.Start, p.clock) + 1}, 1)
	}
	return a, err
}

type mutatingSearch struct{ spoiltPool } // keeps the cursor, as some planners do

func (p *mutatingSearch) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.spoiltPool.Search(r)
	if err == nil && o.Start > p.clock && r.Deadline == 0 {
		p.clock++
	}
	return o, err
}

type errorBooks struct{ spoiltPool }

func (p *errorBooks) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Reserve(r)
	if err == bookahead.ErrUnavailable && p.capacity > 1 {
		p.units(bookahead.Interval{Start: p.clock, End: p.clock + 1}, 1)
	}
	return res, err
}

type errorUsesID struct{ spoiltPool }

func (p *errorUsesID) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Reserve(r)
	if err == bookahead.ErrUnavailable {
		p.last++
	}
	return res, err
}

type idReused struct{ spoiltPool }

func (p *idReused) Release(id bookahead.ID) error {
	err := p.spoiltPool.Release(id)
	if err == nil && id == p.last {
		p.last--
	}
	return err
}

type releasesTwice struct{ spoiltPool }

func (p *releasesTwice) Release(id bookahead.ID) error {
	o := p.booked[id]
	err := p.spoiltPool.Release(id)
	if err == nil {
		p.booked[id] = o
	}
	return err
}

// staleIndex remembers up to where the pool is full, and forgets to forget.
type staleIndex struct {
	spoiltPool
	full bookahead.Time
}

func (p *staleIndex) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Reserve(r)
	if err == nil && res.Units == p.capacity && res.Start <= max(p.full, p.clock) {
		p.full = max(p.full, res.End)
	}
	return res, err
}

func (p *staleIndex) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Validate() == nil && r.Deadline == 0 {
		r.Ready = max(r.Ready, min(p.full, bookahead.MaxTime-bookahead.Time(r.Duration)))
	}
	return p.spoiltPool.Search(r)
}

type readyIgnored struct{ spoiltPool }

func (p *readyIgnored) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Validate() == nil && p.busy() == p.clock {
		r.Ready = 0 // on an empty profile
	}
	return p.spoiltPool.Search(r)
}

func (p *readyIgnored) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return p.as(p, r) }

type deadlineIgnored struct{ spoiltPool }

func (p *deadlineIgnored) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Validate() == nil && r.Deadline > p.clock {
		r.Deadline = 0
	}
	return p.spoiltPool.Search(r)
}

func (p *deadlineIgnored) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return p.as(p, r)
}

type horizonIgnored struct{ spoiltPool }

func (p *horizonIgnored) Search(r bookahead.Request) (bookahead.Offer, error) {
	h := p.horizon
	defer func() { p.horizon = h }()
	p.horizon = 0
	return p.spoiltPool.Search(r)
}

func (p *horizonIgnored) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return p.as(p, r)
}

type twinsCountOnce struct{ spoiltPool } // two equal bookings that start together

func (p *twinsCountOnce) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := p.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	for _, twin := range p.live() {
		if twin.Interval == o.Interval && twin.Units == o.Units {
			return bookahead.Reservation{ID: p.enter(o), Offer: o}, nil
		}
	}
	return bookahead.Reservation{ID: p.book(o), Offer: o}, nil
}

type negativeUnits struct{ spoiltPool }

func (p *negativeUnits) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if r.Units < 0 && r.Units > -p.capacity {
		r.Units = -r.Units
	}
	return p.spoiltPool.Reserve(r)
}

type closedWindow struct{ spoiltPool } // [a, b] for [a, b)

func (p *closedWindow) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	a, err := p.spoiltPool.RangeQuery(w)
	if err == nil && w.End < p.end() && w.Len() > 3 {
		last, _ := p.spoiltPool.RangeQuery(bookahead.Interval{Start: w.End, End: w.End + 1})
		a.Free = min(a.Free, last.Free)
	}
	return a, err
}

// sharedClone shares its cells with the copy.
type sharedClone struct{ spoiltPool }

func (p *sharedClone) Clone() bookahead.Schedule {
	for range 2 * span { // room, so that neither side has to grow
		p.used = append(p.used, 0)
	}
	c := *p
	c.booked = map[bookahead.ID]bookahead.Offer{}
	for id, o := range p.booked {
		c.booked[id] = o
	}
	return &c
}

// sumWraps adds what is asked for to what is used.
type sumWraps struct{ spoiltPool }

func (p *sumWraps) Search(r bookahead.Request) (bookahead.Offer, error) {
	if err := p.check(r); err != nil {
		return bookahead.Offer{}, err
	}
	start, err := p.starts(r, func(w bookahead.Interval) bool { return p.capacity-p.free(w)+r.Units <= p.capacity })
	if err != nil {
		return bookahead.Offer{}, err
	}
	return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}, Units: r.Units}, nil
}

func (p *sumWraps) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return p.as(p, r) }

// losesWhenFull forgets what is booked when its ledger has to grow.
type losesWhenFull struct{ spoiltPool }

func (p *losesWhenFull) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Reserve(r)
	if err == nil && len(p.booked) == 257 {
		delete(p.booked, p.last-200)
	}
	return res, err
}

// brokenSplit miscounts once there is more than fits into one node.
type brokenSplit struct{ spoiltPool }

func (p *brokenSplit) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	a, err := p.spoiltPool.RangeQuery(w)
	if err == nil && len(p.booked) > 64 && w.Start%64 == 63 && a.Free > 0 {
		a.Free--
	}
	return a, err
}

// notIntersected counts the free servers at each tick, but does not ask
// whether they are the same ones.
type notIntersected struct{ spoiltServers }

func (s *notIntersected) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := s.spoiltServers.Search(r)
	if err != nil || o.Start == max(r.Ready, s.clock) || r.Servers != nil {
		return o, err
	}
	start, _ := s.starts(r, func(w bookahead.Interval) bool {
		for t := w.Start; t < min(w.End, s.busy()); t++ {
			if int64(len(s.free(bookahead.Interval{Start: t, End: t + 1}))) < r.Units {
				return false
			}
		}
		return true
	})
	at := bookahead.Interval{Start: start, End: start + 1}
	o.Interval = bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}
	o.Servers = s.free(at)[:r.Units]
	return o, nil
}

type serversIgnored struct{ spoiltServers }

func (s *serversIgnored) Search(r bookahead.Request) (bookahead.Offer, error) {
	if s.check(r) == nil {
		r.Servers = nil
	}
	return s.spoiltServers.Search(r)
}

// ownReserve takes the place behind the one that Search offers.
type ownReserve struct{ spoiltPool }

func (p *ownReserve) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if r.Validate() == nil && r.Deadline == 0 && r.Duration > 2 {
		r.Ready = max(r.Ready, p.clock) + 1
	}
	return p.spoiltPool.Reserve(r)
}

// chance chooses servers by the address of the schedule.
type chance struct{ spoiltServers }

func (s *chance) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := s.spoiltServers.Search(r)
	if err != nil || s.luck() == 0 {
		return o, err
	}
	able := s.choose(r, o.Interval)
	o.Servers = able[int64(len(able))-r.Units:]
	return o, nil
}

func (s *chance) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := s.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return bookahead.Reservation{ID: s.book(o), Offer: o}, nil
}

// luck differs from one schedule to the next.
func (s *chance) luck() int {
	if s.lot == 0 {
		lots++
		s.lot = 1 + lots%2
	}
	return s.lot - 1
}

var lots int

// keepsServers holds on to the slice that the caller named servers with.
type keepsServers struct{ spoiltServers }

func (s *keepsServers) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := s.spoiltServers.Search(r)
	if err == nil && int64(len(r.Servers)) == r.Units {
		slices.Sort(r.Servers)
		o.Servers = r.Servers
	}
	return o, err
}

type serverHeldTwice struct{ spoiltServers } // releases server 0 too early

func (s *serverHeldTwice) Advance(now bookahead.Time) error {
	err := s.spoiltServers.Advance(now)
	for _, res := range s.live() {
		if err == nil && res.Start < now && slices.Contains(res.Servers, 0) {
			s.add(bookahead.Offer{Interval: res.Interval, Servers: []int{0}}, -1)
			s.booked[res.ID] = bookahead.Offer{Interval: res.Interval, Units: res.Units, Servers: res.Servers[1:]}
		}
	}
	return err
}

var faults = []struct {
	name    string
	servers bool
	spoil   func(Target, Config) bookahead.Schedule
}{
	{"leaky release", false, func(t Target, c Config) bookahead.Schedule { return &leakyRelease{spoil(t, c)} }},
	{"end off by one", false, func(t Target, c Config) bookahead.Schedule { return &endOffByOne{spoil(t, c)} }},
	{"late start", false, func(t Target, c Config) bookahead.Schedule { return &lateStart{spoil(t, c)} }},
	{"Reserve of its own", false, func(t Target, c Config) bookahead.Schedule { return &ownReserve{spoil(t, c)} }},
	{"chance", true, func(t Target, c Config) bookahead.Schedule { return &chance{spoilServers(t, c)} }},
	{"keeps the caller's servers", true, func(t Target, c Config) bookahead.Schedule { return &keepsServers{spoilServers(t, c)} }},
	{"skips the running slot", false, func(t Target, c Config) bookahead.Schedule { return &skipsRunningSlot{spoil(t, c)} }},
	{"overbooks", false, func(t Target, c Config) bookahead.Schedule { return &overbooks{spoil(t, c)} }},
	{"advance frees a running reservation", false, func(t Target, c Config) bookahead.Schedule { return &freesRunningOnAdvance{spoil(t, c)} }},
	{"advance forgets a running reservation", false, func(t Target, c Config) bookahead.Schedule { return &forgetsOnAdvance{spoil(t, c)} }},
	{"query that mutates", false, func(t Target, c Config) bookahead.Schedule { return &mutatingQuery{spoil(t, c)} }},
	{"search that mutates", false, func(t Target, c Config) bookahead.Schedule { return &mutatingSearch{spoil(t, c)} }},
	{"error that books", false, func(t Target, c Config) bookahead.Schedule { return &errorBooks{spoil(t, c)} }},
	{"error that uses up an ID", false, func(t Target, c Config) bookahead.Schedule { return &errorUsesID{spoil(t, c)} }},
	{"ID reused", false, func(t Target, c Config) bookahead.Schedule { return &idReused{spoil(t, c)} }},
	{"released twice", false, func(t Target, c Config) bookahead.Schedule { return &releasesTwice{spoil(t, c)} }},
	{"stale index after release", false, func(t Target, c Config) bookahead.Schedule { return &staleIndex{spoiltPool: spoil(t, c)} }},
	{"ready time ignored", false, func(t Target, c Config) bookahead.Schedule { return &readyIgnored{spoil(t, c)} }},
	{"deadline ignored", false, func(t Target, c Config) bookahead.Schedule { return &deadlineIgnored{spoil(t, c)} }},
	{"horizon ignored", false, func(t Target, c Config) bookahead.Schedule { return &horizonIgnored{spoil(t, c)} }},
	{"twins count once", false, func(t Target, c Config) bookahead.Schedule { return &twinsCountOnce{spoil(t, c)} }},
	{"negative units", false, func(t Target, c Config) bookahead.Schedule { return &negativeUnits{spoil(t, c)} }},
	{"closed window", false, func(t Target, c Config) bookahead.Schedule { return &closedWindow{spoil(t, c)} }},
	{"shared clone", false, func(t Target, c Config) bookahead.Schedule { return &sharedClone{spoil(t, c)} }},
	{"sum wraps", false, func(t Target, c Config) bookahead.Schedule { return &sumWraps{spoil(t, c)} }},
	{"unit set not intersected", true, func(t Target, c Config) bookahead.Schedule { return &notIntersected{spoilServers(t, c)} }},
	{"named servers ignored", true, func(t Target, c Config) bookahead.Schedule { return &serversIgnored{spoilServers(t, c)} }},
	{"resize gives back and fails", false, func(t Target, c Config) bookahead.Schedule { return &halfResize{spoil(t, c)} }},
	{"resize counts its own use", false, func(t Target, c Config) bookahead.Schedule { return &ownUseCounts{spoil(t, c)} }},
	{"not the latest", false, func(t Target, c Config) bookahead.Schedule { return &notTheLatest{spoil(t, c)} }},
	{"server given away while running", true, func(t Target, c Config) bookahead.Schedule { return &serverHeldTwice{spoilServers(t, c)} }},
}

func spoil(t Target, c Config) spoiltPool {
	p, err := NewPool(t, c)
	if err != nil {
		panic(err)
	}
	return spoiltPool{*p}
}

func spoilServers(t Target, c Config) spoiltServers {
	s, err := NewServers(t, c)
	if err != nil {
		panic(err)
	}
	return spoiltServers{Servers: *s}
}

// TestFaultsAreCaught demands that Model finds every fault and shows it in a
// handful of operations.
func TestFaultsAreCaught(t *testing.T) {
	const handful = 7
	for _, f := range faults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			if f.name == "chance" {
				t.Skip("shows only beside another schedule: see TestLawsCatchFaults")
			}
			target := Target{Name: f.name, Servers: f.servers}
			target.New = func(c Config) (bookahead.Schedule, error) { return f.spoil(target, c), nil }
			rec := &recorder{}
			ops := 0
			for seed := 1; ops < 100_000 && !rec.failed; seed++ {
				rec.check(seed, func(t *rapid.T) { model(t, target, &ops) })
			}
			require.True(t, rec.failed, "not caught in %d operations", ops)
			shown := rec.operations()
			t.Logf("caught, and shown in %d operations:\n%s", len(shown), strings.Join(shown, "\n"))
			require.LessOrEqual(t, len(shown), handful)
		})
	}
}

// TestFaultsOfSizeAreCaught demands that Crowded finds what shows only where
// much is booked.
func TestFaultsOfSizeAreCaught(t *testing.T) {
	for name, spoilt := range map[string]func(Target, Config) bookahead.Schedule{
		"loses when full": func(t Target, c Config) bookahead.Schedule { return &losesWhenFull{spoil(t, c)} },
		"broken split":    func(t Target, c Config) bookahead.Schedule { return &brokenSplit{spoil(t, c)} },
	} {
		target := Target{Name: name}
		target.New = func(c Config) (bookahead.Schedule, error) { return spoilt(target, c), nil }
		rec := &recorder{}
		ops := 0
		for seed := 1; seed <= 5 && !rec.failed; seed++ {
			rec.check(seed, func(t *rapid.T) { crowded(t, target, &ops) })
		}
		require.True(t, rec.failed, "%q is not caught", name)
	}
}

// TestLawsCatchFaults demands that the laws, too, find what each is about.
func TestLawsCatchFaults(t *testing.T) {
	for law, fault := range map[string]string{
		"1_NeverOverbooked":       "end off by one",
		"2_SearchIsEarliest":      "late start",
		"3_ReserveBooksTheOffer":  "Reserve of its own",
		"4_FixedFitsIfFree":       "closed window",
		"5_ReleaseUndoesReserve":  "leaky release",
		"6_ErrorChangesNothing":   "error that books",
		"7_AdvanceKeepsTheFuture": "advance frees a running reservation",
		"8_QueriesChangeNothing":  "query that mutates",
		"SameCallsSameAnswers":    "chance",
		"ClonesAreApart":          "shared clone",
	} {
		t.Run(law, func(t *testing.T) {
			if raceEnabled && (law[0] == '8' || law == "ClonesAreApart") {
				t.Skip("the fault is a race; the detector would report it")
			}
			var target Target
			for _, f := range faults {
				if f.name == fault {
					target = Target{Name: f.name, Servers: f.servers}
					target.New = func(c Config) (bookahead.Schedule, error) { return f.spoil(target, c), nil }
				}
			}
			rec := &recorder{}
			for seed := 1; seed <= 30; seed++ {
				for _, l := range laws {
					if l.name == law && !rec.failed {
						rec.check(seed, func(t *rapid.T) { l.law(t, target) })
					}
				}
			}
			require.True(t, rec.failed, "law %s does not catch %q", law, fault)
		})
	}
}

// recorder is a test that may fail without failing ours.
type recorder struct {
	rapid.TB
	failed bool
	log    []string
}

// stop ends the goroutine of a recorded test, as testing does.
type stop struct{}

// check looks for a failure, and for the shortest one, from the same seed on
// every machine.
func (r *recorder) check(seed int, prop func(*rapid.T)) {
	set := func(seed int) {
		if err := flag.Set("rapid.seed", strconv.Itoa(seed)); err != nil {
			panic(err)
		}
	}
	set(seed)
	defer func() {
		set(0) // at random again
		if p := recover(); p != nil && p != (stop{}) {
			panic(p)
		}
	}()
	rapid.Check(r, prop)
}

func (r *recorder) Helper()                   {}
func (r *recorder) Name() string              { return "recorder" }
func (r *recorder) Failed() bool              { return r.failed }
func (r *recorder) Log(args ...any)           { r.log = append(r.log, fmt.Sprint(args...)) }
func (r *recorder) Logf(f string, a ...any)   { r.log = append(r.log, fmt.Sprintf(f, a...)) }
func (r *recorder) Error(args ...any)         { r.Log(args...); r.Fail() }
func (r *recorder) Errorf(f string, a ...any) { r.Logf(f, a...); r.Fail() }
func (r *recorder) Fatal(args ...any)         { r.Log(args...); r.FailNow() }
func (r *recorder) Fatalf(f string, a ...any) { r.Logf(f, a...); r.FailNow() }
func (r *recorder) Fail()                     { r.failed = true }
func (r *recorder) FailNow()                  { r.failed = true; panic(stop{}) }

// operations lists the operations of the shortest failing run.
func (r *recorder) operations() []string {
	var ops []string
	for _, line := range r.log {
		if strings.HasPrefix(line, "op ") {
			ops = append(ops, line[len("op "):])
		}
	}
	return ops
}

// TestMain keeps rapid from writing a file for each fault it finds.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
