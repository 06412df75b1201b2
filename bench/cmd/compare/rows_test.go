package main

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/internal/structures"
)

// writeTrace writes a trace of a few jobs and returns its path.
func writeTrace(t *testing.T, header string) string {
	path := filepath.Join(t.TempDir(), "few.swf")
	require.NoError(t, os.WriteFile(path, []byte(header+`1 0 0 50 8 -1 -1 8 100 -1 1 1 1 -1 1 -1 -1 -1
2 10 0 50 8 -1 -1 9 -1 -1 1 1 1 -1 1 -1 -1 -1
3 20 0 -1 9 -1 -1 9 60 -1 1 1 1 -1 1 -1 -1 -1
`), 0o600))
	return path
}

// TestNotBuilt: a structure that cannot hold the horizon, or the machine, has a row and
// a reason, and the others have theirs.
func TestNotBuilt(t *testing.T) {
	const names = "avail.Schedule-1,carts.Indexed,carts.Flat"
	for name, args := range map[string][]string{
		"horizon": {"-ar", "1", "-ahead", "20000h", "-jobs", "50"},
		"machine": {"-trace", writeTrace(t, "; MaxProcs: 9216\n")},
	} {
		args = append(args, "-impl", names)
		code, out, errs := call(args...)
		require.Equal(t, 0, code, "%s: %s", name, errs)
		require.Regexp(t, `\navail.Schedule-1( +-){15}  not built, see below\n`, out)
		require.Regexp(t, `\nNot built for this workload\n  avail.Schedule-1  bookahead: Config.Horizon \d+ .*\n`, out)
		require.Regexp(t, `\ncarts.Flat +[1-9]`, out, "the row behind it")

		code, out, errs = call(append(args, "-format", "csv")...)
		require.Equal(t, 0, code, "%s: %s", name, errs)
		records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		require.NoError(t, err)
		require.Len(t, records, 4)
		require.Equal(t, "carts.Indexed", records[1][0], "the default goes first")
		require.Equal(t, slicesOf("avail.Schedule-1", 16, "lowest index", "0"), records[2][:19])
		require.Contains(t, records[2][19], "not built: bookahead: Config.Horizon ")
		require.Empty(t, records[3][19])
	}
	code, out, errs := call("-ahead", "20000h", "-impl", "avail.Schedule-1")
	require.Equal(t, 0, code, errs)
	require.Contains(t, out, "\nNot built for this workload\n", "and nothing else")
}

// slicesOf is a record with so many empty cells behind the first.
func slicesOf(first string, empty int, last ...string) []string {
	return append(append([]string{first}, make([]string, empty)...), last...)
}

// TestGuesses: a size and times that the trace does not record are said above the rows.
func TestGuesses(t *testing.T) {
	code, out, errs := call("-trace", writeTrace(t, ""), "-impl", "carts.Flat")
	require.Equal(t, 0, code, errs)
	above, _, _ := strings.Cut(out, "structure ")
	require.Contains(t, above, "; guessed: the processors (of the largest job), 1 estimate (the run time), 1 run time (the estimate, or a second)\n")
}

// TestRowsComeAsTheyAreDone: each structure finds the rows of those before it written.
func TestRowsComeAsTheyAreDone(t *testing.T) {
	s := parse(t, "-jobs", "20", "-impl", "carts.Indexed,carts.Flat,carts.BTree")
	var out bytes.Buffer
	before := []string{"jobs on 128 units"}
	for i, st := range s.structures {
		wanted := before[i]
		s.structures[i].New = func(capacity int64, c structures.Config) (bookahead.Keeper, error) {
			require.Contains(t, out.String(), wanted)
			return st.New(capacity, c)
		}
		before = append(before, "\n"+st.Name+" ")
	}
	require.NoError(t, compare(s, &out, trial.NewProgress(io.Discard)))
}

// clock is a clock that stands still but when it is set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// slow is a schedule whose searches take so long, by a clock.
type slow struct {
	bookahead.Keeper
	clock *clock
	takes time.Duration
}

func (s slow) Search(r bookahead.Request) (bookahead.Offer, error) {
	s.clock.at = s.clock.at.Add(s.takes)
	return s.Keeper.Search(r)
}

// slowed returns the default structure, slower, under another name.
func (c *clock) slowed(name string, takes time.Duration) structures.Structure {
	st := structures.Compared()[0]
	fast := st.New
	st.Name = name
	st.New = func(capacity int64, config structures.Config) (bookahead.Keeper, error) {
		s, err := fast(capacity, config)
		return slow{s, c, takes}, err
	}
	return st
}

