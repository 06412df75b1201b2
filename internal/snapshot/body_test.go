package snapshot

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A body has no head and no sum, and its errors have the given name.
func TestBody(t *testing.T) {
	w := Writer{}
	w.Uint(300)
	w.Bytes([]byte("ab"))
	r := Body("entry", w.b)
	require.Equal(t, uint64(300), r.Uint("n", 300))
	require.Equal(t, 2, r.At())
	require.Equal(t, "ab", string(r.Bytes("text")))
	require.NoError(t, r.Close())
	r = Body("entry", w.b)
	r.Uint("n", 299)
	require.EqualError(t, r.Close(), "bookahead: entry: n, before byte 2, 300 is more than 299")
}
