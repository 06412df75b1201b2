// Package swf reads workload traces in the Standard Workload Format, version 2,
// of the Parallel Workloads Archive. A trace has a line of 18 numbers for each job,
// and comments, which begin with a semicolon (Chapin et al., "Benchmarks and standards
// for the evaluation of parallel job schedulers", 1999).
package swf

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead/bench/lines"
)

// Unknown stands for a number that is not recorded.
const Unknown = -1

// MaxNumber is the largest number that is read, so that sums of a few do not overflow.
const MaxNumber = 1 << 60

// Job has the fields of a line that a simulation needs. Times are in seconds.
type Job struct {
	Number        int64 // 1: counts from 1
	Submit        int64 // 2: when it was submitted
	Wait          int64 // 3: from its submission to its start
	Run           int64 // 4: from its start to its end
	Allocated     int64 // 5: processors it got
	Requested     int64 // 8: processors it asked for
	RequestedTime int64 // 9: run time, or CPU time per processor, it asked for
}

// fields are those of a Job in a line.
var fields = []struct {
	number int // from 1
	name   string
	of     func(j *Job) *int64
}{
	{1, "job number", func(j *Job) *int64 { return &j.Number }},
	{2, "submit time", func(j *Job) *int64 { return &j.Submit }},
	{3, "wait time", func(j *Job) *int64 { return &j.Wait }},
	{4, "run time", func(j *Job) *int64 { return &j.Run }},
	{5, "allocated processors", func(j *Job) *int64 { return &j.Allocated }},
	{8, "requested processors", func(j *Job) *int64 { return &j.Requested }},
	{9, "requested time", func(j *Job) *int64 { return &j.RequestedTime }},
}

// Log is a whole trace.
type Log struct {
	Comments []string // those before the first job, without their semicolons
	Jobs     []Job    // in the order of the lines
}

// Load reads a file, plain or compressed by gzip, whatever its name. An error names the file.
func Load(path string) (Log, error) {
	in, err := lines.Open(path)
	if err != nil {
		return Log{}, err
	}
	defer in.Close()
	l, err := read(in)
	if err != nil {
		return Log{}, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// Read reads a trace, plain or compressed by gzip. The first bad line ends it with an error,
// which names the line, the field and the value.
func Read(in io.Reader) (Log, error) { return read(lines.NewReader(in)) }

func read(in *lines.Reader) (l Log, err error) {
	for {
		text, err := in.Next()
		if err == io.EOF {
			return l, nil
		}
		line := string(text)
		comment, isComment := strings.CutPrefix(line, ";")
		switch {
		case err != nil:
		case isComment && len(l.Jobs) > 0:
		case isComment:
			l.Comments = append(l.Comments, strings.TrimSpace(comment))
		case line != "":
			var j Job
			j, err = parse(strings.Fields(line))
			l.Jobs = append(l.Jobs, j)
		}
		if err != nil {
			return Log{}, fmt.Errorf("swf: line %d: %w", in.Line(), err)
		}
	}
}

func parse(words []string) (j Job, err error) {
	if len(words) != 18 {
		return j, fmt.Errorf("%d fields, want 18", len(words))
	}
	for _, f := range fields {
		word := words[f.number-1]
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n > MaxNumber || n < -MaxNumber {
			return j, fmt.Errorf("field %d (%s): %.40q is not an integer up to 2^60", f.number, f.name, word)
		}
		*f.of(&j) = n
	}
	return j, nil
}

// Int returns the number with which the value of the first comment "key: value" begins, such as
// 338 for "MaxNodes: 338 (batch partition; 512 total)". If there is none, Int returns Unknown.
func (l Log) Int(key string) int64 {
	for _, c := range l.Comments {
		k, v, _ := strings.Cut(c, ":")
		words := strings.Fields(v)
		if strings.TrimSpace(k) != key || len(words) == 0 {
			continue
		}
		n, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil {
			return Unknown
		}
		return n
	}
	return Unknown
}
