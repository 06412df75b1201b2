package require

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"
)

// recorder is a test that notes its failure.
type recorder struct{ said string }

func (r *recorder) Errorf(format string, args ...any) { r.said += fmt.Sprintf(format, args...) }
func (r *recorder) FailNow()                          { r.said += "\nends" }

type point struct {
	X, Y int
	tag  string
}

type tree struct {
	Name string
	Kids []*tree
	Tags map[string]point
	any  any
}

// Each check is called once where it holds and once where it does not.
func TestChecks(t *testing.T) {
	failure := fmt.Errorf("reading: %w", io.EOF)
	var gone *point
	var path *fs.PathError
	same := &point{X: 1}
	for name, c := range map[string]struct{ holds, fails func(t TestingT) }{
		"True":     {func(t TestingT) { True(t, true) }, func(t TestingT) { True(t, false) }},
		"False":    {func(t TestingT) { False(t, false) }, func(t TestingT) { False(t, true) }},
		"Equal":    {func(t TestingT) { Equal(t, point{1, 2, "a"}, point{1, 2, "a"}) }, func(t TestingT) { Equal(t, point{1, 2, "a"}, point{1, 2, "b"}) }},
		"types":    {func(t TestingT) { Equal(t, int64(3), int64(3)) }, func(t TestingT) { Equal(t, 3, int64(3)) }},
		"bytes":    {func(t TestingT) { Equal(t, []byte{}, []byte("")) }, func(t TestingT) { Equal(t, []byte(nil), []byte{}) }},
		"nil":      {func(t TestingT) { Equal(t, nil, nil) }, func(t TestingT) { Equal(t, nil, gone) }},
		"nil list": {func(t TestingT) { Equal(t, []int(nil), []int(nil)) }, func(t TestingT) { Equal(t, []int{}, []int(nil)) }},
		"func":     {func(t TestingT) { NotNil(t, TestChecks) }, func(t TestingT) { Equal(t, TestChecks, TestChecks) }},
		"NotEqual": {func(t TestingT) { NotEqual(t, 1, 2) }, func(t TestingT) { NotEqual(t, 1, 1) }},
		"EqualValues": {
			func(t TestingT) {
				EqualValues(t, 3, int64(3))
				EqualValues(t, uint8(200), 200)
				EqualValues(t, "a", []byte("a"))
			},
			func(t TestingT) { EqualValues(t, uint8(1), 257) },
		},
		"EqualValues wide": {func(t TestingT) { EqualValues(t, 1, 1.0) }, func(t TestingT) { EqualValues(t, int64(257), uint8(1)) }},
		"EqualValues nil":  {func(t TestingT) { EqualValues(t, nil, nil) }, func(t TestingT) { EqualValues(t, nil, 0) }},
		"EqualExportedValues": {
			func(t TestingT) { EqualExportedValues(t, []any{&point{1, 2, "a"}}, []any{&point{1, 2, "b"}}) },
			func(t TestingT) { EqualExportedValues(t, []any{&point{1, 2, "a"}}, []any{&point{1, 3, "a"}}) },
		},
		"Same":                 {func(t TestingT) { Same(t, same, same) }, func(t TestingT) { Same(t, same, &point{X: 1}) }},
		"NotSame":              {func(t TestingT) { NotSame(t, same, &point{X: 1}) }, func(t TestingT) { NotSame(t, same, same) }},
		"IsType":               {func(t TestingT) { IsType(t, 1, 2) }, func(t TestingT) { IsType(t, 1, "a") }},
		"Nil":                  {func(t TestingT) { Nil(t, gone); Nil(t, nil) }, func(t TestingT) { Nil(t, 0) }},
		"NotNil":               {func(t TestingT) { NotNil(t, 0) }, func(t TestingT) { NotNil(t, gone) }},
		"Zero":                 {func(t TestingT) { Zero(t, point{}); Zero(t, nil); Zero(t, []int(nil)) }, func(t TestingT) { Zero(t, []int{}) }},
		"NotZero":              {func(t TestingT) { NotZero(t, 1) }, func(t TestingT) { NotZero(t, point{}) }},
		"Empty":                {func(t TestingT) { Empty(t, []int{}); Empty(t, &point{}); Empty(t, "") }, func(t TestingT) { Empty(t, []int{0}) }},
		"NotEmpty":             {func(t TestingT) { NotEmpty(t, map[int]int{0: 0}) }, func(t TestingT) { NotEmpty(t, [2]int{}) }},
		"Len":                  {func(t TestingT) { Len(t, "abc", 3) }, func(t TestingT) { Len(t, []int{1}, 2) }},
		"Len of what has none": {func(t TestingT) { Len(t, [1]int{}, 1) }, func(t TestingT) { Len(t, 0, 0) }},
		"Regexp":               {func(t TestingT) { Regexp(t, `^b\d$`, "b7") }, func(t TestingT) { Regexp(t, `^b\d$`, "b77") }},
		"NotRegexp":            {func(t TestingT) { NotRegexp(t, `^b\d$`, errors.New("b77")) }, func(t TestingT) { NotRegexp(t, `7`, errors.New("b77")) }},
		"FileExists":           {func(t TestingT) { FileExists(t, "doc.go") }, func(t TestingT) { FileExists(t, ".") }},
		"NoError":              {func(t TestingT) { NoError(t, nil) }, func(t TestingT) { NoError(t, io.EOF) }},
		"Error":                {func(t TestingT) { Error(t, io.EOF) }, func(t TestingT) { Error(t, nil) }},
		"ErrorIs":              {func(t TestingT) { ErrorIs(t, failure, io.EOF) }, func(t TestingT) { ErrorIs(t, io.EOF, failure) }},
		"NotErrorIs":           {func(t TestingT) { NotErrorIs(t, io.EOF, failure) }, func(t TestingT) { NotErrorIs(t, failure, io.EOF) }},
		"ErrorAs":              {func(t TestingT) { ErrorAs(t, &fs.PathError{}, &path) }, func(t TestingT) { ErrorAs(t, io.EOF, &path) }},
		"ErrorContains":        {func(t TestingT) { ErrorContains(t, failure, "EOF") }, func(t TestingT) { ErrorContains(t, nil, "") }},
		"EqualError":           {func(t TestingT) { EqualError(t, failure, "reading: EOF") }, func(t TestingT) { EqualError(t, failure, "EOF") }},
		"Greater":              {func(t TestingT) { Greater(t, 2, 1) }, func(t TestingT) { Greater(t, 1, 1) }},
		"GreaterOrEqual":       {func(t TestingT) { GreaterOrEqual(t, "b", "b") }, func(t TestingT) { GreaterOrEqual(t, "a", "b") }},
		"Less":                 {func(t TestingT) { Less(t, uint8(1), uint8(2)) }, func(t TestingT) { Less(t, 1, int64(2)) }},
		"LessOrEqual": {
			func(t TestingT) { LessOrEqual(t, time.Unix(1, 0), time.Unix(1, 0)) },
			func(t TestingT) { LessOrEqual(t, time.Second, time.Millisecond) },
		},
		"no number": {func(t TestingT) { Less(t, 1.5, 2.5) }, func(t TestingT) { LessOrEqual(t, math.NaN(), math.NaN()) }},
		"Positive":  {func(t TestingT) { Positive(t, time.Second) }, func(t TestingT) { Positive(t, 0) }},
		"Negative":  {func(t TestingT) { Negative(t, -0.5) }, func(t TestingT) { Negative(t, 0) }},
		"InDelta":   {func(t TestingT) { InDelta(t, 1, 1.5, 0.5) }, func(t TestingT) { InDelta(t, 1, math.NaN(), 0.5) }},
		"InDelta without end": {
			func(t TestingT) { InDelta(t, math.Inf(-1), math.Inf(-1), 0); InDelta(t, math.NaN(), math.NaN(), 0) },
			func(t TestingT) { InDelta(t, math.Inf(-1), math.Inf(1), 9) },
		},
		"InDelta of texts": {func(t TestingT) { InDelta(t, uint8(1), time.Duration(1), 0) }, func(t TestingT) { InDelta(t, "1", "1", 1) }},
		"InEpsilon":        {func(t TestingT) { InEpsilon(t, 100, 101, 0.01) }, func(t TestingT) { InEpsilon(t, 100, 102, 0.01) }},
		"InEpsilon of 0":   {func(t TestingT) { InEpsilon(t, -1, -1, 0) }, func(t TestingT) { InEpsilon(t, 0, 0, 1) }},
		"Contains": {
			func(t TestingT) {
				Contains(t, "abc", "b")
				Contains(t, map[string]int{"a": 0}, "a")
				Contains(t, [2]int{1, 2}, 2)
			},
			func(t TestingT) { Contains(t, []int{1}, int64(1)) },
		},
		"NotContains":      {func(t TestingT) { NotContains(t, []string{"ab"}, "a") }, func(t TestingT) { NotContains(t, "ab", "a") }},
		"Contains in none": {func(t TestingT) { NotContains(t, []int(nil), 1) }, func(t TestingT) { NotContains(t, nil, 1) }},
		"Subset":           {func(t TestingT) { Subset(t, []int{1, 2}, []int{2, 2}) }, func(t TestingT) { Subset(t, []int{1}, []int{1, 2}) }},
		"ElementsMatch":    {func(t TestingT) { ElementsMatch(t, []int{1, 2, 2}, []int{2, 1, 2}) }, func(t TestingT) { ElementsMatch(t, []int{1, 2, 2}, []int{1, 1, 2}) }},
		"Panics":           {func(t TestingT) { Panics(t, func() { panic("a") }) }, func(t TestingT) { Panics(t, func() {}) }},
		"NotPanics":        {func(t TestingT) { NotPanics(t, func() {}) }, func(t TestingT) { NotPanics(t, func() { panic("a") }) }},
		"PanicsWithValue": {
			func(t TestingT) { PanicsWithValue(t, "a", func() { panic("a") }) },
			func(t TestingT) { PanicsWithValue(t, "a", func() { panic("b") }) },
		},
		"Eventually": {
			func(t TestingT) {
				n := 0
				Eventually(t, func() bool { n++; return n == 3 }, time.Minute, time.Millisecond)
			},
			func(t TestingT) { Eventually(t, func() bool { return false }, 5*time.Millisecond, time.Millisecond) },
		},
		"Fail":    {func(TestingT) {}, func(t TestingT) { Fail(t, "no") }},
		"Failf":   {func(TestingT) {}, func(t TestingT) { Failf(t, "no", "%d", 1) }},
		"FailNow": {func(TestingT) {}, func(t TestingT) { FailNow(t, "no") }},
	} {
		var good, bad recorder
		c.holds(&good)
		if good.said != "" {
			t.Errorf("%s: it holds, and says %s", name, good.said)
		}
		c.fails(&bad)
		if strings.Count(bad.said, "ends") != 1 || !strings.Contains(bad.said, "at: require/require_test.go:") {
			t.Errorf("%s: it fails, and says %q", name, bad.said)
		}
	}
}

