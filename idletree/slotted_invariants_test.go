package idletree

// manyPeriods is with how many idle periods all slots are checked after every
// operation. With more, those are that the last change touches, and a few others.
const manyPeriods = 128

// CheckInvariants is called by scheduletest in the place of Verify, which would
// look at every slot.
func (s *Slotted) CheckInvariants() error {
	x := s.slots()
	_, bounded := x.items()
	return x.checkSome(&s.s.Servers, func(slot int64) bool { return len(bounded) <= manyPeriods || !x.spared(slot) })
}

// spared reports whether a slot need not be checked this time. It spares some of the
// slots that the last change has not touched: others each time, and the same if a test
// is repeated.
func (s *slots) spared(number int64) bool {
	mix := int64(s.now)
	for _, c := range s.changes {
		if c.was != c.is && s.slotOf(c.start) <= number && number <= s.slotOf(max(c.was, c.is)) {
			return false
		}
		mix += int64(c.start + 3*c.was + 5*c.is)
	}
	return len(s.changes) > 0 && (number+mix)%16 != 0
}
