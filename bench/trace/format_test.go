package trace

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// morning is the trace of the package comment.
func morning(t testing.TB) string {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var b strings.Builder
	inside := false
	for line := range strings.Lines(string(text)) {
		line, code := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "//")
		indented := strings.HasPrefix(line, "\t")
		inside = code && (inside && (indented || line == "") || strings.HasPrefix(line, "\tbookahead-trace"))
		if inside {
			b.WriteString(strings.TrimSpace(line) + "\n")
		}
	}
	return b.String()
}

func readText(text string) (*Trace, error) { return Read(strings.NewReader(text)) }

func offer(start, end bookahead.Time, units int64) bookahead.Offer {
	return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: end}, Units: units}
}

// TestDoc reads the trace of the package comment.
func TestDoc(t *testing.T) {
	got, err := readText(morning(t))
	require.NoError(t, err)
	require.Equal(t, &Trace{
		Header: Header{Name: "morning", Capacity: 4, Origin: 100, Horizon: 5000},
		Booked: []bookahead.Offer{offer(100, 160, 2)},
		Operations: []Operation{
			{Kind: Reserve, Number: 2, At: 120, Duration: 30, Units: 4},
			{Kind: Search, At: 120, Duration: 30, Units: 3, Deadline: 400},
			{Kind: Advance, At: 150},
			{Kind: Release, Number: 2},
		},
	}, got)
	require.Equal(t, bookahead.Request{Ready: 120, Duration: 30, Units: 3, Deadline: 400}, got.Operations[1].Request())
}

func TestWrite(t *testing.T) {
	got, err := readText(morning(t))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, got.Write(&b, "of the morning\n\n  by hand"))
	const want = `# of the morning
# 
# by hand
bookahead-trace 1
name morning
capacity 4
origin 100
horizon 5000
booked 1 100 60 2
reserve 2 120 30 4 0
search 120 30 3 400
advance 150
release 2
`
	require.Equal(t, want, b.String())
	again, err := readText(b.String())
	require.NoError(t, err)
	require.Equal(t, got, again)
}

func TestForms(t *testing.T) {
	for name, text := range map[string]string{
		"line ends of DOS": "bookahead-trace 1\r\ncapacity 3\r\nadvance 7\r\n",
		"no last end":      "bookahead-trace 1\ncapacity 3\nadvance 7",
		"space":            "\n\n # a comment\n \tbookahead-trace\t1 # another\n  capacity   3\n\n#\nadvance 7#x\n\n",
	} {
		got, err := readText(text)
		require.NoError(t, err, name)
		require.Equal(t, &Trace{Header: Header{Capacity: 3}, Operations: []Operation{{Kind: Advance, At: 7}}}, got, name)
	}
	got, err := readText("bookahead-trace 1\ncapacity 3")
	require.NoError(t, err)
	require.Equal(t, &Trace{Header: Header{Capacity: 3}}, got)
}

