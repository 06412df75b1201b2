package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/trace"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
)

// oracle has the free units of each tick.
type oracle struct{ free []int64 }

func newOracle(h trace.Header, booked []bookahead.Offer) (room, error) {
	o := &oracle{make([]int64, ticks)}
	for t := range o.free {
		o.free[t] = h.Capacity
	}
	for k, b := range booked {
		o.Take(bookahead.ID(k+1), b)
	}
	return o, nil
}

// ticks is how long the axis of a random trace is: longer than it can get.
const ticks = 3000

func (o *oracle) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	fits := func(t bookahead.Time) bool {
		for _, free := range o.free[t : t+d] {
			if free < n {
				return false
			}
		}
		return true
	}
	for t := first; t <= min(last, ticks-d); t++ {
		if fits(t) {
			return t, true
		}
	}
	return 0, false
}

func (o *oracle) add(start, end bookahead.Time, units int64) {
	for t := start; t < end; t++ {
		o.free[t] += units
	}
}

func (o *oracle) Take(_ bookahead.ID, b bookahead.Offer) { o.add(b.Start, b.End, -b.Units) }

func (o *oracle) Give(_ bookahead.ID, b bookahead.Offer, _ bookahead.Time) {
	o.add(b.Start, b.End, b.Units)
}

func (o *oracle) Forget(bookahead.Time) {}

// drawn is a random trace, full enough for requests to wait and to be turned away.
func drawn(rng *rand.Rand) *trace.Trace {
	h := trace.Header{Name: "drawn", Capacity: 1 + rng.Int64N(6), Origin: bookahead.Time(rng.IntN(20))}
	if rng.IntN(3) == 0 {
		h.Horizon = bookahead.Duration(40 + rng.IntN(100))
	}
	t, now, number := &trace.Trace{Header: h}, h.Origin, int64(0)
	for at := now; rng.IntN(8) > 0 && at < now+20; { // side by side, and so they fit
		d := bookahead.Time(1 + rng.IntN(10))
		t.Booked = append(t.Booked, bookahead.Offer{Interval: bookahead.Interval{Start: at, End: at + d}, Units: 1 + rng.Int64N(h.Capacity)})
		at += d
		number++
	}
	for range 20 + rng.IntN(400) {
		o := trace.Operation{Kind: trace.Reserve, At: max(0, now+bookahead.Time(rng.IntN(40)-5)), Duration: bookahead.Duration(1 + rng.IntN(12)), Units: 1 + rng.Int64N(h.Capacity+1)}
		if rng.IntN(2) == 0 {
			o.Deadline = o.At + bookahead.Time(o.Duration) + bookahead.Time(rng.IntN(30))
		}
		switch k := rng.IntN(10); {
		case k < 5:
			number++
			o.Number = number
		case k < 7:
			o.Kind = trace.Search
		case k < 8:
			now += bookahead.Time(rng.IntN(10))
			o = trace.Operation{Kind: trace.Advance, At: now}
		case number > 0:
			o = trace.Operation{Kind: trace.Release, Number: 1 + rng.Int64N(number)}
		default:
			continue
		}
		t.Operations = append(t.Operations, o)
	}
	return t
}

// TestOracle: every planner gives the answers of one that has a cell for each tick.
func TestOracle(t *testing.T) {
	accepted, away := 0, 0
	for seed := range uint64(150) {
		tr := drawn(rand.New(rand.NewPCG(seed, 26)))
		require.NoError(t, tr.Write(new(strings.Builder), ""), "seed %d", seed)
		want, err := trace.Run(tr, "oracle", behind(newOracle), 0)
		require.NoError(t, err, "seed %d", seed)
		for _, p := range planners() {
			got, err := trace.Run(tr, p.name, p.open, 0)
			require.NoError(t, err, "seed %d", seed)
			require.Equal(t, want.Starts, got.Starts, "%s, seed %d", p.name, seed)
		}
		accepted += want.Accepted
		away += want.Answers - want.Accepted
	}
	require.Greater(t, accepted, 5_000)
	require.Greater(t, away, 1_000)
}