// A failure has the first place that differs, the message, and the call.
func TestFailures(t *testing.T) {
	grown := func(y int) *tree {
		return &tree{"root", []*tree{{Name: "a"}, {Name: "b", Tags: map[string]point{"x": {1, y, "t"}}}}, nil, []int{y}}
	}
	for want, check := range map[string]func(t TestingT){
		`first: .Kids[1].Tags[x].Y is 3, not 2`: func(t TestingT) { Equal(t, grown(2), grown(3)) },
		`first: .any[0] is 3, not 2`:            func(t TestingT) { Equal(t, tree{any: []int{2}}, tree{any: []int{3}}) },
		`first: the length of  is 2, not 1`:     func(t TestingT) { Equal(t, []int{1}, []int{1, 2}) },
		`types: int, int64`:                     func(t TestingT) { Equal(t, 1, int64(1)) },
		"first in line 2:\n  \"b\"\n  \"c\"":    func(t TestingT) { Equal(t, "a\nb", "a\nc") },
		`message: run 7 of [1]`:                 func(t TestingT) { True(t, false, "run %d of %v", 7, []int{1}) },
		`message: 100%`:                         func(t TestingT) { True(t, false, "100%") },
		`message: {X:1 Y:2 tag:a}`:              func(t TestingT) { True(t, false, point{1, 2, "a"}) },
	} {
		var r recorder
		check(&r)
		if !strings.Contains(r.said, want) {
			t.Errorf("%q is not in\n%s", want, r.said)
		}
	}
}