// TestBadLines: an error names the line, the field and the value.
func TestBadLines(t *testing.T) {
	const head = "bookahead-trace 1\ncapacity 4\norigin 10\nhorizon 100\n"
	const max = "9223372036854775807"
	for text, want := range map[string]string{
		"":                                                        `line 1: "" is not "bookahead-trace 1"`,
		"\n\nbookahead-trace 2\n":                                 `line 3: "bookahead-trace 2" is not "bookahead-trace 1"`,
		"; MaxProcs: 4":                                           `line 1: "; MaxProcs: 4" is not "bookahead-trace 1"`,
		"bookahead-trace 1\n":                                     `line 1: the header has no capacity`,
		"bookahead-trace 1\nadvance 3\n":                          `line 2: the header has no capacity`,
		"bookahead-trace 1\ncapacity":                             `line 2: capacity has 0 values, want 1`,
		"bookahead-trace 1\ncapacity 4 5":                         `line 2: capacity has 2 values, want 1`,
		"bookahead-trace 1\ncapacity x":                           `line 2: field 1 (capacity): "x" is not an integer`,
		"bookahead-trace 1\ncapacity 0\n\n":                       `line 3: capacity 0 is less than 1`,
		"bookahead-trace 1\ncapacity 4\norigin -1":                `line 3: origin -1 is negative`,
		"bookahead-trace 1\ncapacity 4\nhorizon -1":               `line 3: horizon -1 is negative`,
		"bookahead-trace 1\ncapacity 4\ncapacity 4":               `line 3: capacity comes twice`,
		"bookahead-trace 1\ncapacity 4\norigin 5\nhorizon " + max: `line 4: horizon ` + max + ` after the origin 5 overflows`,
		"bookahead-trace 1\nname \xff\ncapacity 4":                `line 3: name "\xff" is no word`,
		head + "advance 20\ncapacity 4":                           `line 6: "capacity" is no operation`,
		head + "cancel 1":                                         `line 5: "cancel" is no operation`,
		head + strings.Repeat("x", 1000):                          `line 5: "` + strings.Repeat("x", 40) + `" is no operation`,
		head + "reserve 1 20 5 4":                                 `line 5: reserve has 4 fields, want 5 (number ready duration units deadline)`,
		head + "release":                                          `line 5: release has 0 fields, want 1 (number)`,
		head + "reserve 1 20 5.0 4 0":                             `line 5: field 3 (duration): "5.0" is not an integer`,
		head + "search 20 5 99999999999999999999 0":               `line 5: field 3 (units): "99999999999999999999" is not between -9223372036854775808 and 9223372036854775807`,
		head + "reserve 2 20 5 4 0":                               `line 5: reserve: number 2 is not 1, which is the next`,
		head + "booked 1 20 5 4\nbooked 1 20 5 4":                 `line 6: booked: number 1 is not 2, which is the next`,
		head + "reserve 1 20 5 4 0\nrelease 2":                    `line 6: release: number 2 is none of the 1 reservations so far`,
		head + "release 0":                                        `line 5: release: number 0 is none of the 0 reservations so far`,
		head + "reserve 1 -1 5 4 0":                               `line 5: reserve: ready -1 is negative`,
		head + "reserve 1 20 0 4 0":                               `line 5: reserve: duration 0 is less than 1`,
		head + "search 20 " + max + " 4 0":                        `line 5: search: duration ` + max + ` after ready 20 overflows`,
		head + "reserve 1 20 5 -3 0":                              `line 5: reserve: units -3 is less than 1`,
		head + "reserve 1 20 5 4 24":                              `line 5: reserve: deadline 24 is before ready + duration = 25`,
		head + "advance 30\n\nadvance 29":                         `line 7: advance: now 29 moves the clock back from 30`,
		head + "advance 9":                                        `line 5: advance: now 9 moves the clock back from 10`,
		head + "advance " + max:                                   `line 5: advance: now ` + max + ` plus the horizon 100 overflows`,
		head + "booked 1 9 5 4":                                   `line 5: booked: start 9 is before the origin 10`,
		head + "booked 1 10 5 5":                                  `line 5: booked: units 5 are more than the capacity 4`,
		head + "booked 1 10 101 4":                                `line 5: booked: duration 101 ends beyond the horizon 100`,
		head + "advance 10\nbooked 1 10 5 4":                      `line 6: booked: number 1 is booked behind an operation`,
		head + "advance 20\n" + strings.Repeat(" ", 1<<17) + "x":  `line 6: longer than 65536 bytes`,
		"\x1f\x8bnonsense that is long enough":                    `line 1: gzip: invalid header`,
	} {
		_, err := readText(text)
		require.EqualError(t, err, "trace: "+want, "%.100q", text)
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

func TestLoad(t *testing.T) {
	want, err := readText(morning(t))
	require.NoError(t, err)
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	require.NoError(t, os.WriteFile(path, compress(t, morning(t)), 0o600))
	got, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, os.WriteFile(path, []byte("bookahead-trace 1\ncapacity 4\nrelease 1\n"), 0o600))
	_, err = Load(path)
	require.EqualError(t, err, path+": trace: line 3: release: number 1 is none of the 0 reservations so far")
	require.NoError(t, os.WriteFile(path, []byte("1 0 10"), 0o600))
	_, err = Load(path)
	require.EqualError(t, err, path+`: trace: line 1: "1 0 10" is not "bookahead-trace 1"`)
	_, err = Load(folder)
	require.ErrorContains(t, err, "is a directory")
}

// seeds are traces, and files that nobody meant to write.
func seeds(t testing.TB) []string {
	all := []string{
		morning(t), "", "\n", "#", "\x1f\x8b", "bookahead-trace 1", "bookahead-trace 1\ncapacity 1\n", "\xef\xbb\xbfbookahead-trace 1\ncapacity 1",
		string(compress(t, morning(t))), string(compress(t, morning(t))[:60]),
	}
	for _, n := range []string{"-1", "0", "+7", "007", "0x1", "1_0", "1.5", "NaN", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "\u0663", "\x00", "\xff"} {
		all = append(all, strings.ReplaceAll(morning(t), "30", n), strings.ReplaceAll(morning(t), "100", n), strings.ReplaceAll(morning(t), " 4", " "+n), strings.ReplaceAll(morning(t), " 2", " "+n))
	}
	for i, line := range strings.Split(morning(t), "\n") { // twice, and not at all
		all = append(all, strings.Replace(morning(t), line, line+"\n"+line, 1), strings.Replace(morning(t), line, "", 1), fmt.Sprint(i, line))
	}
	return all
}

// FuzzReader checks that no text makes the reader panic, that an error names its line, and that a
// trace that was read is the same after it has been written and read again.
func FuzzReader(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := readText(string(data))
		if err != nil {
			require.Regexp(t, `^trace: line [1-9][0-9]*: `, err.Error())
			return
		}
		var b bytes.Buffer
		require.NoError(t, got.Write(&b, string(data[:min(len(data), 100)])))
		again, err := readText(b.String())
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}
