package route

// AWMCT is MCT with the pseudo-domination of Eq. (6) in phase 1 (Stevens et al.,
// §4.5): a path needs the smaller delay, or more free slots in all. So each node has at
// most as many paths as there are slots, and AWMCT is polynomial. Its plan may not be the
// best, since few slots can be the right ones.
// O(N·P·d·S/64) for N nodes with d links each, S slots, and P ≤ S paths for each
// node.
func (n *Network) AWMCT(t Task, f Objective) (Plan, error) {
	return n.list(t, lighter, f.judge())
}