// twenty are jobs of one unit that all live at once. So long may a structure take.
func twenty(most time.Duration) input {
	in := input{settings: settings{most: most, structures: make([]structures.Structure, 2)}, capacity: 20, horizon: day}
	for range 20 {
		j := workload.Job{Run: 50, Estimate: 50, Units: 1}
		in.bookings = append(in.bookings, workload.Booking{Job: j, Request: bookahead.Request{Duration: 50, Units: 1}})
	}
	return in
}

// TestCutShort: a structure gets the time of -most, two fifths of it for the replay,
// or ten times that of the first. The first gets any time.
func TestCutShort(t *testing.T) {
	for _, c := range []struct {
		first, second, most time.Duration
		jobs                int
		weighed             bool
	}{
		{0, time.Second, 20 * time.Second, 8, true},
		{time.Hour, time.Hour, time.Second, 20, true},
		{time.Second, time.Second, 0, 20, true},
		{time.Second, 30 * time.Second, 0, 6, true}, // 10 times 40 s, and two fifths of it are 160 s
		{0, time.Second, 100 * time.Hour, 20, true},
		{0, time.Hour, time.Second, 1, false},
	} {
		clock := &clock{time.Now()}
		x := newComparison(twenty(c.most), clock.now, trial.NewProgress(io.Discard))
		r, err := x.run(clock.slowed("first", c.first))
		require.NoError(t, err)
		require.Equal(t, 20, r.jobs)
		require.Empty(t, r.remark)
		require.Positive(t, r.BytesPerLive)
		began := clock.at
		r, err = x.run(clock.slowed("second", c.second))
		require.NoError(t, err)
		require.Equal(t, c.jobs, r.jobs, "%+v", c)
		require.Equal(t, c.jobs, r.Accepted)
		require.Equal(t, c.weighed, r.BytesPerLive > 0, "%+v", c)
		require.Less(t, clock.at.Sub(began), max(c.most, slower*40*c.first)+c.second+1, "%+v", c)
		if c.jobs == 6 {
			require.Equal(t, "cut short after 6 of 20 jobs; first accepts 6 of these", r.remark)
		}
	}
}

// TestWeighedOnce: who takes long to weigh is weighed once.
func TestWeighedOnce(t *testing.T) {
	for takes, passes := range map[time.Duration]time.Duration{time.Millisecond: 4, time.Second: 2} {
		clock := &clock{time.Now()}
		began := clock.at
		x := newComparison(twenty(0), clock.now, trial.NewProgress(io.Discard))
		_, err := x.run(clock.slowed("first", takes))
		require.NoError(t, err)
		require.Equal(t, passes*20*takes, clock.at.Sub(began))
	}
}

// TestProgress: a line now and then, which says how many
// structures there are, and that one is weighed.
func TestProgress(t *testing.T) {
	clock := &clock{time.Now()}
	var said bytes.Buffer
	x := newComparison(twenty(time.Hour), clock.now, trial.NewProgress(&said))
	_, err := x.run(clock.slowed("first", 0))
	require.NoError(t, err)
	require.Empty(t, said.String())
	_, err = x.run(clock.slowed("second", 2*time.Second))
	require.NoError(t, err)
	// The seconds are those of a real clock.
	require.Regexp(t, `(?m)^ +\d+ s  second \(2 of 2\): 3 of 20 jobs$`, said.String())
	require.Regexp(t, `(?m)^ +\d+ s  second \(2 of 2\): is weighed \(1 of at most 3 times\): 1 of 20 jobs$`, said.String())
	require.Len(t, strings.Split(said.String(), "\n"), 14, "one in three jobs")
}

// TestTheMeasureIsNeverCut: the first structure that runs gets any time, also behind one
// that cannot be built.
func TestTheMeasureIsNeverCut(t *testing.T) {
	clock := &clock{time.Now()}
	x := newComparison(twenty(time.Second), clock.now, trial.NewProgress(io.Discard))
	none := clock.slowed("none", 0)
	none.New = func(int64, structures.Config) (bookahead.Keeper, error) { return nil, bookahead.ErrInvalid }
	r, err := x.run(none)
	require.NoError(t, err)
	require.NotEmpty(t, r.notBuilt)
	r, err = x.run(clock.slowed("first", time.Hour))
	require.NoError(t, err)
	require.Equal(t, 20, r.jobs)
	require.Empty(t, r.remark)
}