func record(t *testing.T, c workload.Churn, turns int) *trace.Trace {
	tr, err := trace.Record(c, turns)
	require.NoError(t, err)
	return tr
}

// TestPeersAgree: all planners give the same starts on traces like those of the table, to the end.
func TestPeersAgree(t *testing.T) {
	for _, c := range []workload.Churn{
		{Kind: workload.AR, Capacity: 128, Live: 1000, Load: 0.7, Powers: true},
		{Kind: workload.AR, Capacity: 4096, Live: 2000, Load: 0.95},
		{Kind: workload.Rare, Capacity: 1024, Live: 500, Load: 0.7},
		{Kind: workload.Batch, Capacity: 4096, Live: 300, Powers: true},
		{Kind: workload.Batch, Capacity: 64, Live: 100},
	} {
		tr := record(t, c, 500)
		reference := trace.Result{}
		for i, p := range planners() {
			r, err := trace.Run(tr, p.name, p.open, 0)
			require.NoError(t, err)
			require.Equal(t, r.Of, r.Operations)
			if i == 0 {
				reference = r
			}
			require.Equal(t, reference.Starts, r.Starts, "%s on %s", p.name, tr.Name)
			require.True(t, compare(reference, r.Line).Same)
		}
	}
}

// faulty has a fault that a table must not hide: one booking in a hundred takes a unit too few.
type faulty struct {
	room
	taken int
}

func (f *faulty) Take(id bookahead.ID, o bookahead.Offer) {
	f.taken++
	if f.taken%100 == 0 && o.Units > 1 {
		o.Units--
	}
	f.room.Take(id, o)
}

// TestFaultsShow: a planner with other starts has a NO in its row, and the program fails.
func TestFaultsShow(t *testing.T) {
	s := settings{limit: 1e9, planners: planners()[:1]}
	s.planners = append(s.planners, planner{name: "faulty", open: behind(func(h trace.Header, booked []bookahead.Offer) (room, error) {
		r, err := newSlice(h, booked)
		return &faulty{room: r}, err
	})})
	tr := record(t, workload.Churn{Kind: workload.Batch, Capacity: 64, Live: 100, Powers: true}, 500)
	var same []bool
	done, err := s.trace(tr, nil, func(r row) error {
		same = append(same, r.Same)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 2, done)
	require.Equal(t, []bool{true, false}, same)
}

// TestBookedTooMuch: peers refuse bookings that take more units than there are.
func TestBookedTooMuch(t *testing.T) {
	h := trace.Header{Capacity: 3}
	booked := []bookahead.Offer{{Interval: bookahead.Interval{Start: 0, End: 5}, Units: 2}, {Interval: bookahead.Interval{Start: 4, End: 6}, Units: 2}}
	for _, open := range []trace.Opener{behind(newSlice), behind(newTree)} {
		_, _, err := open(h, booked)
		require.EqualError(t, err, "the booked lines take 1 units more than there are at 4")
	}
}

// TestDriver builds the driver in C, and runs it on the same files: its line stands in the table,
// beside ours, with the same starts.
func TestDriver(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	folder := t.TempDir()
	driver := filepath.Join(folder, "planner")
	out, err := exec.Command(compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-o", driver, filepath.Join("driver", "planner.c")).CombinedOutput()
	require.NoError(t, err, string(out))
	drive := func(tr *trace.Trace) (path string, line string) {
		path = filepath.Join(folder, tr.Name)
		f, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, tr.Write(f, "a comment\nof two lines"))
		require.NoError(t, f.Close())
		said, err := exec.Command(driver, path).CombinedOutput()
		require.NoError(t, err, string(said))
		return path, string(said)
	}
	for seed := range uint64(20) {
		tr := drawn(rand.New(rand.NewPCG(seed, 4)))
		want, err := trace.Run(tr, "carts.Flat", bulk(carts.NewFlat, inCarts), 0)
		require.NoError(t, err)
		_, line := drive(tr)
		got, err := trace.ParseLine(line)
		require.NoError(t, err)
		require.Equal(t, []any{want.Checksum, want.Operations, want.Of, want.Answers, want.Accepted},
			[]any{got.Checksum, got.Operations, got.Of, got.Answers, got.Accepted}, "seed %d", seed)
	}
	path, line := drive(record(t, workload.Churn{Kind: workload.AR, Capacity: 128, Live: 200, Load: 0.7, Powers: true}, 300))
	lines := filepath.Join(folder, "lines")
	require.NoError(t, os.WriteFile(lines, []byte("hello\n\n"+line), 0o600))
	var table, stderr strings.Builder
	require.Equal(t, 0, run([]string{"-traces", path, "-lines", lines, "-impl", "sorted-slice", "-out", folder}, &table, &stderr), stderr.String())
	rows := strings.Split(strings.TrimSpace(table.String()), "\n")
	require.Len(t, rows, 5)
	require.Regexp(t, `^\| AR-128-200 \| carts\.Indexed \| all [0-9]+ \|.* \| 1 \| 1 \| yes \|$`, rows[2])
	require.Regexp(t, `^\| AR-128-200 \| plain-c \| all [0-9]+ \|.* \| yes \|$`, rows[4])
	text, err := os.ReadFile(filepath.Join(folder, "peers.csv"))
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(string(text), "\n"))
	require.True(t, strings.HasPrefix(string(text), strings.Join(columns, ",")+"\n"))
}

