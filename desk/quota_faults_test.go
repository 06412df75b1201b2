package desk

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// misruled does each command under quotas that are bent, and then sets them right again.
func misruled(bend func(q *quotaRule)) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		switch c.(type) {
		case SetQuota, DropQuota:
			return d.Do(c)
		}
		right := d.b.rules
		d.b.rules = nil
		for _, q := range right {
			bent := *q
			bend(&bent)
			d.b.rules = append(d.b.rules, &bent)
		}
		out, err := d.Do(c)
		d.b.rules = right
		return out, err
	}
}

// charged does each command after the use of its booking was counted times more.
func charged(times int64) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		change, ok := c.(Change)
		k, known := d.b.booking(change.ID)
		if !ok || !known || !k.State.Live() {
			return d.Do(c)
		}
		d.b.charge(k, times)
		out, err := d.Do(c)
		d.b.charge(k, -times)
		return out, err
	}
}

var quotaFaults = []fault{
	{"a quota that is not asked", misruled(func(q *quotaRule) { q.Bounds.Units, q.Bounds.Ticks, q.Bounds.None = 0, 0, false })},
	{"an owner who is not blocked", misruled(func(q *quotaRule) { q.Bounds.None = false })},
	{"a blocked owner who waits", misruled(func(q *quotaRule) { q.set.None = false })},
	{"a unit too many", misruled(func(q *quotaRule) { q.Bounds.Units += min(1, q.Bounds.Units) })},
	{"a unit-tick too many", misruled(func(q *quotaRule) { q.Bounds.Ticks += min(1, q.Bounds.Ticks) })},
	{"a unit-tick too few", misruled(func(q *quotaRule) { q.Bounds.Ticks -= min(1, max(0, q.Bounds.Ticks-1)) })},
	{"a period off by one", misruled(func(q *quotaRule) { q.Bounds.From += min(1, bookahead.Time(q.Bounds.Every)) })},
	{"a window too short", misruled(func(q *quotaRule) { q.Bounds.Window -= min(1, max(0, q.Bounds.Window-1)) })},
	{"a window too long", misruled(func(q *quotaRule) { q.Bounds.Window += min(1, q.Bounds.Window) })},
	{"a quota of others", misruled(func(q *quotaRule) { q.Owners = nil })},
	{"a label not looked at", misruled(func(q *quotaRule) { q.Label = "" })},
	{"a queue that is not bounded", misruled(func(q *quotaRule) { q.set.Waiting = 0 })},
	{"one too many in a queue", misruled(func(q *quotaRule) { q.set.Waiting += min(1, q.set.Waiting) })},
	{"one too few in a queue", misruled(func(q *quotaRule) { q.set.Waiting -= min(1, max(0, q.set.Waiting-1)) })},
	{"a quota checked before the move", charged(1)},
	{"the use given back twice", charged(-1)},
	{"use that is lost when a booking is forgotten", after(func(d *Desk, _ Command, _ *Outcome) {
		for q := range d.b.counting() {
			d.b.accounts.Drop(q)
		}
	})},
}

// TestQuotaFaultsAreCaught checks that the long runs find each fault of quotas.
func TestQuotaFaultsAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("the faults are in the test: they show that the comparison sees them")
	}
	for _, f := range quotaFaults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			ops, found := findsIn(newLong, f.do, firstSeeds[f.name], 40_000, false)
			require.True(t, found, "not after %d commands", ops)
			t.Logf("after %d commands", ops)
		})
	}
}
