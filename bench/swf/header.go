package swf

import (
	"strconv"
	"strings"
)

// Header has the comments before the first job, in order and without their
// semicolons.
type Header struct {
	Comments []string
}

// Get returns the value of the first comment of the form "key: value". The case of
// the key must match; space around key and value is ignored.
func (h Header) Get(key string) (string, bool) {
	for _, c := range h.Comments {
		k, v, ok := strings.Cut(c, ":")
		if ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v), true
		}
	}
	return "", false
}

// Int returns the number with which the value of a comment begins, such as
// 338 for "MaxNodes: 338 (batch partition; 512 total)". If there is no number, or
// the number is Unknown, Int returns Unknown and false.
func (h Header) Int(key string) (int64, bool) {
	v, _ := h.Get(key)
	words := strings.Fields(v)
	if len(words) == 0 {
		return Unknown, false
	}
	n, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil || n == Unknown {
		return Unknown, false
	}
	return n, true
}
