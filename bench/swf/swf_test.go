package swf

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

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

func readAll(t testing.TB, text string) ([]Job, []string) {
	r, err := NewReader(strings.NewReader(text))
	if err != nil {
		return nil, []string{err.Error()}
	}
	var jobs []Job
	var errs []string
	for j, err := range r.Jobs() {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			jobs = append(jobs, j)
		}
	}
	return jobs, errs
}

func TestPlainAndGzipAreTheSame(t *testing.T) {
	text, err := os.ReadFile("testdata/tiny.swf")
	require.NoError(t, err)
	zipped := filepath.Join(t.TempDir(), "tiny.swf") // without .gz
	require.NoError(t, os.WriteFile(zipped, compress(t, text), 0o600))
	for _, path := range []string{"testdata/tiny.swf", zipped} {
		r, err := Open(path)
		require.NoError(t, err)
		require.Len(t, r.Header().Comments, 7)
		procs, ok := r.Header().Int("MaxProcs")
		require.True(t, ok)
		require.Equal(t, int64(16), procs)
		_, ok = r.Header().Int("MaxNodes")
		require.False(t, ok, "unknown")
		_, ok = r.Header().Get("Preemption")
		require.False(t, ok)
		computer, _ := r.Header().Get("Computer")
		require.Equal(t, "Toy", computer)
		var jobs []Job
		for j, err := range r.Jobs() {
			require.NoError(t, err)
			jobs = append(jobs, j)
		}
		require.NoError(t, r.Close())
		require.Equal(t, []Job{
			{1, 0, 10, 100, 4, 99.5, -1, 4, 120, -1, 1, 1, 1, -1, 1, -1, -1, -1},
			{2, 5, 0, 60, 8, -1, -1, 8, 60, -1, 1, 2, 1, -1, 1, -1, -1, -1},
			{3, 5, 70, -1, -1, -1, -1, 16, 3600, -1, 5, 2, 1, -1, 1, -1, 2, 7},
			{4, 900, 0, 30, 1, 29, 1024, -1, -1, -1, 0, 3, 2, -1, 1, -1, -1, -1},
		}, jobs)
	}
	_, err = Open("testdata/none.swf")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestOpenNamesTheFile: the error for the first bytes of a gzip file, or for a folder, has its path.
func TestOpenNamesTheFile(t *testing.T) {
	folder := t.TempDir()
	short := filepath.Join(folder, "short.swf.gz")
	require.NoError(t, os.WriteFile(short, []byte("\x1f\x8b"), 0o600))
	_, err := Open(short)
	require.EqualError(t, err, short+": swf: line 1: unexpected EOF")
	_, err = Open(folder)
	require.EqualError(t, err, folder+": is a directory")
}

func TestForms(t *testing.T) {
	for name, text := range map[string]string{
		"line ends of DOS":    "; A: b\r\n" + good + "\r\n",
		"no end of last line": good,
		"blank lines":         "\n\n" + good + "\n\n",
		"comment behind":      good + "\n; over",
		"space around":        "  \t" + good + "  \n",
	} {
		jobs, errs := readAll(t, text)
		require.Empty(t, errs, name)
		require.Len(t, jobs, 1, name)
	}
	jobs, errs := readAll(t, "; nothing but a header")
	require.Empty(t, errs)
	require.Empty(t, jobs)
	jobs, errs = readAll(t, "")
	require.Empty(t, errs)
	require.Empty(t, jobs)
}

func TestBadLines(t *testing.T) {
	long := strings.Repeat("7", MaxLine)
	huge := fmt.Sprint(int64(MaxNumber + 1))
	for text, want := range map[string]string{
		"1 2 3":                                     "swf: line 1: 3 fields, want 18",
		";\n" + good + "\n" + good + " 7":           "swf: line 3: 19 fields, want 18",
		strings.Replace(good, "100", "x", 1):        `swf: line 1: field 4 (run time): "x" is not a number`,
		strings.Replace(good, "100", "1.5", 1):      `swf: line 1: field 4 (run time): "1.5" is not an integer`,
		strings.Replace(good, "99.5", "NaN", 1):     `swf: line 1: field 6 (CPU time): "NaN" is not a number`,
		strings.Replace(good, "99.5", "-Inf", 1):    `swf: line 1: field 6 (CPU time): "-Inf" is not a number`,
		strings.Replace(good, "99.5", "1e999", 1):   `swf: line 1: field 6 (CPU time): "1e999" is out of range`,
		strings.Replace(good, "100", long[:100], 1): `swf: line 1: field 4 (run time): "` + long[:40] + `" is out of range`,
		strings.Replace(good, "100", huge, 1):       `swf: line 1: field 4 (run time): "` + huge + `" is out of range`,
		strings.Replace(good, "-1", "-"+huge, 1):    `swf: line 1: field 7 (used memory): "-` + huge + `" is out of range`,
		good + "\n" + long:                          fmt.Sprintf("swf: line 2: longer than %d bytes", MaxLine),
		"\x1f\x8b\x08 nonsense":                     "swf: line 1: unexpected EOF",
		"\x1f\x8bnonsense that is long enough":      "swf: line 1: gzip: invalid header",
	} {
		_, errs := readAll(t, text)
		require.Equal(t, []string{want}, errs)
	}
}

func TestReadingGoesOnBehindABadLine(t *testing.T) {
	jobs, errs := readAll(t, good+"\nbad\n"+good+"\nworse\n"+good)
	require.Len(t, jobs, 3)
	require.Equal(t, []string{"swf: line 2: 1 fields, want 18", "swf: line 4: 1 fields, want 18"}, errs)
}

func TestReadingGoesOnWhereItStopped(t *testing.T) {
	r, err := NewReader(strings.NewReader(good + "\n" + strings.Replace(good, "1", "2", 1)))
	require.NoError(t, err)
	for want := int64(1); want <= 2; want++ {
		for j := range r.Jobs() {
			require.Equal(t, want, j.Number)
			break
		}
	}
	for range r.Jobs() {
		t.Fatal("there are only two")
	}
}

func TestTruncatedGzip(t *testing.T) {
	// These numbers hardly compress, so that the cut falls among the lines.
	var text bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&text, "%d %d 10 100 4 99.5 -1 4 120 -1 1 1 1 -1 1 -1 -1 -1\n", i, i*i*7919%10007)
	}
	z := compress(t, text.Bytes())
	jobs, errs := readAll(t, string(z[:len(z)/2]))
	require.NotEmpty(t, jobs)
	require.Len(t, errs, 1)
	require.Contains(t, errs[0], "unexpected EOF")
	require.Contains(t, errs[0], fmt.Sprintf("line %d:", len(jobs)+1))
}

