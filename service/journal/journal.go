// Package journal remembers the events of a desk by number, and who has asked for each. Event streams and webhooks go on in it
// behind the number that they have, also after a restart, and the audit is read from it.
//
//	member ── Applied ──► journal ──► After(7): 8, 9, 10 ...     streams, webhooks, audit
//	                         │
//	                         └──► journal/000000000000000001.jsonl, ...4097.jsonl: a line for each event
//
// A journal is a copy of what the log of the desk has, so that it may be lost without harm: the number that a reader asks for
// may be gone then, and After says so. The reader reads the calendar anew, and goes on from the present.
package journal

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bookahead/bookahead/desk"
)

// Event is an event of the desk, and who has asked for it: "" for what time brings.
type Event struct {
	desk.Event
	By string
}

const (
	perSegment  = 4096 // lines of a file
	recent      = 4096 // events that are kept in memory, at the least
	maxSegments = 256  // files
	perRead     = 1024 // events that After returns, at the most
)

// ErrGone says that the journal does not have the events behind a number any more.
var ErrGone = errors.New("journal: the events behind this number are gone: read the calendar, and go on from the present")

// Journal is the events of a desk. Any number of goroutines may use it.
type Journal struct {
	folder string

	mu        sync.Mutex
	list      []Event // the last ones, without gaps
	gone      uint64  // events up to this number are in no file, or lie before a gap
	last      uint64  // the number of the last event heard, also of one that is not kept
	segments  []segment
	file      *os.File
	w         *bufio.Writer
	lines     int // in the file
	delivered map[string]uint64
	changed   chan struct{} // closed, and made anew, when events come
	err       error
}

// segment is a file: of the events from a number on, which lies behind a gap or follows the file before.
type segment struct {
	start uint64
	gap   bool
}

const afterGap = "-after-a-gap"

// line is a line of a file: an event, or the number of an event that is not kept. A number that does not follow the one before
// shows a gap.
type line struct {
	Number uint64 `json:"n"`
	Event  *Event `json:"event,omitempty"`
}

// Open opens the journal of a folder, or begins one.
func Open(folder string) (*Journal, error) {
	err := os.MkdirAll(folder, 0o700)
	if err != nil {
		return nil, err
	}
	j := &Journal{folder: folder, delivered: map[string]uint64{}, changed: make(chan struct{})}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries { // by name, so by number
		name, ok := strings.CutSuffix(e.Name(), ".jsonl")
		name, gap := strings.CutSuffix(name, afterGap)
		n, err := strconv.ParseUint(name, 10, 64)
		if ok && err == nil {
			j.segments = append(j.segments, segment{n, gap})
		}
	}
	for _, s := range j.segments {
		if s.gap || j.gone == 0 {
			j.gone = s.start - 1
		}
	}
	tail := j.segments[max(0, len(j.segments)-2):]
	for i, s := range tail {
		if i == 0 || s.gap {
			j.last, j.list = s.start-1, nil
		}
		err := j.scan(s, func(l line) { j.hear(l.Number, l.Event) })
		if err != nil {
			return nil, err
		}
	}
	return j, nil
}

// hear takes an event, or the number of one that is not kept, and reports whether it is new. A number that does not follow the
// last shows that this member was sent a snapshot instead of the entries, or that a disk has lost lines.
func (j *Journal) hear(number uint64, e *Event) bool {
	switch {
	case number <= j.last:
		return false
	case number != j.last+1:
		j.list, j.gone = nil, number-1
	}
	j.last = number
	if e == nil {
		return true
	}
	j.list = append(j.list, *e)
	if len(j.list) >= 2*recent {
		j.list = slices.Clone(j.list[recent:])
	}
	return true
}

// Applied is the hook of a member: it hears of each command, in order, and after a restart of some commands again. It writes to
// the cache of the disk, and waits for nothing.
func (j *Journal) Applied(_ uint64, c desk.Command, out desk.Outcome) {
	by := ""
	g, ok := c.(desk.Given)
	if ok {
		by = g.By
	}
	hook, number, isNote := readDelivered(by)
	j.mu.Lock()
	defer j.mu.Unlock()
	news := isNote
	if isNote {
		j.delivered[hook] = max(j.delivered[hook], number)
	}
	for _, e := range out.Events {
		l := line{Number: e.Number}
		if e.What != desk.WasAdvanced {
			l.Event = &Event{e, by}
		}
		if j.hear(l.Number, l.Event) {
			j.write(&l)
			news = news || l.Event != nil
		}
	}
	if j.w != nil {
		j.note(j.w.Flush())
	}
	if news {
		close(j.changed)
		j.changed = make(chan struct{})
	}
}

