// Package journal remembers the events of a desk by number, and who has asked for each. Event streams and webhooks go on in it
// behind the number that they have, also after a restart, and the audit is read from it.
//
//	member ── Applied ──► journal ──► After(7): 8, 9, 10 ...     streams, webhooks, audit
//	                         │
//	                         └──► journal/000000000000000001.jsonl, ...4097.jsonl: a line for each event
//
// A journal is a copy of what the log of the desk has, so that it may be lost without harm: the number that a reader asks for
// may be gone then, and After says so. The reader reads the calendar anew, and goes on from the present.
//
// Files:
//
//	journal.go    what is heard of a member, and what readers get
//	segments.go   the files of events
//	delivered.go  up to where webhooks have heard
package journal

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/bookahead/bookahead/desk"
)

// Event is an event of the desk, without the places before and after.
type Event struct {
	desk.Event
	// By is who has asked for it; "" for what time brings.
	By string `json:",omitempty"`
	// On are the schedules of the places before and after, if the event has moved a booking.
	On []string `json:",omitempty"`
}

// sizes bound a journal. Tests have small ones.
type sizes struct {
	recent      int // events that are kept in memory, at the least
	perRead     int // events that After returns, at the most
	perSegment  int // lines of a file
	maxSegments int // files
}

var usual = sizes{recent: 4096, perRead: 1024, perSegment: 4096, maxSegments: 256}

// ErrGone says that the journal does not have the events behind a number any more.
var ErrGone = errors.New("journal: the events behind this number are gone: read the calendar, and go on from the present")

// Journal is the events of a desk. Any number of goroutines may use it.
type Journal struct {
	mu        sync.Mutex
	list      []Event // all events behind held that are kept
	held      uint64
	last      uint64 // the number of the last event heard, also of one that is not kept
	files     segments
	delivered delivered
	changed   chan struct{} // closed, and made anew, when events come
	err       error
}

// Open opens the journal of a folder, or begins one. A file that is damaged, or cut off by a crash, is read as far as it is
// whole.
func Open(folder string) (*Journal, error) { return open(folder, usual) }

func open(folder string, z sizes) (*Journal, error) {
	err := os.MkdirAll(folder, 0o700)
	if err != nil {
		return nil, err
	}
	j := &Journal{files: segments{sizes: z, folder: folder}, changed: make(chan struct{})}
	err = errors.Join(j.files.find(), j.delivered.open(folder))
	if err != nil {
		return nil, err
	}
	starts := j.files.starts
	for i, start := range starts[max(0, len(starts)-2):] {
		if i == 0 {
			j.last, j.held = start-1, start-1
		}
		err = j.files.scan(start, func(number uint64, data []byte) bool {
			e, err := eventOf(data)
			if err == nil {
				j.hear(number, e)
			}
			return err == nil
		})
		if err != nil {
			return nil, err
		}
	}
	return j, nil
}

// eventOf reads an event; nil for no bytes.
func eventOf(data []byte) (*Event, error) {
	if len(data) == 0 {
		return nil, nil
	}
	e := new(Event)
	return e, json.Unmarshal(data, e)
}

// hear takes the event of a number, or nil if that event is not kept. It reports whether the number is new, and whether it
// follows the last one. If it does not, this member was sent a snapshot instead of the entries, or a disk has lost lines.
func (j *Journal) hear(number uint64, e *Event) (isNew, follows bool) {
	if number <= j.last {
		return false, true
	}
	follows = number == j.last+1
	if !follows {
		j.list, j.held = nil, number-1
	}
	j.last = number
	if e != nil {
		j.list = append(j.list, *e)
	}
	if n := j.files.recent; len(j.list) >= 2*n {
		j.held = j.list[n-1].Number
		j.list = slices.Clone(j.list[n:])
	}
	return true, follows
}

// Applied is the hook of a member: it hears of each command, in order, and after a restart of some commands again. It writes to
// the cache of the disk, and waits for nothing. The clock that advances is no event for readers.
func (j *Journal) Applied(_ uint64, c desk.Command, out desk.Outcome) {
	by := ""
	g, ok := c.(desk.Given)
	if ok {
		by = g.By
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	var err error
	if ok && g.Command == nil {
		err = j.delivered.note(by)
	}
	news, wrote := false, false
	for i := range out.Events {
		e := kept(&out.Events[i], by)
		isNew, follows := j.hear(out.Events[i].Number, e)
		if isNew {
			err = errors.Join(err, j.files.write(out.Events[i].Number, e, follows))
			wrote, news = true, news || e != nil
		}
	}
	if wrote {
		err = errors.Join(err, j.files.flush())
	}
	if wrote || err != nil {
		j.err = err // the next write shows whether the disk works again
	}
	if news {
		close(j.changed)
		j.changed = make(chan struct{})
	}
}

// kept returns what is kept of an event; nil for nothing.
func kept(e *desk.Event, by string) *Event {
	if e.What == desk.WasAdvanced {
		return nil
	}
	k := &Event{Event: *e, By: by}
	for _, p := range slices.Concat(e.Before, e.After) {
		if !slices.Contains(k.On, p.On) {
			k.On = append(k.On, p.On)
		}
	}
	k.Before, k.After = nil, nil // of thousands of nodes, maybe
	return k
}

// After returns some events behind a number, in order, and a channel that is closed when there are more. Without events there are
// none up to now. The error is ErrGone if the journal does not have all events behind the number. Files are read
// without the lock, so that a reader of old events does not stop the member.
func (j *Journal) After(number uint64) (list []Event, more <-chan struct{}, err error) {
	for {
		j.mu.Lock()
		more = j.changed
		held, starts := j.held, j.files.starts
		if number >= held {
			list = j.behind(number)
			j.mu.Unlock()
			return list, more, nil
		}
		starts = slices.Clone(starts)
		j.mu.Unlock()
		list, number = j.files.read(starts, number)
		switch {
		case len(list) > 0:
			return list, more, nil
		case number < held:
			return nil, more, ErrGone
		}
	}
}

// behind returns some events of the list.
func (j *Journal) behind(number uint64) []Event {
	i, found := slices.BinarySearchFunc(j.list, number, func(e Event, n uint64) int { return cmp.Compare(e.Number, n) })
	if found {
		i++
	}
	return slices.Clone(j.list[i:min(len(j.list), i+j.files.perRead)])
}

// Last returns the number of the last event; 0 if there is none.
func (j *Journal) Last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// Err returns why the last event could not be written; nil if it was. The journal goes on in memory meanwhile, and no booking
// depends on it.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// DeliveredTo returns the number up to which a webhook has heard of all events, as far as the log says; ok is false if it says
// nothing.
func (j *Journal) DeliveredTo(hook string) (number uint64, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	number, ok = j.delivered.to[hook]
	return number, ok
}

// Close ends the journal.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.files.close()
}
