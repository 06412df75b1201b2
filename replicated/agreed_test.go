package replicated

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// otherSettings returns settings that disagree with those of a Config without any, by the field that the error names.
func otherSettings() map[string]Config {
	clock := func(tick time.Duration) *bookahead.Clock {
		return &bookahead.Clock{Epoch: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Tick: tick}
	}
	return map[string]Config{
		"Config.Clock.Epoch": {Clock: clock(time.Minute)},
		"Config.Desk.Origin": {Desk: desk.Config{Origin: 5}},
		"Config.Desk.Keep":   {Desk: desk.Config{Keep: 9}},
		"Config.Desk.Effort": {Desk: desk.Config{Effort: 1000}},

		"Config.Desk.Limits.Servers":     {Desk: desk.Config{Limits: desk.Limits{Servers: 1}}},
		"Config.Desk.Limits.Nodes":       {Desk: desk.Config{Limits: desk.Limits{Nodes: 2}}},
		"Config.Desk.Limits.Groups":      {Desk: desk.Config{Limits: desk.Limits{Groups: 3}}},
		"Config.Desk.Limits.Open":        {Desk: desk.Config{Limits: desk.Limits{Open: 4}}},
		"Config.Desk.Limits.Occurrences": {Desk: desk.Config{Limits: desk.Limits{Occurrences: 5}}},
		"Config.Desk.Limits.Parts":       {Desk: desk.Config{Limits: desk.Limits{Parts: 6}}},
	}
}

func settling(c Config, calls ...call) entry {
	e := entryOf(calls...)
	e.settings = c.agreedSettings()
	return e
}

func TestDecisiveSettings(t *testing.T) {
	at := func(zone *time.Location, tick time.Duration) []setting {
		c := Config{Clock: &bookahead.Clock{Epoch: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).In(zone), Tick: tick}}
		return c.agreedSettings()
	}
	require.Equal(t, at(time.UTC, 0), at(time.FixedZone("far", 3600), time.Second), "they mean the same")
	err := disagree(at(time.UTC, time.Minute), at(time.UTC, 0))
	require.Equal(t, &settingsError{"Config.Clock.Tick", "1m0s", "1s"}, err)
	require.ErrorIs(t, err, ErrSettings)
	require.ErrorIs(t, portable(err), ErrSettings, "after it was bytes, too")
	c := Config{}
	list := c.agreedSettings()
	require.NoError(t, disagree(list, c.agreedSettings()))
	require.ErrorContains(t, disagree(list, list[1:]), "Config.Clock.Epoch")
	require.ErrorContains(t, disagree(list[:3], list), "Config.Desk.Keep")
}

// Logs from before Effort and Limits list neither. They agree with a member that has the defaults, and with no other.
func TestSettingsThatCameLater(t *testing.T) {
	before := []setting{
		{"Config.Clock.Epoch", "none"}, {"Config.Clock.Tick", "none"}, {"Config.Desk.Origin", "0"}, {"Config.Desk.Keep", "0"},
	}
	c := Config{}
	require.Equal(t, before, c.agreedSettings())
	c.Desk.Effort = desk.DefaultEffort
	require.NoError(t, disagree(c.agreedSettings(), before))
	c.Desk.Effort = 1000
	require.Equal(t, &settingsError{"Config.Desk.Effort", "1000", "default"}, disagree(withDesk(c.agreedSettings(), 7), withDesk(before, 7)))
	require.Equal(t, &settingsError{"Config.Desk.Effort", "default", "1000"}, disagree(withDesk(before, 7), withDesk(c.agreedSettings(), 7)))
	c.Desk = desk.Config{Limits: desk.Limits{Open: 9}}
	require.EqualError(t, disagree(c.agreedSettings(), before), "replicated: the members have settled other settings: Config.Desk.Limits.Open is 9 here, and default on the other members")
	c.Desk = desk.Config{Effort: desk.DefaultEffort, Limits: desk.DefaultLimits()}
	require.NoError(t, disagree(c.agreedSettings(), before), "named defaults are the defaults")
	all := reflect.TypeFor[desk.Limits]()
	for i := range all.NumField() {
		require.Contains(t, otherSettings(), "Config.Desk.Limits."+all.Field(i).Name)
	}
}

// The first entry settles the settings of its leader, and later entries settle nothing. A member with other settings
// fails before it carries anything out.
func TestSettingsAreSettledOnce(t *testing.T) {
	for field, other := range otherSettings() {
		f := newFeed(t, Config{})
		require.NoError(t, f.give(t, settling(Config{}, once(addPool)))[0].err)
		require.NoError(t, f.give(t, settling(other, once(book("pool", 1, 1))))[0].err, "it comes too late")
		require.NoError(t, f.give(t, settling(other, call{op: unseal}, once(book("pool", 1, 1))))[1].err, "nothing is sealed")

		f = newFeed(t, other)
		got, ok := f.Apply(f.log(settling(Config{}, once(addPool)))).(error)
		require.True(t, ok)
		var disagrees *settingsError
		require.ErrorAs(t, got, &disagrees)
		require.Equal(t, field, disagrees.Field)
		require.NotEqual(t, disagrees.Ours, disagrees.Settled)
		require.Equal(t, got, f.err())
		require.Empty(t, f.view().Schedules())
	}
}

