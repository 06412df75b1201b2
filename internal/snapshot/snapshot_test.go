package snapshot

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

func write(t require.TestingT, f func(w *Writer)) []byte {
	w := Begin("kind")
	f(w)
	data, err := w.End()
	require.NoError(t, err)
	return data
}

// The check value of CRC-32C is that of 123456789: E3069283.
func TestForm(t *testing.T) {
	require.Equal(t, "\x83\x92\x06\xe3", string(Seal([]byte("123456789....")))[9:])
	data := write(t, func(w *Writer) { w.Uint(300); w.Int(-2); w.Bytes([]byte("ab")) })
	require.Equal(t, "BKAH\x01\x04kind\xac\x02\x03\x02ab", string(data[:len(data)-4]))
	require.Equal(t, data, Seal(data))
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.Uint64()).Draw(t, "numbers")
		signed := rapid.SliceOf(rapid.Int64()).Draw(t, "signed")
		data := write(t, func(w *Writer) {
			for _, n := range numbers {
				w.Uint(n)
			}
			for _, n := range signed {
				w.Int(n)
			}
		})
		r := Open(data, "kind")
		for _, n := range numbers {
			require.Equal(t, n, r.Uint("n", math.MaxUint64))
		}
		for _, n := range signed {
			require.Equal(t, n, r.Int("n"))
		}
		require.Zero(t, r.Left())
		require.NoError(t, r.Close())
	})
}

// Each fault gives an error that names it and wraps ErrInvalid, and the first error stays.
func TestRefused(t *testing.T) {
	good := write(t, func(w *Writer) { w.Uint(7) })
	change := func(at int, to byte) []byte {
		data := append([]byte(nil), good...)
		data[at] = to
		return Seal(data)
	}
	for want, c := range map[string]struct {
		data []byte
		read func(r *Reader)
	}{
		"length, before byte 0, 3 is too short":                {good[:3], func(*Reader) {}},
		"head, before byte 0, \"bKAH\" is not":                 {change(0, 'b'), func(*Reader) {}},
		"version, before byte 0, 2 is not 1":                   {change(4, 2), func(*Reader) {}},
		"kind, before byte 0, \"king\" is not \"kind\"":        {change(9, 'g'), func(*Reader) {}},
		"kind, before byte 0, \"kind\\a\" is not":              {change(5, 200), func(*Reader) {}},
		"does not match: the bytes are damaged":                {append([]byte(nil), append(good[:10:10], 9, 9, 9, 9, 9)...), func(*Reader) {}},
		"end, before byte 10, 1 bytes are left over":           {good, func(*Reader) {}},
		"units, before byte 11, 7 is more than 6":              {good, func(r *Reader) { r.Uint("units", 6) }},
		"units, before byte 11, [] is no whole number":         {good, func(r *Reader) { r.Uint("n", 7); r.Uint("units", 7) }},
		"bytes, before byte 11, 7 is more than 1":              {good, func(r *Reader) { r.Bytes("bytes") }},
		"units, before byte 10, [135 0] is a number with zero": {write(t, func(w *Writer) { w.b = append(w.b, 0x87, 0) }), func(r *Reader) { r.Uint("units", 9) }},
		"bytes, before byte 11, 1 bytes are more than are left": {
			write(t, func(w *Writer) { w.Uint(1) }), func(r *Reader) { r.Bytes("bytes") },
		},
		"slots, before byte 11, 4195265 times 16 bytes are more than a snapshot of 15 bytes may ask for, 67124224": {
			good, func(r *Reader) { r.Uint("n", 7); r.Afford("slots", 4_195_264, 16); r.Afford("slots", 4_195_265, 16) },
		},
	} {
		r := Open(c.data, "kind")
		c.read(r)
		err := r.Close()
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
	}
	require.EqualError(t, Open(good, "king", "lord").Close(), `bookahead: snapshot: kind, before byte 0, "kind" is not "king" or "lord"`)
	r := Open(good, "kind")
	r.Uint("n", 7)
	r.Afford("slots", 1<<22, 16)
	require.NoError(t, r.Close(), "64 MiB are free")
	r.Afford("slots", math.MaxUint64, math.MaxUint64)
	require.Error(t, r.Close())
	require.Zero(t, r.Int("n"))
	w := Begin("kind")
	w.Fail("ID", 7, "is too much")
	w.Fail("ID", 8, "comes later")
	_, err := w.End()
	require.EqualError(t, err, "bookahead: snapshot: ID 7 is too much")
}
