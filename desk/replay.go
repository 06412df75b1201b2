package desk

import (
	"fmt"
	"io"
	"strings"

	"github.com/bookahead/bookahead/internal/limits"
)

// Replay carries out the entries of a log as they were decided, and returns how many bytes from the start of the reader
// are good. The desk stands where the log begins, or further on: Replay passes over entries that the desk has already.
// Several logs may follow each other in one reader, in either form. After an error the desk has all entries before it:
//
//   - io.ErrUnexpectedEOF, wrapped, if the last frame is cut off, or only zeros follow. The caller may truncate the file
//     to the good bytes.
//   - bookahead.ErrInvalid, wrapped, if bytes have changed, an entry is missing, or the log is that of another desk. The
//     error has the number of the entry and the place.
//   - the error of the reader, wrapped.
//
// Unless each is nil, it gets each entry that changes the desk, with its outcome, once and in order: a notice that was
// lost in a crash can be sent again. The outcome is the one that Log.Do has returned. By then the desk may be a few
// hundred entries further on. The function may ask the desk; it must not change the desk, nor the slices that it gets.
//
// Queries may run beside Replay, and see the desk after some entry. There is no search: an entry takes the time of
// booking its places. O(n) for n bytes besides, and a clone of the desk for each batch of 512 entries.
func Replay(r io.Reader, d *Desk, each func(Entry, Outcome)) (good int64, err error) {
	p := replay{frames: newFrames(r, "log"), d: d, each: each}
	for err == nil {
		err = p.step()
	}
	end := p.flush()
	switch {
	case end != nil: // a pending entry comes before the frame that err is about
		err = end
	case err == io.EOF:
		err = nil
	}
	return p.good, err
}

// batch is how many entries are applied at once. More entries need fewer clones, fewer need less memory.
const (
	batch      = 512
	batchBytes = 1 << 20
)

// The first bytes of the lines of a JSON log: of its head, and of its entries.
const (
	beforeLog   = `{"log":`
	beforeEntry = `{"number":`
)

// replay reads a log.
type replay struct {
	*frames
	d     *Desk
	each  func(Entry, Outcome) // nil if nobody asks
	form  Form
	begun bool   // a head has been read
	last  uint64 // the last entry that was read
	good  int64  // bytes, up to the last entry that was applied

	pending []Entry
	ends    []int64 // where each pending entry ends
	bytes   int64   // how many bytes the pending entries have
}

// step reads a frame.
func (p *replay) step() error {
	what := "head"
	if p.begun {
		what = fmt.Sprintf("entry %d", p.last+1)
	}
	first, err := p.begin(what)
	if err != nil {
		return err
	}
	if first == '{' {
		return p.stepJSON()
	}
	mark, body, err := p.frame()
	switch {
	case err != nil:
		return err
	case mark == markLog:
		return p.head(body, Binary)
	case mark != markEntry:
		return p.damaged("mark", mark, "is none of a log")
	}
	return p.entry(body, Binary)
}

func (p *replay) stepJSON() error {
	var err error
	if p.begun && p.form == JSON {
		err = p.expect(beforeLog, beforeEntry)
	} else {
		err = p.expect(beforeLog)
	}
	if err != nil {
		return err
	}
	object, err := p.line()
	if err != nil {
		return err
	}
	if strings.HasPrefix(string(object[:min(len(beforeLog), len(object))]), beforeLog) {
		return p.head(object, JSON)
	}
	return p.entry(object, JSON)
}

// head reads the head of a log, and checks that the desk stands there, or further.
func (p *replay) head(body []byte, f Form) error {
	var h logHead
	var err error
	if f == JSON {
		err = readJSONObject(body, h.code)
	} else if !strings.HasPrefix(string(body), magic) {
		return p.damaged("head", "", "is that of no log")
	} else {
		err = readBinary("log", body[len(magic):], h.code)
	}
	if err == nil && h.Log != version {
		err = limits.Invalid("version", h.Log, fmt.Sprintf("is not %d, the one that is known", version))
	}
	if err != nil {
		return p.wrong(err)
	}
	err = p.flush()
	if err != nil {
		return err
	}
	is := p.d.head()
	switch {
	case h.Entries > is.Entries:
		return p.damaged("entries", h.Entries, fmt.Sprintf("come before it, and the desk has %d", is.Entries))
	case p.begun && h.Entries < p.last:
		return p.damaged("entries", h.Entries, fmt.Sprintf("come before it, and %d have been read", p.last))
	case h.Keep != is.Keep:
		return p.damaged("Config.Keep", h.Keep, fmt.Sprintf("is not that of the desk, %d", is.Keep))
	case h.Entries == is.Entries && h != *is:
		return p.damaged("state", h, fmt.Sprintf("is not that of the desk, %v", *is))
	}
	p.begun, p.form, p.last, p.good = true, f, h.Entries, p.next
	return nil
}

// entry reads an entry.
func (p *replay) entry(body []byte, f Form) error {
	if !p.begun || f != p.form {
		return p.damaged("head", f, "of this form is missing")
	}
	e, err := readEntry(body, f)
	if err != nil {
		return p.wrong(err)
	}
	if e.Number != p.last+1 {
		return p.damaged("Entry.Number", e.Number, fmt.Sprintf("does not follow %d", p.last))
	}
	p.last++
	p.pending, p.ends, p.bytes = append(p.pending, e), append(p.ends, p.next), p.bytes+p.next-p.at
	if len(p.pending) < batch && p.bytes < batchBytes {
		return nil
	}
	return p.flush()
}

// wrong returns an error about the content of a frame, with its place.
func (p *replay) wrong(err error) error {
	return fmt.Errorf("desk: log: %s at byte %d: %w", p.what, p.at, err)
}

// flush applies the pending entries.
func (p *replay) flush() error {
	n, out, err := p.d.applyAll(p.pending)
	if n > 0 {
		p.good = p.ends[n-1]
	}
	if p.each != nil {
		for i, e := range p.pending[n-len(out) : n] {
			p.each(e, out[i])
		}
	}
	if err != nil {
		err = fmt.Errorf("desk: log: entry %d at byte %d: %w", p.pending[n].Number, p.good, err)
	}
	p.pending, p.ends, p.bytes = p.pending[:0], p.ends[:0], 0
	return err
}

// applyAll applies entries, and passes over the first ones if the desk has them already. It returns how many of the list
// the desk has afterwards, and the outcomes of those that were applied. After an error the desk has the entries before it.
func (d *Desk) applyAll(list []Entry) (n int, out []Outcome, err error) {
	d.doing.Lock()
	defer d.doing.Unlock()
	had := 0
	for had < len(list) && list[had].Number <= d.b.entries {
		had++
	}
	if had == len(list) {
		return had, nil, nil
	}
	c := d.b.clone()
	out, err = c.applyAll(list[had:])
	if err != nil {
		n = len(out)
		c = d.b.clone()
		again, failed := c.applyAll(list[had : had+n])
		if failed != nil {
			return had, nil, misfit(failed) // the same writes went well a moment ago: a schedule of the caller's own has failed
		}
		out = again
	}
	d.become(c)
	return had + len(out), out, misfit(err)
}

// applyAll applies entries up to the first that fails, and returns the outcomes. After an error the caller throws the
// books away.
func (b *books) applyAll(list []Entry) (out []Outcome, err error) {
	for i := range list {
		o, err := b.apply(&list[i])
		if err != nil {
			return out, err
		}
		out = append(out, o)
	}
	return out, nil
}