// A snapshot has the settings, and a member with others refuses it, unless the snapshot is sealed: behind the unseal,
// the settings of the next leader count.
func TestSettingsChangeBehindASeal(t *testing.T) {
	for field, other := range otherSettings() {
		f := newFeed(t, Config{})
		f.give(t, settling(Config{}, once(addPool)))
		open := snapshotOf(t, f.machine)
		f.give(t, entryOf(call{op: seal}))
		sealed := snapshotOf(t, f.machine)

		g := newFeed(t, Config{})
		require.NoError(t, g.Restore(reader(open)))
		require.Equal(t, open, snapshotOf(t, g.machine))
		g = newFeed(t, other)
		var disagrees *settingsError
		err := g.Restore(reader(open))
		if field == "Config.Desk.Keep" { // the desk itself compares its Keep
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			continue
		}
		require.ErrorAs(t, err, &disagrees)
		require.Equal(t, field, disagrees.Field)

		g = newFeed(t, other)
		require.NoError(t, g.Restore(reader(sealed)))
		g.index = g.applied()
		e := entryOf()
		require.False(t, g.mustPropose(&e))
		e = entryOf(call{op: unseal})
		require.True(t, g.mustPropose(&e))
		g.give(t, settling(other, call{op: unseal}))
		require.Equal(t, other.agreedSettings(), g.agreed)
		got, ok := f.Apply(f.log(settling(other, call{op: unseal}))).(error)
		require.True(t, ok, "one that has come back without the new settings")
		require.ErrorIs(t, got, ErrSettings)
	}
}

// A snapshot without settings is taken, and the next leader settles its own.
func TestSnapshotsWithoutSettings(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(addPool)))
	g := newFeed(t, Config{Desk: desk.Config{Origin: 3}})
	require.NoError(t, g.Restore(reader(snapshotOf(t, f.machine))))
	e := entryOf()
	require.True(t, g.mustPropose(&e))
}

// Open refuses settings other than those on the disk, in the log or in a snapshot, and changes nothing. Only a Seal
// allows other settings.
func TestOpenKeepsToTheSettings(t *testing.T) {
	dir := t.TempDir()
	with := func(c Config) (*Member, error) {
		c.Dir, c.Log, c.Election = dir, mute, 50*time.Millisecond
		return Open(c)
	}
	m, err := with(Config{})
	require.NoError(t, err)
	_, err = m.Do(t.Context(), desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 1}})
	require.NoError(t, err)
	refuses := func() {
		t.Helper()
		require.NoError(t, m.Close())
		for field, other := range otherSettings() {
			_, err := with(other)
			require.Error(t, err)
			require.ErrorContains(t, err, field[len("Config.Desk."):])
		}
		m, err = with(Config{})
		require.NoError(t, err)
		now, err := m.Read(t.Context(), Linearizable)
		require.NoError(t, err)
		require.Len(t, now.Schedules(), 1)
	}
	refuses()
	require.NoError(t, m.Snapshot(t.Context()))
	refuses()

	require.NoError(t, m.Seal(t.Context()))
	require.NoError(t, m.Close())
	more := otherSettings()["Config.Desk.Effort"]
	m, err = with(more)
	require.NoError(t, err)
	_, err = m.Do(t.Context(), desk.Advance{Now: 1})
	require.ErrorIs(t, err, ErrSealed)
	require.NoError(t, m.Unseal(t.Context()))
	_, err = m.Do(t.Context(), desk.Advance{Now: 1})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	_, err = with(Config{})
	require.ErrorIs(t, err, ErrSettings)
	m, err = with(more)
	require.NoError(t, err)
	require.NoError(t, m.Close())
}

// A member with other settings stops as soon as it hears of the settings of the others. The others go on.
func TestAMemberWithOtherSettings(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		time.Sleep(time.Minute)
		w.stop("3")
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		w.config.Desk.Keep = 7
		w.open("3")
		time.Sleep(time.Minute)
		err = w.members["3"].Status().Err
		require.ErrorIs(t, err, ErrStopped)
		require.ErrorIs(t, err, ErrSettings)
		_, err = w.leader().Do(ctx, booking("a"))
		require.NoError(t, err)
	})
}

// A leader's first message and its first entry may name the desk at the same time, to two goroutines. Both learn the same
// ID: neither is a member of another desk.
func TestTwoGoroutinesLearnTheSameDesk(t *testing.T) {
	named := withDesk(nil, 7)
	for range 2000 {
		x, err := newMachine(&Config{})
		require.NoError(t, err)
		begin := make(chan struct{})
		errs := make(chan error, 2)
		for range 2 {
			go func() {
				<-begin
				errs <- x.checkDesk(named)
			}()
		}
		close(begin)
		require.NoError(t, <-errs)
		require.NoError(t, <-errs)
	}
}
