package profile

// The loops over the numbers of a node, of which AVX2 instructions do eight at a time where the
// processor has them. In 10^6 reservations of 2^20 units a reservation passes hundreds of leaves,
// and adds to an entry for each.

// addTo adds delta to each number of a list. It returns the least and the most that come of it
// with acc added, and the list has one number at least.
func addTo[U Units](list []U, delta, acc U) (low, high U) {
	if p := vector(list); p != nil {
		l, h := add32(p, len(list), int32(delta), int32(acc))
		return U(l), U(h)
	}
	low, high = list[0]+delta+acc, list[0]+delta+acc
	for i := range list {
		list[i] += delta
		low, high = min(low, list[i]+acc), max(high, list[i]+acc)
	}
	return low, high
}

// extremesOf returns the least and the most number of a list with acc added. The list has one at
// least.
func extremesOf[U Units](list []U, acc U) (low, high U) {
	if p := vector(list); p != nil {
		l, h := extremes32(p, len(list), int32(acc))
		return U(l), U(h)
	}
	low, high = list[0]+acc, list[0]+acc
	for _, u := range list[1:] {
		low, high = min(low, u+acc), max(high, u+acc)
	}
	return low, high
}