func TestArguments(t *testing.T) {
	for args, says := range map[string]string{
		"-limit 0s":                    "-limit 0s is not above 0",
		"-turns 0":                     "-turns 0 is less than 1",
		"-only AR-128":                 `-only: "AR-128" is not kind-capacity-live`,
		"-only AR-128-10 -traces some": "-only and -traces exclude each other",
		"-impl slice":                  `-impl: "slice" is none of carts.Indexed, carts.BTree, `,
	} {
		var stderr strings.Builder
		require.Equal(t, 2, run(strings.Fields(args), new(strings.Builder), &stderr), args)
		require.Contains(t, stderr.String(), says)
	}
	for args, says := range map[string]string{
		"-traces nowhere":                          "nowhere",
		"-only AR-128-10 -turns 10 -lines nowhere": "nowhere",
		"-traces peers_test.go":                    `peers_test.go: trace: line 1: "package main" is not "bookahead-trace 1"`,
	} {
		var stderr strings.Builder
		require.Equal(t, 1, run(strings.Fields(args), new(strings.Builder), &stderr), args)
		require.Contains(t, stderr.String(), says)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	require.NoError(t, os.WriteFile(bad, []byte("\nplanner=x trace=y\n"), 0o600))
	var stderr strings.Builder
	require.Equal(t, 1, run([]string{"-only", "AR-128-10", "-lines", bad}, new(strings.Builder), &stderr))
	require.Equal(t, "peers: "+bad+", line 2: trace: line of results: operations: \"\" is not a number from 0 on\n", stderr.String())
}

// TestChoose: the default comes first, and once.
func TestChoose(t *testing.T) {
	chosen, err := choose([]string{"sorted-slice", "carts.Indexed", "carts.Flat"})
	require.NoError(t, err)
	var names []string
	for _, p := range chosen {
		names = append(names, p.name)
	}
	require.Equal(t, []string{"carts.Indexed", "sorted-slice", "carts.Flat"}, names)
}

func TestSpan(t *testing.T) {
	for ns, want := range map[float64]string{0: "–", 123: "0.12 µs", 1234: "1.2 µs", 56_789: "57 µs", 1.2e6: "1200 µs", 3.4e7: "34 ms"} {
		require.Equal(t, want, span(ns))
	}
	require.Equal(t, []string{"–", "0.95", "7.2", "1590"}, []string{times(0), times(0.95), times(7.2), times(1590)})
}
