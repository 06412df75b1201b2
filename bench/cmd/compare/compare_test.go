package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/internal/structures"
)

// parse reads arguments.
func parse(t *testing.T, args ...string) settings {
	var s settings
	f := flag.NewFlagSet("compare", flag.PanicOnError)
	s.flags(f)
	require.NoError(t, f.Parse(args))
	require.NoError(t, s.check())
	return s
}

// call runs the command.
func call(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestSynthetic(t *testing.T) {
	code, out, errs := call("-jobs", "300", "-ar", "1", "-seed", "7", "-ahead", "90m")
	require.Equal(t, 0, code, errs)
	require.Contains(t, out, "300 jobs on 128 units, seed 7; 300 booked ahead (share 1) by up to 5400s, with a deadline 2 durations after ready; horizon 1215000s")
	for _, st := range structures.Compared() {
		require.Contains(t, out, st.Name)
	}
}

// TestLoad checks the requests of jobs that are booked ahead, and of the others.
func TestLoad(t *testing.T) {
	load := func(args ...string) input {
		in, err := load(parse(t, append(args, "-jobs", "200", "-ahead", "2h")...))
		require.NoError(t, err)
		return in
	}
	in := load("-seed", "7")
	require.Equal(t, bookahead.Duration(2*3600+14*day), in.horizon)
	ahead := 0
	for _, b := range in.bookings {
		r := b.Request
		require.Equal(t, b.Estimate, r.Duration)
		if b.Ahead {
			ahead++
			require.True(t, b.Submit <= r.Ready && r.Ready <= b.Submit+2*3600, "%+v", b)
			require.Equal(t, r.Ready+2*bookahead.Time(r.Duration), r.Deadline)
		} else {
			require.Equal(t, bookahead.Request{Ready: b.Submit, Duration: b.Estimate, Units: b.Units}, r)
		}
	}
	require.Equal(t, ahead, in.booked)
	require.InDelta(t, 100, ahead, 30)
	require.Equal(t, in.bookings, load("-seed", "7").bookings)
	other := load("-seed", "8")
	require.NotEqual(t, in.bookings[0].Job, other.bookings[0].Job, "the seed makes the jobs")
}

func TestTableAndCSVSayTheSame(t *testing.T) {
	code, table, errs := call("-jobs", "200", "-impl", "carts.BTree,carts.Flat")
	require.Equal(t, 0, code, errs)
	require.Contains(t, table, "\n200 jobs on 128 units")
	require.True(t, strings.HasSuffix(table, "\nStructures that promise the same answers gave the same answers, job by job\n"+
		"  exact pool: carts.BTree, carts.Flat\n"), table)

	code, alone, errs := call("-jobs", "200", "-impl", "carts.Flat")
	require.Equal(t, 0, code, errs)
	require.NotContains(t, alone, "same answers", "there is nothing to agree with")

	code, out, errs := call("-jobs", "200", "-format", "csv", "-impl", "carts.BTree,carts.Flat")
	require.Equal(t, 0, code, errs)
	records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 3)
	require.Equal(t, []string{"carts.BTree", "carts.Flat"}, []string{records[1][0], records[2][0]})
	require.Equal(t, "1", records[1][16], "the first is the measure")
	for _, r := range records[1:] {
		success, err := strconv.ParseFloat(r[2], 64)
		require.NoError(t, err)
		require.Regexp(t, fmt.Sprintf(`\n%s +%s +%.2f%% `, r[0], r[1], 100*success), table)
	}
}

func TestTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.swf")
	require.NoError(t, os.WriteFile(path, []byte(`; MaxProcs: 8
1 0 0 50 8 -1 -1 8 100 -1 1 1 1 -1 1 -1 -1 -1
2 10 0 50 8 -1 -1 8 60 -1 1 1 1 -1 1 -1 -1 -1
3 20 0 50 9 -1 -1 9 60 -1 1 1 1 -1 1 -1 -1 -1
`), 0o600))
	code, out, errs := call("-trace", path, "-ar", "0", "-impl", "carts.Flat")
	require.Equal(t, 0, code, errs)
	require.Contains(t, out, "1 too big")
	require.Contains(t, out, "\n2 jobs on 8 units")
	require.Contains(t, out, "100.00%")
	code, out, errs = call("-trace", path, "-jobs", "1", "-impl", "carts.BTree")
	require.Equal(t, 0, code, errs)
	require.Contains(t, out, "; the first 1 of them\n1 jobs on 8 units")

	require.NoError(t, os.WriteFile(path, []byte("1 2 3\n"), 0o600))
	code, _, errs = call("-trace", path)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "line 1: 3 fields, want 18")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	code, _, errs = call("-trace", path)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "no jobs")
	code, _, errs = call("-trace", path+".none")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "tiny.swf.none")
}

func TestBadArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`-ar 1.5 is not between 0 and 1`:              {"-ar", "1.5"},
		`-ar NaN is not between 0 and 1`:              {"-ar", "NaN"},
		`-ahead -1h0m0s is negative`:                  {"-ahead", "-1h"},
		`-jobs -3 is negative`:                        {"-jobs", "-3"},
		`"mine" is none of carts.Indexed, carts.Flat`: {"-impl", "carts.Flat,mine"},
		`invalid value "carts.Flat,carts.Flat" for flag -impl: "carts.Flat" is named twice`: {"-impl", "carts.Flat,carts.Flat"},
		`-most -1s is negative`:                            {"-most", "-1s"},
		`-format "xml" is none of table, csv`:              {"-format", "xml"},
		`unexpected argument "file.swf"`:                   {"file.swf"},
		`flag provided but not defined: -what`:             {"-what"},
		`invalid value "many" for flag -jobs: parse error`: {"-jobs", "many"},
	} {
		code, out, errs := call(args...)
		require.Equal(t, 2, code, want)
		require.Empty(t, out)
		require.Contains(t, errs, want)
	}
	code, _, errs := call("-h")
	require.Equal(t, 0, code)
	require.Contains(t, errs, "-trace file")
}

// late is a structure that books each request at a tick that is one too late.
type late struct{ bookahead.Keeper }

func (l late) Search(r bookahead.Request) (bookahead.Offer, error) {
	r.Ready++
	return l.Keeper.Search(r)
}

func (l late) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	r.Ready++
	return l.Keeper.Reserve(r)
}

func TestLiarIsFound(t *testing.T) {
	honest := structures.Compared()[0]
	liar := structures.Structure{Name: "liar", Answers: honest.Answers, New: func(capacity int64, c structures.Config) (bookahead.Keeper, error) {
		s, err := honest.New(capacity, c)
		return late{s}, err
	}}
	other := liar
	other.Name, other.Answers = "other", ""
	s := parse(t, "-jobs", "20", "-ar", "0")
	silent := trial.NewProgress(io.Discard)

	s.structures = []structures.Structure{other, honest}
	require.NoError(t, compare(s, io.Discard, silent), "it promises nothing")

	s.structures = []structures.Structure{honest, other, liar}
	for _, s.format = range formats {
		var out bytes.Buffer
		err := compare(s, &out, silent)
		require.ErrorContains(t, err, `STRUCTURES DISAGREE: carts.Indexed and liar both promise the answers "exact pool", but booking 1 (submitted at `)
		require.Regexp(t, `is booked at \d+ by the former and booked at \d+ by the latter$`, err.Error())
		require.Equal(t, s.format == "table", out.Len() > 0, "the rows before it; but no part of a file")
	}
}

func TestPromises(t *testing.T) {
	first, silent, second := structures.Structure{Name: "a", Answers: "pool"}, structures.Structure{Name: "b"}, structures.Structure{Name: "c", Answers: "pool"}
	bookings := []workload.Booking{{}, {Job: workload.Job{Submit: 5}, Request: bookahead.Request{Ready: 9, Duration: 2, Units: 1}}}
	one := []replay.Outcome{{Accepted: true, Start: 3}, {}}
	two := []replay.Outcome{{Accepted: true, Start: 3}, {Accepted: true, Start: 9}}
	p := promises{}
	require.NoError(t, p.check(first, bookings, one[:1]))
	require.NoError(t, p.check(silent, bookings, two))
	require.NoError(t, p.check(second, bookings, one), "as far as the first went")
	require.EqualError(t, p.check(first, bookings, two),
		`STRUCTURES DISAGREE: c and a both promise the answers "pool", but booking 2 `+
			`(submitted at 5: {Ready:9 Deadline:0 Duration:2 Units:1 Servers:[]}) is turned away by the former and booked at 9 by the latter`)
	require.NoError(t, p.check(first, bookings, two[:1]))
}
