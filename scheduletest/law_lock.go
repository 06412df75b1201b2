package scheduletest

import (
	"bytes"
	"fmt"
	"reflect"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// lockHidesNothing compares a bare schedule with schedules behind bookahead.Locked.
func lockHidesNothing(t *rapid.T, target Target) {
	answersAlike(t, target, func(k bookahead.Keeper) bookahead.Schedule { return bookahead.Locked(k) })
}

// answersAlike makes the same calls on three schedules: on a bare one, on one behind a lock
// through its methods, and on one behind a lock through Update. It then asks all three the same
// questions, and looks for the same abilities.
func answersAlike(t *rapid.T, target Target, lock func(bookahead.Keeper) bookahead.Schedule) {
	c := drawConfig(t, target)
	open := func() bookahead.Keeper {
		s, err := target.New(c)
		sameError(t, err, nil)
		k, _ := s.(bookahead.Keeper)
		return k
	}
	bare := open()
	if bare == nil {
		return // the five methods only
	}
	called, updated := lock(open()), lock(open())
	h := history{Schedule: bare, Config: c, now: c.Origin}
	calls := drawScript(t, target, h)
	want := calls.run(bare, c.Origin)
	compareScripts(t, calls, want, calls.run(called, c.Origin))
	var got []answer
	bookahead.Update(updated, func(k bookahead.Keeper) { got = calls.run(k, c.Origin) })
	if got == nil {
		t.Fatalf("Update finds no Keeper in %T", updated)
	}
	compareScripts(t, calls, want, got)

	h.now, h.live = bare.Frame().Now, first(bare.Reservations(always), 100)
	questions := drawQuestions(t, target, h)
	before := ask(bare, questions)
	compareAnswers(t, questions, before, ask(called, questions))
	bookahead.View(updated, func(k bookahead.Keeper) { compareAnswers(t, questions, before, ask(k, questions)) })
	for _, q := range questions {
		want, wantErr := bookahead.Explain(bare, q.request)
		got, err := bookahead.Explain(called, q.request)
		if kind(err) != kind(wantErr) || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("Explain(%+v) = %v, %v behind the lock, not %v, %v", q.request, got, err, want, wantErr)
		}
	}
	sameAbilities(t, bare, called)
	sameCopies(t, questions, before, bare, called)
}

// sameAbilities checks that View and Update find the same abilities in two schedules.
func sameAbilities(t *rapid.T, bare, locked bookahead.Schedule) {
	sameAbility[bookahead.Schedule](t, "Schedule", bare, locked)
	sameAbility[bookahead.Keeper](t, "Keeper", bare, locked)
	sameAbility[bookahead.Profiler](t, "Profiler", bare, locked)
	sameAbility[bookahead.Opener](t, "Opener", bare, locked)
	sameAbility[bookahead.Filler](t, "Filler", bare, locked)
	sameAbility[bookahead.LatestSearcher](t, "LatestSearcher", bare, locked)
	sameAbility[bookahead.Cloner](t, "Cloner", bare, locked)
	sameAbility[bookahead.Snapshotter](t, "Snapshotter", bare, locked)
	sameAbility[bookahead.Closable](t, "Closable", bare, locked)
	sameAbility[bookahead.Tracker](t, "Tracker", bare, locked)
	sameAbility[bookahead.Displacer](t, "Displacer", bare, locked)
	sameAbility[verifier](t, "Verify", bare, locked)
	sameAbility[interface{ NoSuchMethod() }](t, "a method that none has", bare, locked)
}

func sameAbility[A any](t *rapid.T, name string, bare, locked bookahead.Schedule) {
	var want, viewed, updated any
	has := bookahead.View(bare, func(a A) { want = a })
	inView := bookahead.View(locked, func(a A) { viewed = a })
	inUpdate := bookahead.Update(locked, func(a A) { updated = a })
	if inView != has || inUpdate != has {
		t.Fatalf("%s: %t for %T, but %t for View and %t for Update behind a lock", name, has, bare, inView, inUpdate)
	}
	is := reflect.TypeOf(want)
	if reflect.TypeOf(viewed) != is || reflect.TypeOf(updated) != is {
		t.Fatalf("%s: View leads to a %T and Update to a %T, not a %T", name, viewed, updated, want)
	}
}

// sameCopies compares clones and snapshots.
func sameCopies(t *rapid.T, questions []question, before []answer, bare, locked bookahead.Schedule) {
	_, has := bookahead.Clone(bare)
	c, ok := bookahead.Clone(locked)
	if ok != has || ok && reflect.TypeOf(c) != reflect.TypeOf(locked) {
		t.Fatalf("the clone of a %T: %t, a %T; behind a lock it is %t", locked, ok, c, has)
	}
	if ok {
		compareAnswers(t, questions, before, ask(c, questions))
	}
	want, wantErr := bookahead.Snapshot(bare)
	got, err := bookahead.Snapshot(locked)
	if kind(err) != kind(wantErr) || !bytes.Equal(got, want) {
		t.Fatalf("behind a lock the snapshot is %x, %v, not %x, %v", got, err, want, wantErr)
	}
	sameError(t, bookahead.Restore(locked, want), wantErr)
	compareAnswers(t, questions, before, ask(locked, questions))
}
