package recur

import "math/bits"

// cycle is how many months the calendar has before it repeats: 400 years, which have whole weeks. A Monthly or Yearly rule
// that has no day in so many months that count has none at all. Periods of days and weeks do not repeat with the calendar
// if Interval is more than 1. There the search ends with the years: it looks at one month for each period, or for each
// month of Months in a year, whichever is less. The longest searches seen look at a month of each year, such as for a 29
// February that is a Monday and a multiple of 27 days from Start.
const cycle = 4800

// next returns the first day of the rule from a day on, up to a last one. It looks at no month twice, and passes over all
// months that cannot have a day by arithmetic.
func (x *pattern) next(day, last int64) (found int64, ok bool) {
	if x.months == 0 || day > last {
		return 0, false
	}
	m := monthOf(day)
	set := x.month(m) &^ (1<<(day-monthStart(m)) - 1)
	for tried := 0; set == 0; tried++ {
		m = x.step(m, 1)
		if monthStart(m) > last || x.isOver(tried) {
			return 0, false
		}
		set = x.month(m)
	}
	found = monthStart(m) + int64(bits.TrailingZeros32(set))
	return found, found <= last
}

// previous returns the last day of the rule up to a day.
func (x *pattern) previous(day int64) (found int64, ok bool) {
	if x.months == 0 || day < x.first {
		return 0, false
	}
	m, first := monthOf(day), monthOf(x.first)
	set := x.month(m) & (2<<(day-monthStart(m)) - 1)
	for tried := 0; set == 0; tried++ {
		m = x.step(m, -1)
		if m < first || x.isOver(tried) {
			return 0, false
		}
		set = x.month(m)
	}
	found = monthStart(m) + int64(bits.Len32(set)) - 1
	return found, found >= x.first
}

// isOver reports whether so many months in vain show that there is no day.
func (x *pattern) isOver(tried int) bool { return tried >= cycle && x.Freq >= Monthly }

// step returns the next month that may have a day after a month, or before it if dir is -1: a month of Months, or where
// the next period begins that counts. A month before the first year is negative.
func (x *pattern) step(m, dir int64) int64 {
	m += dir
	m += dir * x.toMonths(m, dir)
	if m < 0 {
		return m
	}
	switch x.Freq {
	case Monthly:
		return m + dir*mod(dir*(x.origin-m), x.every)
	case Yearly:
		wait := mod(dir*(x.origin-m/12), x.every)
		if wait == 0 {
			return m
		}
		return 12*(m/12+dir*wait) + (11-11*dir)/2 // January, or December
	case Weekly:
		return x.toPeriod(m, dir, 7)
	}
	return x.toPeriod(m, dir, 1)
}

// toMonths returns how far a month is from the next of Months.
func (x *pattern) toMonths(m, dir int64) int64 {
	k := mod(m, 12)
	if dir > 0 {
		return int64(bits.TrailingZeros32(uint32(x.months)>>k | uint32(x.months)<<(12-k)))
	}
	return int64(bits.LeadingZeros32((uint32(x.months)<<(11-k) | uint32(x.months)>>(k+1)) << 20))
}

// toPeriod returns the month, from m on, in which the next period of days or weeks lies that counts. A period has so many
// days.
func (x *pattern) toPeriod(m, dir, days int64) int64 {
	if days*x.every <= 28 {
		return m // each month has one
	}
	start := monthStart(m)
	if dir > 0 {
		first := start - days + 1 // the earliest period that reaches the month
		return monthOf(max(start, first+mod(x.origin-first, days*x.every)))
	}
	end := monthStart(m+1) - 1
	return monthOf(min(end, end-mod(end-x.origin, days*x.every)+days-1))
}
