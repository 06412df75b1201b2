package replicated

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bookahead/bookahead/internal/snapshot"
)

// setting is one on which all members must agree, since their desks decide by it: a field of Config, and its value as text.
type setting struct{ field, value string }

// decisive returns the settings on which all members must agree. The leader's Sessions and MaxJump are in each entry.
func (c *Config) decisive() []setting {
	epoch, tick := "none", "none"
	if c.Clock != nil {
		epoch, tick = c.Clock.Epoch.UTC().Format(time.RFC3339Nano), cmp.Or(c.Clock.Tick, time.Second).String()
	}
	return []setting{
		{"Config.Clock.Epoch", epoch},
		{"Config.Clock.Tick", tick},
		{"Config.Desk.Origin", fmt.Sprint(c.Desk.Origin)},
		{"Config.Desk.Keep", fmt.Sprint(c.Desk.Keep)},
		{"Config.Desk.Kinds", fmt.Sprintf("%q", slices.Sorted(maps.Keys(c.Desk.Kinds)))},
	}
}

// disagree returns a SettingsError for the first setting that the members have settled otherwise.
func disagree(ours, settled []setting) error {
	for i := range max(len(ours), len(settled)) {
		var one, other setting
		if i < len(ours) {
			one = ours[i]
		}
		if i < len(settled) {
			other = settled[i]
		}
		if one != other {
			return &SettingsError{Field: cmp.Or(one.field, other.field), Ours: one.value, Settled: other.value}
		}
	}
	return nil
}

// settles reports whether an entry that is made now has to carry the settings of this member.
func (x *machine) settles(e *entry) bool {
	return !x.hasSettled.Load() && !x.isSealed.Load() || e.has(unseal)
}

// settle takes the settings that an entry carries, those of its leader, if the members have none: it is the first that they
// carry out, or the one with an unseal. The error is a SettingsError if this member has others.
func (x *machine) settle(e *entry) error {
	if len(e.settings) == 0 || x.hasSettled.Load() || x.isSealed.Load() {
		return nil
	}
	x.agree(e.settings)
	return disagree(x.own, e.settings)
}

// agree notes the settings of the members; nil lets the next leader settle its own.
func (x *machine) agree(list []setting) {
	x.settled = list
	x.hasSettled.Store(list != nil)
}

// seal lets the state stay as it is. What the members have settled holds until the unseal.
func (x *machine) seal() { x.isSealed.Store(true) }

// unseal ends a seal, after which members may have come back with other settings.
func (x *machine) unseal() {
	if x.isSealed.Swap(false) {
		x.agree(nil)
	}
}

// appendSettings appends settings as bytes: how many, and the field and value of each.
func appendSettings(b []byte, list []setting) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendText(appendText(b, s.field), s.value)
	}
	return b
}

func readSettings(r *snapshot.Reader) (list []setting) {
	for range r.Uint("settings", maxSettings) {
		list = append(list, setting{string(r.Bytes("field")), string(r.Bytes("value"))})
	}
	return list
}

// maxSettings is more than there will ever be.
const maxSettings = 100
