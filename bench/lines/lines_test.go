package lines

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func all(r *Reader) (got []string, err error) {
	for {
		line, err := r.Next()
		if err != nil {
			return got, err
		}
		got = append(got, string(line))
	}
}

func compress(t testing.TB, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// TestLines: Next returns a line without its end and the space around it.
func TestLines(t *testing.T) {
	for text, want := range map[string][]string{
		"":                  nil,
		"\n":                {""},
		"a\n\n b \r\nc":     {"a", "", "b", "c"},
		"last has an end\n": {"last has an end"},
	} {
		for name, in := range map[string]io.Reader{
			"plain": strings.NewReader(text), "gzip": bytes.NewReader(compress(t, text)),
			"byte by byte": iotest.OneByteReader(strings.NewReader(text)),
		} {
			r := NewReader(in)
			got, err := all(r)
			require.Equal(t, io.EOF, err, name)
			require.Equal(t, want, got, name)
			require.Equal(t, len(want), r.Line(), name)
		}
	}
}

// TestErrorsAreForGood: an error has its line, and the next call returns the same error.
func TestErrorsAreForGood(t *testing.T) {
	broken := errors.New("broken")
	whole := compress(t, strings.Repeat("a line\n", 5))
	for name, c := range map[string]struct {
		in   io.Reader
		line int
		says string
	}{
		"long":     {strings.NewReader("a\n" + strings.Repeat("7", Most)), 2, "longer than 65536 bytes"},
		"bomb":     {bytes.NewReader(compress(t, strings.Repeat("7", 1<<24))), 1, "longer than 65536 bytes"},
		"no gzip":  {strings.NewReader("\x1f\x8bnonsense that is long enough"), 1, "gzip: invalid header"},
		"cut":      {bytes.NewReader(whole[:len(whole)-1]), 6, "unexpected EOF"},
		"broken":   {io.MultiReader(strings.NewReader("a\nb\n"), iotest.ErrReader(broken)), 3, "broken"},
		"no start": {iotest.ErrReader(broken), 1, "broken"},
	} {
		r := NewReader(c.in)
		_, err := all(r)
		require.EqualError(t, err, c.says, name)
		require.Equal(t, c.line, r.Line(), name)
		_, again := r.Next()
		require.Equal(t, err, again, name)
		require.Equal(t, c.line, r.Line(), name)
	}
}

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "text")
	require.NoError(t, os.WriteFile(path, compress(t, "a\nb\n"), 0o600))
	r, err := Open(path)
	require.NoError(t, err)
	got, err := all(r)
	require.Equal(t, io.EOF, err)
	require.Equal(t, []string{"a", "b"}, got)
	require.NoError(t, r.Close())
	_, err = Open(folder)
	require.EqualError(t, err, folder+": is a directory")
	_, err = Open(filepath.Join(folder, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
