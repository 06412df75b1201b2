package replicated

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// mustPropose reports whether an entry that is made now must carry the settings of this member.
func (x *machine) mustPropose(e *entry) bool {
	return !x.hasAgreed.Load() && !x.sealed() || e.has(unseal)
}

// adopt takes the settings that an entry carries, if none are settled: the settings of the first leader, or those
// beside an unseal. The error is an ErrSettings if this member has others.
func (x *machine) adopt(e *entry) error {
	if len(e.settings) == 0 || x.hasAgreed.Load() || x.sealed() {
		return nil
	}
	x.setAgreed(e.settings)
	return x.checkOwn(e.settings)
}

// checkOwn returns an ErrSettings if this member has other settings, or keeps another desk. A member without a desk
// ID learns it from the list.
func (x *machine) checkOwn(list []setting) error {
	return cmp.Or(x.checkDesk(list), disagree(x.ownSettings(), list))
}

// checkDesk returns an ErrSettings if a list of settings is that of another desk. A member without a desk ID learns it.
func (x *machine) checkDesk(list []setting) error {
	ours, theirs := x.id.Load(), deskOf(list)
	if ours == 0 && theirs != 0 {
		x.id.CompareAndSwap(0, theirs)
		ours = x.id.Load()
	}
	if theirs == 0 || theirs == ours {
		return nil
	}
	return &settingsError{Field: deskField, Ours: deskText(ours), Settled: deskText(theirs)}
}

// ownSettings returns the settings of this member, with the desk ID if it is known.
func (x *machine) ownSettings() []setting { return withDesk(x.own, x.id.Load()) }

// proposal returns the settings that an entry of this member would settle. A desk without an ID gets a new one.
func (x *machine) proposal() []setting {
	id := x.id.Load()
	for id == 0 {
		id = rand.Uint64()
	}
	return withDesk(x.own, id)
}

// setAgreed notes the settings of the members. With nil the next leader settles its own.
func (x *machine) setAgreed(list []setting) {
	x.agreed = list
	x.hasAgreed.Store(list != nil)
}

// ticks reports whether the settled settings have a Config.Clock. If so, only the clock moves the desk.
func (x *machine) ticks() bool {
	i := slices.IndexFunc(x.agreed, func(s setting) bool { return s.field == tickField })
	return i >= 0 && x.agreed[i].value != noClock
}

// seal freezes the state behind an entry. The settled settings stay in force until the unseal.
func (x *machine) seal(index uint64) { x.sealedAt.Store(index) }

// unseal ends a seal. The settled settings end with it, as members may have started with others.
func (x *machine) unseal() {
	was := x.sealedAt.Swap(0)
	if was != 0 {
		x.setAgreed(nil)
	}
}
