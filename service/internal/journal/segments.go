package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// segments are the files of a journal. Each is named by its first number, and its lines count up from there:
//
//	000000000000000001.jsonl    1 {"Number":1,...}    an event
//	                            2                     the number of an event that is not kept
//	                            ...
//	000000000000004097.jsonl    4097 {...}            goes on where the file before ends
//	000000000000009000.jsonl    9000 {...}            does not: events are missing
//
// A file is only appended to, so it may be read while it is written. A line counts once its end is there.
type segments struct {
	sizes
	folder string
	starts []uint64 // of the files, in order
	file   *os.File // the last one, once it was begun
	w      *bufio.Writer
	lines  int // in file
}

const suffix = ".jsonl"

// find finds the files of the folder.
func (s *segments) find() error {
	entries, err := os.ReadDir(s.folder)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), suffix)
		n, wrong := strconv.ParseUint(name, 10, 64)
		if ok && wrong == nil && n > 0 && s.path(n) == filepath.Join(s.folder, e.Name()) {
			s.starts = append(s.starts, n)
		}
	}
	slices.Sort(s.starts)
	return err
}

func (s *segments) path(start uint64) string {
	return filepath.Join(s.folder, fmt.Sprintf("%018d%s", start, suffix))
}

// write writes the line of a number, in a new file if the present one is full or ends before another number. After an error
// the next line begins a file, too.
func (s *segments) write(number uint64, e *Event, follows bool) error {
	if s.file == nil || s.lines >= s.perSegment || !follows {
		err := s.begin(number)
		if err != nil {
			return err
		}
	}
	line := strconv.AppendUint(nil, number, 10)
	if e != nil {
		data, err := json.Marshal(e)
		if err != nil {
			return errors.Join(err, s.close())
		}
		line = append(append(line, ' '), data...)
	}
	s.lines++
	_, err := s.w.Write(append(line, '\n'))
	if err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

// begin begins a file. Files from the same number on are empty or were cut off, and make room; so do the oldest.
func (s *segments) begin(start uint64) error {
	err := s.close()
	n := len(s.starts)
	for ; n > 0 && s.starts[n-1] >= start; n-- {
		err = errors.Join(err, s.remove(s.starts[n-1]))
	}
	s.starts = slices.Clone(s.starts[:n]) // a reader may have the old ones
	for ; len(s.starts) >= s.maxSegments; s.starts = s.starts[1:] {
		err = errors.Join(err, s.remove(s.starts[0]))
	}
	file, wrong := os.OpenFile(s.path(start), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if wrong != nil {
		return errors.Join(err, wrong)
	}
	s.file, s.w, s.lines = file, bufio.NewWriter(file), 0
	s.starts = append(s.starts, start)
	return err
}

func (s *segments) remove(start uint64) error {
	err := os.Remove(s.path(start))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (s *segments) flush() error {
	if s.file == nil {
		return nil
	}
	err := s.w.Flush()
	if err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

func (s *segments) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.w.Flush(), s.file.Close())
	s.file, s.w = nil, nil
	return err
}

// scan yields the lines of a file, until one is not whole or yield returns false.
func (s *segments) scan(start uint64, yield func(number uint64, data []byte) bool) error {
	data, err := os.ReadFile(s.path(start))
	for line := range bytes.Lines(data) {
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		digits, event, _ := bytes.Cut(text, []byte(" "))
		number, wrong := strconv.ParseUint(string(digits), 10, 64)
		if !whole || wrong != nil || !yield(number, event) {
			break
		}
	}
	return err
}

// read returns some events behind a number, and how far the files go on without a gap as far as they were read: they have no
// other event up to there. It needs no lock.
func (s *segments) read(starts []uint64, number uint64) (list []Event, upTo uint64) {
	i, found := slices.BinarySearch(starts, number+1) // some number is greater, so this does not overflow
	if !found {
		i--
	}
	if i < 0 {
		return nil, number
	}
	next := starts[i]
	for _, start := range starts[i:] {
		if start != next {
			break
		}
		err := s.scan(start, func(n uint64, data []byte) bool {
			if n != next {
				return false
			}
			if n > number && len(data) > 0 {
				e, err := eventOf(data)
				if err != nil {
					return false
				}
				list = append(list, *e)
			}
			next++
			return len(list) < s.perRead
		})
		if err != nil || len(list) == s.perRead {
			break
		}
	}
	return list, max(number, next-1)
}
