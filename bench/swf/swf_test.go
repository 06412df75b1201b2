package swf

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const good = "1 0 10 100 4 99.5 -1 4 120 -1 1 1 1 -1 1 -1 -1 -1"

func compress(t testing.TB, text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestPlainAndGzipAreTheSame(t *testing.T) {
	text, err := os.ReadFile("testdata/tiny.swf")
	require.NoError(t, err)
	zipped := filepath.Join(t.TempDir(), "tiny.swf") // without .gz
	require.NoError(t, os.WriteFile(zipped, compress(t, text), 0o600))
	for _, path := range []string{"testdata/tiny.swf", zipped} {
		l, err := Load(path)
		require.NoError(t, err)
		require.Len(t, l.Comments, 7)
		require.EqualValues(t, 16, l.Int("MaxProcs"))
		require.EqualValues(t, Unknown, l.Int("MaxNodes"))
		require.Equal(t, []Job{
			{1, 0, 10, 100, 4, 4, 120},
			{2, 5, 0, 60, 8, 8, 60},
			{3, 5, 70, -1, -1, 16, 3600},
			{4, 900, 0, 30, 1, -1, -1},
		}, l.Jobs)
	}
	_, err = Load("testdata/none.swf")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestLoadNamesTheFile: the error for the first bytes of a gzip file, or for a folder, has its path.
func TestLoadNamesTheFile(t *testing.T) {
	folder := t.TempDir()
	short := filepath.Join(folder, "short.swf.gz")
	require.NoError(t, os.WriteFile(short, []byte("\x1f\x8b"), 0o600))
	_, err := Load(short)
	require.EqualError(t, err, short+": swf: line 1: unexpected EOF")
	_, err = Load(folder)
	require.EqualError(t, err, folder+": is a directory")
}

func TestForms(t *testing.T) {
	for text, jobs := range map[string]int{
		"; A: b\r\n" + good + "\r\n": 1, good: 1, "\n\n" + good + "\n\n": 1, good + "\n; over": 1,
		"  \t" + good + "  \n": 1, "; nothing but a header": 0, "": 0,
	} {
		l, err := Read(strings.NewReader(text))
		require.NoError(t, err)
		require.Len(t, l.Jobs, jobs, text)
	}
}

func TestBadLines(t *testing.T) {
	long := strings.Repeat("7", 1<<16)
	huge := fmt.Sprint(int64(MaxNumber + 1))
	for text, want := range map[string]string{
		"1 2 3":                                     "1: 3 fields, want 18",
		";\n" + good + "\n" + good + " 7":           "3: 19 fields, want 18",
		strings.Replace(good, "100", "x", 1):        `1: field 4 (run time): "x" is not an integer up to 2^60`,
		strings.Replace(good, "100", "1.5", 1):      `1: field 4 (run time): "1.5" is not an integer up to 2^60`,
		strings.Replace(good, "100", long[:100], 1): `1: field 4 (run time): "` + long[:40] + `" is not an integer up to 2^60`,
		strings.Replace(good, "100", "-"+huge, 1):   `1: field 4 (run time): "-` + huge + `" is not an integer up to 2^60`,
		strings.Replace(good, "120", huge, 1):       `1: field 9 (requested time): "` + huge + `" is not an integer up to 2^60`,
		good + "\n" + long:                          "2: longer than 65536 bytes",
		"\x1f\x8b\x08 nonsense":                     "1: unexpected EOF",
	} {
		_, err := Read(strings.NewReader(text))
		require.EqualError(t, err, "swf: line "+want)
	}
}

func TestInt(t *testing.T) {
	l := Log{Comments: []string{"A: 5\tnodes", "B:", "C: many", "D: -1", "E: 99999999999999999999", "A: 6", "no key"}}
	for key, want := range map[string]int64{"A": 5, "B": Unknown, "C": Unknown, "D": Unknown, "E": Unknown, "F": Unknown} {
		require.Equal(t, want, l.Int(key), key)
	}
}

// FuzzRead checks that nothing panics, and that an error names its line.
func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/tiny.swf")
	require.NoError(f, err)
	for _, seed := range [][]byte{text, compress(f, text), compress(f, text)[:60], []byte(good + "\n1 2 3\n;x\n" + good), []byte("\x1f\x8b"), []byte("\xff\xfe")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := Read(bytes.NewReader(data))
		if err != nil {
			require.Regexp(t, `^swf: line [1-9][0-9]*: `, err.Error())
		}
	})
}
