package snapshot

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// A document gives the bytes from which it was parsed, and each change is sealed anew, within a
// snapshot too.
func TestSpoil(t *testing.T) {
	inner := write(t, func(w *Writer) { w.Uint(7); w.Uint(300) })
	data := write(t, func(w *Writer) { w.Uint(9); w.Bytes(inner); w.Int(-2) })
	d, ok := parse(data)
	require.True(t, ok)
	require.Len(t, d.parts, 3)
	require.Equal(t, data, d.bytes())

	for place, want := range [][]byte{
		write(t, func(w *Writer) { w.Uint(5); w.Bytes(inner); w.Int(-2) }),
		write(t, func(w *Writer) { w.Uint(9); w.Bytes(write(t, func(w *Writer) { w.Uint(5); w.Uint(300) })); w.Int(-2) }),
		write(t, func(w *Writer) { w.Uint(9); w.Bytes(write(t, func(w *Writer) { w.Uint(7); w.Uint(5) })); w.Int(-2) }),
		write(t, func(w *Writer) { w.Uint(9); w.Bytes(inner); w.Uint(5) }),
		data,
	} {
		require.Equal(t, want, With(data, place, 5))
	}

	changed, within := 0, 0
	for seed := range uint64(200) {
		spoilt := Spoil(data, seed)
		require.Equal(t, spoilt, Spoil(data, seed))
		require.Equal(t, spoilt, Seal(spoilt))
		if string(spoilt) != string(data) {
			changed++
		}
		r := Open(spoilt, "kind")
		r.Uint("n", 9)
		if b := r.Bytes("inner"); r.Err() == nil && string(b) != string(inner) && Open(b, "kind").Err() == nil {
			within++
		}
	}
	require.Greater(t, changed, 150)
	require.Greater(t, within, 20)
	for _, none := range []string{"", "BKAH", "BKAH\x01\xff....", "BKAH\x01\x00\x80...."} {
		require.Equal(t, Seal([]byte(none)), Spoil([]byte(none), 1))
	}
}

// Snapshots within snapshots, the innermost of which is damaged, took twice as long for each
// depth.
func TestSpoilOfDeepSnapshotsEnds(t *testing.T) {
	data := []byte(magic + "\x01\xff")
	for range 100 {
		outer := binary.AppendUvarint([]byte(magic+"\x01\x00"), uint64(len(data)))
		data = append(append(outer, data...), "\xff\xff\xff\xff"...) // as a number, these go on
	}
	require.Equal(t, Seal(data), Spoil(data, 1))
}
