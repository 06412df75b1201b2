package replicated

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// settles reports whether an entry that is made now must carry the settings of this member.
func (x *machine) settles(e *entry) bool {
	return !x.hasSettled.Load() && !x.isSealed.Load() || e.has(unseal)
}

// settle takes the settings that an entry carries, if none are settled: the settings of the first leader, or those
// beside an unseal. The error is a SettingsError if this member has others.
func (x *machine) settle(e *entry) error {
	if len(e.settings) == 0 || x.hasSettled.Load() || x.isSealed.Load() {
		return nil
	}
	x.agree(e.settings)
	return x.complies(e.settings)
}

// complies returns a SettingsError if this member has other settings, or keeps another desk. A member without a desk
// ID learns it from the list.
func (x *machine) complies(list []setting) error {
	return cmp.Or(x.joins(list), disagree(x.mine(), list))
}

// joins returns a SettingsError if a list of settings is that of another desk. A member without a desk ID learns it.
func (x *machine) joins(list []setting) error {
	ours, theirs := x.id.Load(), deskOf(list)
	if ours == 0 && theirs != 0 {
		x.id.CompareAndSwap(0, theirs)
		ours = x.id.Load()
	}
	if theirs == 0 || theirs == ours {
		return nil
	}
	return &SettingsError{Field: deskField, Ours: deskText(ours), Settled: deskText(theirs)}
}

// mine returns the settings of this member, with the desk ID if it is known.
func (x *machine) mine() []setting { return withDesk(x.own, x.id.Load()) }

// proposal returns the settings that an entry of this member would settle. A desk without an ID gets a new one.
func (x *machine) proposal() []setting {
	id := x.id.Load()
	for id == 0 {
		id = rand.Uint64()
	}
	return withDesk(x.own, id)
}

// agree notes the settings of the members. With nil the next leader settles its own.
func (x *machine) agree(list []setting) {
	x.settled = list
	x.hasSettled.Store(list != nil)
}

// ticks reports whether the settled settings have a Config.Clock. If so, only the clock moves the desk.
func (x *machine) ticks() bool {
	i := slices.IndexFunc(x.settled, func(s setting) bool { return s.field == tickField })
	return i >= 0 && x.settled[i].value != noClock
}

// seal freezes the state. The settled settings stay in force until the unseal.
func (x *machine) seal() { x.isSealed.Store(true) }

// unseal ends a seal. The settled settings end with it, as members may have started with others.
func (x *machine) unseal() {
	was := x.isSealed.Swap(false)
	if was {
		x.agree(nil)
	}
}
