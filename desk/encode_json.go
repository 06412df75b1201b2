package desk

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
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

// jsonReader reads the fields of JSON in any order. A field that nobody reads is an error, since its content would be lost.
type jsonReader struct {
	root   any
	levels []level
	err    error
}

// level is an object or a list that the reader is within.
type level struct {
	name   string
	fields map[string]any // of an object, those that are left
	items  []any          // of a list, those that are left
	past   int            // how many items were read
	isList bool
}

// readJSON returns a reader of one value.
func readJSON(data []byte) *jsonReader {
	r := &jsonReader{}
	if !utf8.Valid(data) {
		r.fail("", len(data), "bytes are no UTF-8")
		return r
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err := d.Decode(&r.root)
	if err != nil {
		r.fail("", err.Error(), "is an error of JSON")
		return r
	}
	_, err = d.Token()
	if err != io.EOF {
		r.fail("", d.InputOffset(), "is not the end of the bytes")
	}
	return r
}

func (r *jsonReader) reads() bool { return true }

// take returns a field of the object under way, or the next item of the list, and false if there is none.
func (r *jsonReader) take(name string) (v any, ok bool) {
	if !r.ok() {
		return nil, false
	}
	if len(r.levels) == 0 {
		return r.root, true
	}
	l := &r.levels[len(r.levels)-1]
	if !l.isList {
		v, ok = l.fields[name]
		delete(l.fields, name)
		return v, ok
	}
	if len(l.items) == 0 {
		return nil, false
	}
	v, l.items = l.items[0], l.items[1:]
	l.past++
	return v, true
}

func (r *jsonReader) number(name string, _, usual int64) int64 {
	n := usual
	v, ok := r.take(name)
	if ok {
		n = r.parse(name, v)
	}
	if !r.ok() {
		return 0
	}
	return n
}

func (r *jsonReader) parse(name string, v any) int64 {
	digits, ok := v.(json.Number)
	if !ok {
		r.fail(name, kindOfJSON(v), "is no number")
		return 0
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		r.fail(name, string(digits), "is no whole number of 64 bits")
	}
	return n
}

func (r *jsonReader) count(name string, _ uint64) uint64 {
	v, ok := r.take(name)
	if !ok {
		return 0
	}
	digits, _ := v.(json.Number)
	number, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil || number > snapshot.MaxID {
		r.fail(name, v, fmt.Sprintf("is no number from 0 to %d", uint64(snapshot.MaxID)))
		return 0
	}
	return number
}

func (r *jsonReader) text(name string, s *string) {
	*s = ""
	v, ok := r.take(name)
	if !ok {
		return
	}
	switch v := v.(type) {
	case string:
		*s = v
		return
	case map[string]any:
		coded, ok := v["base64"].(string)
		if ok && len(v) == 1 {
			b, err := base64.StdEncoding.Strict().DecodeString(coded)
			if err != nil {
				r.fail(name, err.Error(), "is an error of base64")
			}
			*s = string(b)
			return
		}
	}
	r.fail(name, kindOfJSON(v), `is no string, nor {"base64":"..."}`)
}

func (r *jsonReader) word(name string, n *uint8, words []string) {
	var text string
	r.text(name, &text)
	*n = uint8(max(0, slices.Index(words, text)))
	if *n == 0 {
		r.fail(name, strconv.Quote(text), "is unknown")
	}
}

func (r *jsonReader) has(name string, _ bool) bool {
	if !r.ok() || len(r.levels) == 0 {
		return false
	}
	_, ok := r.levels[len(r.levels)-1].fields[name]
	return ok
}

func (r *jsonReader) open(name string) {
	v, ok := r.take(name)
	fields, isObject := v.(map[string]any)
	if ok && !isObject {
		r.fail(name, kindOfJSON(v), "is no object")
	}
	r.levels = append(r.levels, level{name: name, fields: fields})
}

func (r *jsonReader) close() {
	l := r.levels[len(r.levels)-1]
	if len(l.fields) > 0 && r.ok() {
		r.fail(slices.Min(slices.Collect(maps.Keys(l.fields))), "a field", "is not known here")
	}
	r.levels = r.levels[:len(r.levels)-1]
}

func (r *jsonReader) list(name string, _ int, _ bool) int {
	v, ok := r.take(name)
	items, isList := v.([]any)
	if ok && !isList {
		r.fail(name, kindOfJSON(v), "is no list")
	}
	r.levels = append(r.levels, level{name: name, items: items, isList: true})
	return len(items)
}

func (r *jsonReader) end() { r.levels = r.levels[:len(r.levels)-1] }

// fail notes an error, with the way to the field: "JSON: command.shapes[0][1].units".
func (r *jsonReader) fail(name string, value any, reason string) {
	if r.err != nil {
		return
	}
	at := ""
	for i, l := range r.levels {
		if i > 0 && !r.levels[i-1].isList {
			at += "." + l.name
		}
		if l.isList {
			at += fmt.Sprintf("[%d]", max(0, l.past-1))
		}
	}
	if name != "" {
		at += "." + name
	}
	if at == "" {
		at = ".value"
	}
	r.err = limits.Invalid("JSON: "+at[1:], value, reason)
}

func (r *jsonReader) ok() bool { return r.err == nil }

// kindOfJSON names the kind of a value in an error, instead of the value, which may be long.
func kindOfJSON(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a bool"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	}
	return "an object"
}

// appendJSON appends an object to some bytes.
func appendJSON(b []byte, code func(coder)) ([]byte, error) {
	w := &jsonWriter{b: b}
	w.open("")
	code(w)
	w.close()
	return w.b, w.err
}

// readJSONObject reads the output of appendJSON.
func readJSONObject(data []byte, code func(coder)) error {
	r := readJSON(data)
	r.open("")
	code(r)
	r.close()
	return r.err
}
