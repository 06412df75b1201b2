package desk

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// jsonWriter writes fields with their names.
type jsonWriter struct {
	b     []byte
	comma bool   // before the next field or item
	lists []bool // under way: whether each is written
	err   error
}

func (w *jsonWriter) reads() bool { return false }

// name writes the name of a field, or nothing for an item.
func (w *jsonWriter) name(name string) {
	if w.comma {
		w.b = append(w.b, ',')
	}
	w.comma = true
	if name != "" {
		w.b = strconv.AppendQuote(w.b, name) // names are ASCII
		w.b = append(w.b, ':')
	}
}

func (w *jsonWriter) number(name string, n, usual int64) int64 {
	if name != "" && n == usual {
		return n
	}
	w.name(name)
	w.b = strconv.AppendInt(w.b, n, 10)
	return n
}

func (w *jsonWriter) count(name string, n uint64) uint64 {
	if n > snapshot.MaxID {
		w.fail(name, n, "is more than can be read back")
	}
	if n == 0 {
		return n
	}
	w.name(name)
	w.b = strconv.AppendUint(w.b, n, 10)
	return n
}

func (w *jsonWriter) text(name string, s *string) {
	if name != "" && *s == "" {
		return
	}
	w.name(name)
	w.b = appendText(w.b, *s)
}

// appendText appends a text as JSON: a string, or {"base64":"..."} if it is no UTF-8.
func appendText(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		b = append(b, `{"base64":"`...)
		b = base64.StdEncoding.AppendEncode(b, []byte(s))
		return append(b, `"}`...)
	}
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be written
	return append(b, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

func (w *jsonWriter) word(name string, n *uint8, words []string) {
	if *n == 0 || int(*n) >= len(words) {
		w.fail(name, *n, "is unknown")
		return
	}
	w.text(name, &words[*n])
}

func (w *jsonWriter) has(_ string, is bool) bool { return is }

func (w *jsonWriter) open(name string) {
	w.name(name)
	w.b, w.comma = append(w.b, '{'), false
}

func (w *jsonWriter) close() { w.b, w.comma = append(w.b, '}'), true }

func (w *jsonWriter) list(name string, n int, seen bool) int {
	written := n > 0 || seen || name == ""
	w.lists = append(w.lists, written)
	if written {
		w.name(name)
		w.b, w.comma = append(w.b, '['), false
	}
	return n
}

func (w *jsonWriter) end() {
	last := len(w.lists) - 1
	if w.lists[last] {
		w.b, w.comma = append(w.b, ']'), true
	}
	w.lists = w.lists[:last]
}

func (w *jsonWriter) fail(name string, value any, reason string) {
	if w.err == nil {
		w.err = limits.Invalid(name, value, reason)
	}
}

func (w *jsonWriter) ok() bool { return w.err == nil }
