package desk

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/quota"
)

// misruled does each command under quotas that are bent, and then sets them right again.
func misruled(bend func(q *rule)) doer {
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
	{"a quota that is not asked", misruled(func(q *rule) { q.bounds.Units, q.bounds.Ticks, q.bounds.None = 0, 0, false })},
	{"an owner who is not blocked", misruled(func(q *rule) { q.bounds.None = false })},
	{"a blocked owner who waits", misruled(func(q *rule) { q.None = false })},
	{"a unit too many", misruled(func(q *rule) { q.bounds.Units += min(1, q.bounds.Units) })},
	{"a unit-tick too many", misruled(func(q *rule) { q.bounds.Ticks += min(1, q.bounds.Ticks) })},
	{"a unit-tick too few", misruled(func(q *rule) { q.bounds.Ticks -= min(1, max(0, q.bounds.Ticks-1)) })},
	{"a period off by one", misruled(func(q *rule) { q.bounds.From += min(1, bookahead.Time(q.bounds.Every)) })},
	{"a window too short", misruled(func(q *rule) { q.bounds.Window -= min(1, max(0, q.bounds.Window-1)) })},
	{"a window too long", misruled(func(q *rule) { q.bounds.Window += min(1, q.bounds.Window) })},
	{"a quota of others", misruled(func(q *rule) { q.owners = nil })},
	{"a label not looked at", misruled(func(q *rule) { q.Label = "" })},
	{"a queue that is not bounded", misruled(func(q *rule) { q.Waiting = 0 })},
	{"one too many in a queue", misruled(func(q *rule) { q.Waiting += min(1, q.Waiting) })},
	{"one too few in a queue", misruled(func(q *rule) { q.Waiting -= min(1, max(0, q.Waiting-1)) })},
	{"a quota checked before the move", charged(1)},
	{"the use given back twice", charged(-1)},
	{"use that is lost when a booking is forgotten", after(func(d *Desk, _ Command, _ *Outcome) {
		for of, a := range d.b.accounts.All() {
			a.use, a.past = quota.Steps{}, quota.Steps{}
			d.b.accounts.Set(of, a)
		}
	})},
}

// TestQuotaFaultsAreCaught checks that the long runs find each fault of quotas.
func TestQuotaFaultsAreCaught(t *testing.T) {
	for _, f := range quotaFaults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			ops, found := finds(f.do, 40_000)
			require.True(t, found, "not after %d commands", ops)
			t.Logf("after %d commands", ops)
		})
	}
}