// TestBombs reads texts of 16 MiB and more that gzip packs into kilobytes. The reader
// may allocate only 8 MiB before it gives up.
func TestBombs(t *testing.T) {
	for want, text := range map[string]string{
		"swf: line 32769: the header is larger than 1048576 bytes": strings.Repeat("; nothing to say\n", 1<<20),
		"swf: line 61681: the header is larger than 1048576 bytes": strings.Repeat(";\n", 1<<23),
		"swf: line 1: longer than 65536 bytes":                     strings.Repeat("7", 1<<24),
	} {
		bomb := string(compress(t, []byte(text)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, errs := readAll(t, bomb)
		runtime.ReadMemStats(&after)
		require.Equal(t, []string{want}, errs)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
	}
}

func TestOnlyABadLineIsErrLine(t *testing.T) {
	r, err := NewReader(strings.NewReader("bad"))
	require.NoError(t, err)
	for _, err := range r.Jobs() {
		require.ErrorIs(t, err, ErrLine)
	}
	broken := errors.New("broken")
	r, err = NewReader(io.MultiReader(strings.NewReader(good+"\n"), iotest.ErrReader(broken)))
	require.NoError(t, err)
	var last error
	for _, err := range r.Jobs() {
		last = err
	}
	require.ErrorIs(t, last, broken)
	require.NotErrorIs(t, last, ErrLine)
	require.EqualError(t, last, "swf: line 2: broken")
	for _, err := range r.Jobs() {
		require.Equal(t, last, err, "nothing is read behind it")
	}
	_, err = NewReader(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

func TestHeaderInt(t *testing.T) {
	h := Header{Comments: []string{"A: 5\tnodes", "B:", "C: many", "D: -1", "E: 99999999999999999999", "A: 6", "no key"}}
	for key, want := range map[string]int64{"A": 5, "B": Unknown, "C": Unknown, "D": Unknown, "E": Unknown, "F": Unknown} {
		n, ok := h.Int(key)
		require.Equal(t, want, n, key)
		require.Equal(t, want != Unknown, ok, key)
	}
}

// seeds returns damaged and unusual files.
func seeds(t testing.TB) [][]byte {
	const notUTF8 = "\xff\xfe\xc0\x80\xed\xa0\x80"
	texts := []string{
		"", "\n", ";", ";\n;", "; MaxProcs: 1\x00\n" + good, "\x1f", "\x1f\x8b", "\xef\xbb\xbf" + good, good + "\r" + good,
		good + "\n1 2 3\n;x\n" + good, good + " ; no comment", "\x00 " + good, good + "\u2028" + good,
		"; " + notUTF8 + "\n" + good, notUTF8, good + "\n" + notUTF8 + "\n" + good, strings.ReplaceAll(good, " ", "\u00a0"),
		strings.Repeat("; ", MaxLine/2-1) + "\n" + good, strings.Repeat(";\n", 1000) + good,
		good + strings.Repeat(" ", MaxLine-len(good)-1) + "\n" + good, strings.Repeat(good+" ", 1000),
	}
	for _, n := range []string{
		"9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e308", "1e309", "5e-324", "1e-400", "-0", "+7", "007",
		"0x10", "0b1", "1_000", "NaN", "Inf", "-infinity", "-0x1p-2", "0x1p1024", strings.Repeat("9", 400), "0." + strings.Repeat("0", 400) + "1", "1.0", "٣",
	} {
		texts = append(texts, strings.Replace(good, "99.5", n, 1), strings.Replace(good, "100", n, 1), strings.ReplaceAll(good, "-1", n))
	}
	for n := 0; n < len(good); n += 7 {
		texts = append(texts, good+"\n"+good[:n])
	}
	list := make([][]byte, 0, len(texts)+8)
	for _, text := range texts {
		list = append(list, []byte(text))
	}
	zipped := compress(t, []byte("; MaxProcs: 4\n"+good+"\n"+good))
	for n := range 6 {
		list = append(list, zipped[:len(zipped)*n/6])
	}
	damaged := bytes.Clone(zipped)
	damaged[len(damaged)-6] ^= 1                                                              // its sum
	list = append(list, damaged, append(bytes.Clone(zipped), zipped...), compress(t, zipped)) // two in one, and one in another
	return list
}

// TestEachSeed: a reader that gives one byte at a time, and one that gives io.EOF with
// its last data, lead to the same jobs and errors as the whole text.
func TestEachSeed(t *testing.T) {
	for _, seed := range seeds(t) {
		jobs, errs := readAll(t, string(seed))
		for name, slow := range map[string]io.Reader{
			"bytes": iotest.OneByteReader(bytes.NewReader(seed)), "the end": iotest.DataErrReader(bytes.NewReader(seed)),
		} {
			r, err := NewReader(slow)
			if err != nil {
				require.Equal(t, errs, []string{err.Error()}, "%s of %q", name, seed)
				continue
			}
			k, bad := 0, 0
			for j, err := range r.Jobs() {
				if err != nil {
					require.EqualError(t, err, errs[bad])
					bad++
					continue
				}
				require.Equal(t, jobs[k], j)
				k++
			}
			require.Equal(t, []int{len(jobs), len(errs)}, []int{k, bad}, "%s of %q", name, seed)
		}
	}
}

// FuzzReader checks that nothing panics, that each line which is neither blank nor a
// comment yields one job or one error, and that jobs stay the same when they are
// written and read again.
func FuzzReader(f *testing.F) {
	text, err := os.ReadFile("testdata/tiny.swf")
	require.NoError(f, err)
	f.Add(text)
	f.Add(compress(f, text))
	f.Add(compress(f, text)[:60])
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		jobs, errs := readAll(t, string(data))
		if !bytes.HasPrefix(data, []byte("\x1f\x8b")) && len(data) < MaxLine {
			require.Equal(t, linesOfJobs(string(data)), len(jobs)+len(errs))
		}
		var lines strings.Builder
		for _, j := range jobs {
			fmt.Fprintln(&lines, j)
		}
		again, errs := readAll(t, lines.String())
		require.Empty(t, errs)
		require.Equal(t, jobs, again)
	})
}

func linesOfJobs(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != ';' {
			n++
		}
	}
	return n
}

func ExampleReader() {
	r, err := Open("testdata/tiny.swf")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	procs, _ := r.Header().Int("MaxProcs")
	fmt.Println(procs, "processors")
	for j, err := range r.Jobs() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(j.Number, j.Submit, j.Requested, j.RequestedTime)
	}
	// Output:
	// 16 processors
	// 1 0 4 120
	// 2 5 8 60
	// 3 5 16 3600
	// 4 900 -1 -1
}
