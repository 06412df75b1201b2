package avail

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// FuzzParse reads any text: a text that is read is written again as it was.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "0110", "01x", "1\xff", "１"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Parse(s)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		require.Equal(t, s, v.String())
		require.Equal(t, s, v.Runs().String())
	})
}
