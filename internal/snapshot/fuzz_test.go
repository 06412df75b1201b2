package snapshot

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// FuzzReader reads any bytes as any mixture of numbers and strings, and writes them again: if
// there was no error and no byte is left, the bytes are the same. Each byte of the script names
// the next value to read.
func FuzzReader(f *testing.F) {
	head := "BKAH\x01\x04kind"
	for _, seed := range []struct{ data, script string }{
		{"", ""},
		{"BKAH", "u"},
		{"BKAH\x01", "u"},
		{"BKAH\x01\xff" + head, "u"},          // a kind that is longer than the snapshot
		{"BKAH\x01\x04\xff\xfe\xc0\x80", "u"}, // no UTF-8
		{"BKAH\x02\x04kind\x07", "u"},         // a later version
		{head, "uibt"},                        // truncated
		{head + "\x80", "u"},                  // in a number
		{head + "\x07\x03\x02ab\x05", "uibt"}, // all kinds
		{head + "\x87\x00", "u"},              // zeros in front
		{head + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "u"},     // the largest number
		{head + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "i"},     // the least
		{head + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "t"},     // no time
		{head + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "u"},     // 65 bits
		{head + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "u"}, // eleven bytes
		{head + "\xff\xff\xff\xff\x0fab", "b"},                       // more bytes than there are
		{head + "\x03ab", "b"},                                       // one more than there are
	} {
		f.Add([]byte(seed.data+"...."), []byte(seed.script))
	}
	f.Fuzz(func(t *testing.T, data, script []byte) {
		data = Seal(data)
		r, w := Open(data, "kind"), Begin("kind")
		for _, what := range script {
			left := r.Left()
			switch what % 4 {
			case 'i' % 4:
				w.Int(r.Int("a number"))
			case 'b' % 4:
				b := r.Bytes("some bytes")
				require.LessOrEqual(t, len(b), left)
				w.Bytes(b)
			case 't' % 4:
				at := r.Time("a time")
				require.GreaterOrEqual(t, at, bookahead.Time(0))
				w.Uint(uint64(at))
			default:
				w.Uint(r.Uint("a number", math.MaxUint64))
			}
			require.True(t, r.Left() < left || r.Err() != nil, "something is read, or wrong")
		}
		if err := r.Close(); err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.Zero(t, r.Int("behind an error"))
			require.Empty(t, r.Bytes("behind an error"))
			return
		}
		again, err := w.End()
		require.NoError(t, err)
		require.Equal(t, data, again)
	})
}
