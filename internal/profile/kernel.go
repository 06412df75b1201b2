package profile

// The loops over the numbers of a node. AVX2 instructions do eight numbers at a time where the
// processor has them. In 10^6 reservations of 2^20 units a reservation passes hundreds of leaves,
// and adds to an entry for each.

// addTo adds delta to each number of a list, which has one at least. It returns the least and the
// most of the sums, with acc added.
func addTo[U Units](list []U, delta, acc U) (low, high U) {
	p := vector(list)
	if p != nil {
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

// extremesOf returns the least and the most number of a list, which has one at least, with acc
// added.
func extremesOf[U Units](list []U, acc U) (low, high U) {
	p := vector(list)
	if p != nil {
		l, h := extremes32(p, len(list), int32(acc))
		return U(l), U(h)
	}
	low, high = list[0]+acc, list[0]+acc
	for _, u := range list[1:] {
		low, high = min(low, u+acc), max(high, u+acc)
	}
	return low, high
}
