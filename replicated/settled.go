package replicated

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/internal/snapshot"
)

// setting is one on which all members must agree, since their desks decide by it: a field of Config, and its value as text.
type setting struct{ field, value string }

// decisive returns the settings on which all members must agree. The leader's Sessions, AnswerBytes and MaxJump are in each entry.
func (c *Config) decisive() []setting {
	epoch, tick := noClock, noClock
	if c.Clock != nil {
		epoch, tick = c.Clock.Epoch.UTC().Format(time.RFC3339Nano), cmp.Or(c.Clock.Tick, time.Second).String()
	}
	return []setting{
		{"Config.Clock.Epoch", epoch},
		{tickField, tick},
		{"Config.Desk.Origin", fmt.Sprint(c.Desk.Origin)},
		{"Config.Desk.Keep", fmt.Sprint(c.Desk.Keep)},
		{"Config.Desk.Kinds", fmt.Sprintf("%q", slices.Sorted(maps.Keys(c.Desk.Kinds)))},
	}
}

// tickField is the setting that says whether there is a clock: noClock is its value if there is none.
const (
	tickField = "Config.Clock.Tick"
	noClock   = "none"
)

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
	return x.complies(e.settings)
}

// complies returns a SettingsError if this member has other settings than those, or keeps another desk. A member that does not
// know its desk yet learns it.
func (x *machine) complies(list []setting) error {
	return cmp.Or(x.joins(list), disagree(x.mine(), list))
}

// deskField is the setting with the ID of the desk. The ID is not in Config: it is drawn for the first entry, so that the logs
// of two desks can be told apart. Raft itself compares indexes and terms only, which are alike in any two young logs.
const deskField = "Status.Desk"

// joins returns a SettingsError if the settings are those of another desk.
func (x *machine) joins(list []setting) error {
	ours, theirs := x.id.Load(), deskOf(list)
	if theirs == 0 || theirs == ours || ours == 0 && x.id.CompareAndSwap(0, theirs) {
		return nil
	}
	return &SettingsError{Field: deskField, Ours: deskText(ours), Settled: deskText(theirs)}
}

// mine returns the settings of this member, with its desk if it knows that.
func (x *machine) mine() []setting { return withDesk(x.own, x.id.Load()) }

// proposal returns the settings that an entry of this member settles. The desk of which nobody knows yet gets an ID.
func (x *machine) proposal() []setting {
	id := x.id.Load()
	for id == 0 {
		id = rand.Uint64()
	}
	return withDesk(x.own, id)
}

func withDesk(list []setting, id uint64) []setting {
	if id == 0 {
		return list
	}
	return append(slices.Clip(list), setting{deskField, deskText(id)})
}

func deskText(id uint64) string { return fmt.Sprintf("%016x", id) }

// deskOf returns the ID of the desk in some settings, 0 if there is none.
func deskOf(list []setting) uint64 {
	i := slices.IndexFunc(list, func(s setting) bool { return s.field == deskField })
	if i < 0 {
		return 0
	}
	id, err := strconv.ParseUint(list[i].value, 16, 64)
	if err != nil {
		return 0
	}
	return id
}

// agree notes the settings of the members; nil lets the next leader settle its own.
func (x *machine) agree(list []setting) {
	x.settled = list
	x.hasSettled.Store(list != nil)
}

// ticks reports whether the members have settled a Config.Clock, which alone moves the desk.
func (x *machine) ticks() bool {
	i := slices.IndexFunc(x.settled, func(s setting) bool { return s.field == tickField })
	return i >= 0 && x.settled[i].value != noClock
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
