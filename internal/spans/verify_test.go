package spans

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A fault is found, under the name of the invariant that it breaks.
func TestVerifyNamesTheInvariant(t *testing.T) {
	for name, spoil := range map[string]func(x *Index, nd, leaf *node){
		"I1":    func(_ *Index, _, leaf *node) { leaf.end[0] = leaf.start[0] },
		"I1:":   func(_ *Index, _, leaf *node) { leaf.start[1] = leaf.start[0] - 1 },
		"I1: ":  func(_ *Index, nd, _ *node) { nd.id[1]++ },
		"I1: l": func(x *Index, _, leaf *node) { x.root.kid[1] = leaf },
		"I2":    func(_ *Index, nd, _ *node) { nd.end[0]++ },
		"I2:":   func(_ *Index, nd, _ *node) { nd.soonest[1]-- },
		"I3":    func(_ *Index, _, leaf *node) { leaf.n = 0 },
		"I3:":   func(x *Index, _, _ *node) { x.width = 2 },
		"I3: ":  func(_ *Index, nd, _ *node) { nd.size[0]++ },
		"I3: t": func(x *Index, _, _ *node) { x.root.n = 1 },
		"I4":    func(x *Index, _, _ *node) { x.width = 100 },
		"I5":    func(x *Index, _, _ *node) { x.n-- },
		"I5:":   func(x *Index, _, _ *node) { x.soonest-- },
		"I5: ":  func(x *Index, _, _ *node) { x.root = nil },
		"I6": func(x *Index, _, _ *node) {
			x.owner.Share()
			x.owner.Renew()
			x.root.kid[0].owner = x.owner
		},
	} {
		x := Index{width: 8}
		for i := range bookahead.Time(300) {
			x.Add(Span{bookahead.Interval{Start: i * 7919 % 300, End: 400 + i}, bookahead.ID(i)})
		}
		require.NoError(t, x.Verify())
		nd := x.root
		for nd.kid[0].inner != nil {
			nd = nd.kid[0]
		}
		spoil(&x, nd, nd.kid[0])
		require.ErrorContains(t, x.Verify(), name)
	}
}

// memory returns the bytes that all nodes take.
func memory(x *Index) int {
	if x.root == nil {
		return 0
	}
	return x.root.memory()
}

func (nd *node) memory() int {
	const header = 8 // the allocator's
	sum := int(unsafe.Sizeof(*nd)) + header
	if nd.inner == nil {
		return sum
	}
	sum += int(unsafe.Sizeof(*nd.inner)) + header
	for _, kid := range nd.kid[:nd.n] {
		sum += kid.memory()
	}
	return sum
}

// crowd returns n spans in any order, of 50 ticks on average. About 50 of them run at each tick.
func crowd(n int) *Index {
	var x Index
	rng := rand.New(rand.NewPCG(1, 1))
	for id := range n {
		x.Add(crowded(rng, n, bookahead.ID(id)))
	}
	return &x
}

func crowded(rng *rand.Rand, n int, id bookahead.ID) Span {
	start := bookahead.Time(rng.IntN(n))
	return Span{bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(99))}, id}
}
