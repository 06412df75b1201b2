package scheduletest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// caught reports whether a law fails within a few hundred tries.
func caught(name string, target Target) bool {
	rec := &recorder{}
	for seed := 1; seed <= 30; seed++ {
		for _, l := range laws {
			if l.name == name && !rec.failed {
				rec.check(seed, func(t *rapid.T) { l.law(t, target) })
			}
		}
	}
	return rec.failed
}

// TestLawsCatchFaults checks that each law finds the faults that break it.
func TestLawsCatchFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("a quarter of the operations does not show every fault")
	}
	within(t, "0s") // nobody asks for the shortest run
	for _, c := range [][2]string{
		{"1_NeverOverbooked", "end off by one"},
		{"2_SearchIsEarliest", "late start"},
		{"3_ReserveBooksTheOffer", "Reserve of its own"},
		{"4_FixedFitsIfFree", "closed window"},
		{"4_FixedFitsIfFree", "window uncut"},
		{"4_FixedFitsIfFree", "no window"},
		{"5_ReleaseUndoesReserve", "leaky release"},
		{"6_ErrorChangesNothing", "error that books"},
		{"6_ErrorChangesNothing", "rebook gives back and fails"},
		{"6_ErrorChangesNothing", "rebook of servers gives back and fails"},
		{"7_AdvanceKeepsTheFuture", "advance frees a running reservation"},
		{"8_QueriesChangeNothing", "query that mutates"},
		{"8_QueriesChangeNothing", "SearchFor releases"},
		{"8_QueriesChangeNothing", "SearchFor moves"},
		{"8_QueriesChangeNothing", "clone that counts"},
		{"8_QueriesChangeNothing", "clone that takes the cells"},
		{"9_SizeIsNeverInvalid", "too many units are invalid"},
		{"9_SizeIsNeverInvalid", "too long is invalid"},
		{"9_SizeIsNeverInvalid", "foreign servers are unavailable"},
		{"9_SizeIsNeverInvalid", "rebook of too many units is invalid"},
		{"9_SizeIsNeverInvalid", "rebook of too long is invalid"},
		{"9_SizeIsNeverInvalid", "rebook with foreign servers is unavailable"},
		{"KeeperTellsTheTruth", "frame of the origin"},
		{"KeeperTellsTheTruth", "frame that stays"},
		{"KeeperTellsTheTruth", "frame of the free units"},
		{"KeeperTellsTheTruth", "frame of a pool with servers"},
		{"KeeperTellsTheTruth", "frame without servers"},
		{"KeeperTellsTheTruth", "found after its end"},
		{"KeeperTellsTheTruth", "listed by ID"},
		{"KeeperTellsTheTruth", "list without a touch"},
		{"KeeperTellsTheTruth", "list of a closed window"},
		{"KeeperTellsTheTruth", "list with ended ones"},
		{"KeeperTellsTheTruth", "list that is cut"},
		{"RebookBooksTheOffer", "Rebook of its own"},
		{"RebookBooksTheOffer", "rebook uses up an ID"},
		{"RebookBooksTheOffer", "rebook gives back and fails"},
		{"RebookUndone", "rebook under a new ID"},
		{"RebookUndone", "rebook keeps the old place"},
		{"RebookUndone", "rebook counts its own use"},
		{"RebookUndone", "rebook counts its own servers"},
		{"RebookUndone", "rebook leaves its servers"},
		{"RebookUndone", "rebook reads Ready of a running one"},
		{"RebookUndone", "rebook of a running one lasts from now"},
		{"GivingBackSucceeds", "rebook refuses to give back"},
		{"GivingBackSucceeds", "rebook keeps the highest"},
		{"SameCallsSameAnswers", "chance"},
		{"ClonesAreApart", "shared clone"},
		{"SnapshotsGoOnAlike", "snapshot without the next ID"},
		{"ClosuresCommute", "closures pushed apart"},
		{"EndRestores", "end gives back booked units"},
		{"EndRestores", "end gives back booked servers"},
		{"EndRestores", "end opens a server closed twice"},
		{"EndRestores", "extension stays"},
		{"NoResurrection", "release resurrects"},
		{"OverbookedIsExact", "overbooked forgets a stretch"},
		{"OverbookedIsExact", "overbooked at capacity zero"},
		{"OverbookedIsExact", "overbooked uncut"},
		{"OverbookedIsExact", "overbooked only near"},
		{"GivingBackWhileClosed", "rebook refused where overbooked"},
		{"OpenEndedStays", "closure cut at the horizon"},
		{"TrackingChangesNothing", "index misses a rebook"},
		{"TrackingChangesNothing", "live counts ended ones"},
		{"DisplaceClears", "adopted without the next ID"},
		{"ClonesAreApart", "clone without closures"},
		{"SnapshotsGoOnAlike", "snapshot without closures"},
		{"2_SearchIsEarliest", "negative is free"},
		{"DamagedSnapshotsFail", "damaged snapshot is read"},
		{"DamagedSnapshotsFail", "snapshot half read"},
		{"DamagedSnapshotsFail", "snapshot that is cut off is read"},
		{"DamagedSnapshotsFail", "snapshot with more behind it is read"},
	} {
		law, name := c[0], c[1]
		t.Run(law+"/"+strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			if raceEnabled && (law[0] == '8' || law == "ClonesAreApart") {
				t.Skip("the fault is a race; the detector would report it")
			}
			i := slices.IndexFunc(faults, func(f fault) bool { return f.name == name })
			require.GreaterOrEqual(t, i, 0, "no such fault")
			require.True(t, caught(law, faults[i].target()), "law %s does not catch %q", law, name)
		})
	}
}

