package swf

import (
	"fmt"
	"math"
	"strconv"
)

// Unknown is what stands in a field whose value was not recorded.
const Unknown = -1

// Job is a line of a trace. Times are in seconds since the trace's start;
// Unknown (-1) stands for what was not recorded.
type Job struct {
	Number          int64   // 1: counts from 1
	Submit          int64   // 2: when it was submitted
	Wait            int64   // 3: from its submission to its start
	Run             int64   // 4: from its start to its end
	Allocated       int64   // 5: processors it got
	CPUTime         float64 // 6: mean over its processors, in seconds; archives record fractions
	Memory          int64   // 7: mean over its processors, in kilobytes
	Requested       int64   // 8: processors it asked for
	RequestedTime   int64   // 9: run time, or CPU time per processor, it asked for
	RequestedMemory int64   // 10: in kilobytes per processor
	Status          int64   // 11: 0 failed, 1 completed, 5 cancelled; 2, 3, 4 are parts of a job
	User            int64   // 12
	Group           int64   // 13
	Executable      int64   // 14
	Queue           int64   // 15
	Partition       int64   // 16
	Preceding       int64   // 17: the job that had to end first
	ThinkTime       int64   // 18: from the end of that job to the submission of this one
}

// fields is the number of fields of a line.
const fields = 18

var fieldNames = [fields]string{
	"job number", "submit time", "wait time", "run time", "allocated processors", "CPU time", "used memory",
	"requested processors", "requested time", "requested memory", "status", "user", "group", "executable",
	"queue", "partition", "preceding job", "think time",
}

// ints returns where the fields of j are; nil at CPUTime, which may have a
// fraction.
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
			j.CPUTime, err = strconv.ParseFloat(words[i], 64)
			if math.IsNaN(j.CPUTime) || math.IsInf(j.CPUTime, 0) {
				err = strconv.ErrRange
			}
		} else {
			*p, err = strconv.ParseInt(words[i], 10, 64)
		}
		if err != nil {
			return Job{}, fmt.Errorf("field %d (%s): %.40q is not a number in range", i+1, fieldNames[i], words[i])
		}
	}
	return j, nil
}