// write writes a line, in a new file if the present one is full.
func (j *Journal) write(l *line) {
	gap := j.gone == l.Number-1 && j.gone > 0
	if j.file == nil || j.lines >= perSegment || gap {
		j.note(j.begin(segment{l.Number, gap}))
	}
	if j.file == nil {
		return
	}
	data, err := json.Marshal(l)
	if err == nil {
		_, err = j.w.Write(append(data, '\n'))
	}
	j.lines++
	j.note(err)
}

// begin begins a file, and removes the oldest.
func (j *Journal) begin(s segment) error {
	err := j.closeFile()
	if err != nil {
		return err
	}
	j.file, err = os.OpenFile(j.name(s), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	j.w, j.lines = bufio.NewWriter(j.file), 0
	j.segments = append(j.segments, s)
	for len(j.segments) > maxSegments {
		err = errors.Join(err, os.Remove(j.name(j.segments[0])))
		j.segments = j.segments[1:]
		j.gone = max(j.gone, j.segments[0].start-1)
	}
	return err
}

func (j *Journal) closeFile() error {
	if j.file == nil {
		return nil
	}
	err := errors.Join(j.w.Flush(), j.file.Close())
	j.file, j.w = nil, nil
	return err
}

// note keeps the first error of the disk. The journal goes on in memory: no booking depends on it.
func (j *Journal) note(err error) {
	if j.err == nil {
		j.err = err
	}
}

// Err returns the first error of the disk; nil if there was none.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

func (j *Journal) name(s segment) string {
	suffix := ""
	if s.gap {
		suffix = afterGap
	}
	return filepath.Join(j.folder, fmt.Sprintf("%018d%s.jsonl", s.start, suffix))
}

// scan reads the lines of a file. A last line that was cut off by a crash ends it.
func (j *Journal) scan(s segment, yield func(line)) error {
	data, err := os.ReadFile(j.name(s))
	if err != nil {
		return err
	}
	for text := range strings.Lines(string(data)) {
		var l line
		if json.Unmarshal([]byte(text), &l) != nil {
			return nil
		}
		yield(l)
	}
	return nil
}

// After returns some events behind a number, in order, and a channel that is closed when there are more. The error is ErrGone if
// the journal does not have all events behind the number.
func (j *Journal) After(number uint64) (list []Event, more <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	more = j.changed
	switch {
	case number < j.gone:
		return nil, more, ErrGone
	case len(j.list) > 0 && number+1 >= j.list[0].Number:
		i, _ := slices.BinarySearchFunc(j.list, number+1, func(e Event, n uint64) int { return cmp.Compare(e.Number, n) })
		return slices.Clone(j.list[i:min(len(j.list), i+perRead)]), more, nil
	}
	return j.older(number), more, nil
}

// older reads events from the files.
func (j *Journal) older(number uint64) (list []Event) {
	i, _ := slices.BinarySearchFunc(j.segments, number+2, func(s segment, n uint64) int { return cmp.Compare(s.start, n) })
	for i = max(0, i-1); i < len(j.segments) && len(list) < perRead; i++ {
		err := j.scan(j.segments[i], func(l line) {
			if l.Event != nil && l.Number > number && len(list) < perRead {
				list = append(list, *l.Event)
			}
		})
		j.note(err)
	}
	return list
}

// Last returns the number of the last event; 0 if there is none.
func (j *Journal) Last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// Delivered returns the text of a note that a webhook has heard of all events up to a number.
func Delivered(hook string, number uint64) string {
	return fmt.Sprintf("delivered %d to %s", number, hook)
}

func readDelivered(by string) (hook string, number uint64, ok bool) {
	rest, ok := strings.CutPrefix(by, "delivered ")
	text, hook, both := strings.Cut(rest, " to ")
	number, err := strconv.ParseUint(text, 10, 64)
	return hook, number, ok && both && err == nil
}

// DeliveredTo returns the number up to which a webhook has heard of all events, as far as the log says; ok is false if it says
// nothing.
func (j *Journal) DeliveredTo(hook string) (number uint64, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	number, ok = j.delivered[hook]
	return number, ok
}

// Close ends the journal.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.err, j.closeFile())
}