// wrongBooked are pools that hold reservations from the start in a wrong way.
var wrongBooked = map[string]func(p *oracle.Oracle, offers []bookahead.Offer) (bookahead.Schedule, error){
	"running ones are left out": func(p *oracle.Oracle, offers []bookahead.Offer) (bookahead.Schedule, error) {
		return bookInto(p, slices.DeleteFunc(offers, func(o bookahead.Offer) bool { return o.Start < p.Clock }))
	},
	"running ones are cut": func(p *oracle.Oracle, offers []bookahead.Offer) (bookahead.Schedule, error) {
		for i := range offers {
			if !offers[i].Empty() && offers[i].Start >= 0 && offers[i].End > p.Clock {
				offers[i].Start = max(offers[i].Start, p.Clock)
			}
		}
		return bookInto(p, offers)
	},
	"in another order": func(p *oracle.Oracle, offers []bookahead.Offer) (bookahead.Schedule, error) {
		slices.Reverse(offers)
		return bookInto(p, offers)
	},
	"in the ledger alone": func(p *oracle.Oracle, offers []bookahead.Offer) (bookahead.Schedule, error) {
		s, err := bookInto(p, offers)
		clear(p.Used)
		return s, err
	},
	"overbooked": func(p *oracle.Oracle, offers []bookahead.Offer) (bookahead.Schedule, error) {
		s, err := bookInto(p, offers)
		if err != nil && len(offers) > 1 && !slices.ContainsFunc(offers, func(o bookahead.Offer) bool { return o.Units < 1 || o.Units > p.Capacity }) {
			return p, nil
		}
		return s, err
	},
	"after the horizon": func(p *oracle.Oracle, offers []bookahead.Offer) (bookahead.Schedule, error) {
		for i := range offers {
			offers[i].End = min(offers[i].End, p.Until())
		}
		return bookInto(p, offers)
	},
}

