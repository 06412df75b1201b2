package cow

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOwner(t *testing.T) {
	var original Owner
	original.Share() // a structure without nodes shares nothing
	original.Renew()
	nodes := original
	require.NotEqual(t, Owner{}, nodes)
	original.Renew()
	require.Same(t, nodes.mark, original.mark, "while nobody shares the nodes")

	original.Share()
	clone := original
	original.Renew()
	clone.Renew()
	require.NotSame(t, nodes.mark, original.mark, "the original may write to the nodes of both")
	require.NotSame(t, nodes.mark, clone.mark, "the clone may write to the nodes of both")
	require.NotSame(t, original.mark, clone.mark, "both may write to the same nodes")
}

// Clones at once share one Owner, which the writer renews. Run it with -race.
func TestOwnerIsSharedAtOnce(t *testing.T) {
	var o Owner
	o.Renew()
	nodes := o
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			o.Share()
		}()
	}
	all.Wait()
	o.Renew()
	require.False(t, o == nodes)
}
