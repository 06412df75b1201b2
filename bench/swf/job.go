package swf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Unknown stands in a field whose value was not recorded.
const Unknown = -1

// MaxNumber bounds the integers of a trace: a field holds -MaxNumber to MaxNumber,
// so that the sum of a few fields does not overflow.
const MaxNumber = 1 << 60

// Job is a line of a trace. The comment of each field begins with the number of the
// field in the format. Times are in seconds; points in time count from the start of the
// trace. A field that was not recorded is Unknown (-1). Only CPUTime may have a
// fraction, since archives record it with one.
type Job struct {
	Number          int64   // 1: counts from 1
	Submit          int64   // 2: when it was submitted
	Wait            int64   // 3: seconds from its submission to its start
	Run             int64   // 4: seconds from its start to its end
	Allocated       int64   // 5: processors it got
	CPUTime         float64 // 6: seconds, mean over its processors
	Memory          int64   // 7: kilobytes, mean over its processors
	Requested       int64   // 8: processors it asked for
	RequestedTime   int64   // 9: seconds of run time, or of CPU time per processor, it asked for
	RequestedMemory int64   // 10: kilobytes per processor it asked for
	Status          int64   // 11: 0 failed, 1 completed, 5 cancelled; 2, 3, 4 are parts of a job
	User            int64   // 12: number of the user
	Group           int64   // 13: number of the user's group
	Executable      int64   // 14: number of the program
	Queue           int64   // 15: number of the queue; 0 is for interactive jobs
	Partition       int64   // 16: number of the part of the machine
	Preceding       int64   // 17: number of the job that had to end first
	ThinkTime       int64   // 18: seconds from the end of that job to the submission of this one
}

// fields is the number of fields of a line.
const fields = 18

var fieldNames = [fields]string{
	"job number", "submit time", "wait time", "run time", "allocated processors", "CPU time", "used memory",
	"requested processors", "requested time", "requested memory", "status", "user", "group", "executable",
	"queue", "partition", "preceding job", "think time",
}

// ints returns a pointer to each field of j. The pointer for CPUTime is nil, since
// CPUTime is no integer.
func (j *Job) ints() [fields]*int64 {
	return [fields]*int64{
		&j.Number, &j.Submit, &j.Wait, &j.Run, &j.Allocated, nil, &j.Memory, &j.Requested, &j.RequestedTime,
		&j.RequestedMemory, &j.Status, &j.User, &j.Group, &j.Executable, &j.Queue, &j.Partition, &j.Preceding,
		&j.ThinkTime,
	}
}

// String formats the job as a line of a trace, without the line's end.
func (j Job) String() string {
	var line []byte
	for i, p := range j.ints() {
		if i > 0 {
			line = append(line, ' ')
		}
		if p == nil {
			line = strconv.AppendFloat(line, j.CPUTime, 'f', -1, 64)
		} else {
			line = strconv.AppendInt(line, *p, 10)
		}
	}
	return string(line)
}

// parse reads the fields of a line.
func parse(words []string) (Job, error) {
	var j Job
	if len(words) != fields {
		return j, fmt.Errorf("%d fields, want %d", len(words), fields)
	}
	for i, p := range j.ints() {
		var err error
		if p == nil {
			j.CPUTime, err = parseFloat(words[i])
		} else {
			*p, err = parseInt(words[i])
		}
		if err != nil {
			return Job{}, fmt.Errorf("field %d (%s): %.40q %w", i+1, fieldNames[i], words[i], err)
		}
	}
	return j, nil
}

// The reasons to reject the text of a field.
var (
	errNumber  = errors.New("is not a number")
	errInteger = errors.New("is not an integer")
	errRange   = errors.New("is out of range")
)

func parseInt(word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), n > MaxNumber, n < -MaxNumber:
		return 0, errRange
	case err == nil:
		return n, nil
	}
	// Not an integer: a fraction is told from a word that is no number at all.
	_, err = parseFloat(word)
	if err != nil {
		return 0, err
	}
	return 0, errInteger
}

func parseFloat(word string) (float64, error) {
	x, err := strconv.ParseFloat(word, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, errRange
	case err != nil, math.IsNaN(x), math.IsInf(x, 0):
		return 0, errNumber
	}
	return x, nil
}