// TestBookedFaultsAreCaught checks that BookedFromTheStart finds the pools of wrongBooked.
func TestBookedFaultsAreCaught(t *testing.T) {
	for name, wrong := range wrongBooked {
		target := poolTarget
		target.Booked = func(c Config, offers []bookahead.Offer) (bookahead.Schedule, error) {
			p, err := oracle.New(target.rules(c))
			require.NoError(t, err)
			return wrong(p, offers)
		}
		require.True(t, caught("BookedFromTheStart", target), name)
	}
	require.False(t, caught("BookedFromTheStart", poolTarget))
}

// hidesAbilities is a lock behind which View and Update find no other abilities.
type hidesAbilities struct{ bookahead.Keeper }

// onlyKeeps is a Keeper without other abilities.
type onlyKeeps struct{ bookahead.Keeper }

// findsNothing is a Keeper whose SearchFor finds no place.
type findsNothing struct{ *carts.Flat }

func (f findsNothing) SearchFor(bookahead.ID, bookahead.Request) (bookahead.Offer, error) {
	return bookahead.Offer{}, bookahead.ErrUnavailable
}

// TestLockFaultsAreCaught checks that LockHidesNothing finds locks that hide an ability, or
// answer differently.
func TestLockFaultsAreCaught(t *testing.T) {
	target := Target{Name: "carts.Flat", New: func(c Config) (bookahead.Schedule, error) {
		return carts.NewFlat(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
	}}
	for name, lock := range map[string]func(bookahead.Keeper) bookahead.Schedule{
		"without a fault":         func(k bookahead.Keeper) bookahead.Schedule { return bookahead.Locked(k) },
		"hides abilities":         func(k bookahead.Keeper) bookahead.Schedule { return hidesAbilities{bookahead.Locked(k)} },
		"opens another schedule":  func(k bookahead.Keeper) bookahead.Schedule { return bookahead.Locked(onlyKeeps{k}) },
		"hides that it is Keeper": func(k bookahead.Keeper) bookahead.Schedule { return hide(k) },
		"answers otherwise":       func(k bookahead.Keeper) bookahead.Schedule { return bookahead.Locked(findsNothing{k.(*carts.Flat)}) },
		"lets others book": func(k bookahead.Keeper) bookahead.Schedule {
			_, _ = k.Reserve(bookahead.At(k.Frame().Now, 1, 1))
			return bookahead.Locked(k)
		},
	} {
		rec := &recorder{}
		for seed := 1; seed <= 5 && !rec.failed; seed++ {
			rec.check(seed, func(t *rapid.T) { answersAlike(t, target, lock) })
		}
		require.Equal(t, name != "without a fault", rec.failed, name)
	}
}

// marksItself is a pool whose clones mark the original, as a structure with owner tokens
// might, without a lock or an atomic.
type marksItself struct {
	spoiltPool
	owner *int
}

func (p *marksItself) Clone() bookahead.Schedule {
	p.owner = new(int)
	return &marksItself{spoiltPool{*p.Copy()}, new(int)}
}

// TestSpoiltClone runs law 8 on marksItself. TestClonesThatRaceAreCaught expects it to fail.
func TestSpoiltClone(t *testing.T) {
	if os.Getenv(spoiltRuns) == "" {
		t.Skip("see TestClonesThatRaceAreCaught")
	}
	target := Target{Name: "marks itself"}
	target.New = func(c Config) (bookahead.Schedule, error) { return &marksItself{spoil(target, c), nil}, nil }
	rapid.Check(t, func(t *rapid.T) { queriesChangeNothing(t, target) })
}

// TestClonesThatRaceAreCaught checks that law 8 makes the race detector see clones that are made
// at once. As that fails the test, it runs in another process.
func TestClonesThatRaceAreCaught(t *testing.T) {
	if !raceEnabled {
		t.Skip("only the race detector sees it")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	run := exec.Command(self, "-test.run=^TestSpoiltClone$")
	run.Env = append(os.Environ(), spoiltRuns+"=1")
	out, err := run.CombinedOutput()
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed, "%s", out)
	require.Contains(t, string(out), "DATA RACE")
	require.Contains(t, string(out), "marksItself).Clone")
}
