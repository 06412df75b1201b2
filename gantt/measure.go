package gantt

import (
	"strings"
	"unicode"
)

// Widths of letters in a font of 11 pixels. In most fonts letters are narrower.
const (
	narrowLetter = 9 * px / 2
	letter       = 7 * px
	wideLetter   = 11 * px
)

func letterWidth(r rune) int {
	switch {
	case strings.ContainsRune("fijlrtI.,:;'|!()[]- ", r):
		return narrowLetter
	case strings.ContainsRune("MWmw@%…", r), r >= 0x1100: // ideographs and the like
		return wideLetter
	case unicode.IsUpper(r):
		return letter + px
	}
	return letter
}

// measure returns the approximate width of s.
func measure(s string) int {
	width := 0
	for _, r := range s {
		width += letterWidth(r)
	}
	return width
}

// fit shortens s to a width; to nothing if not even one letter has room.
func fit(s string, width int) string {
	end, at := 0, 0 // the place at which s would be cut, and the width of s so far
	for i, r := range s {
		if at+wideLetter <= width {
			end = i
		}
		at += letterWidth(r)
		if at > width {
			if end == 0 {
				return ""
			}
			return s[:end] + "…"
		}
	}
	return s
}

// cut shortens s to so many letters.
func cut(s string, letters int) string {
	n, end := 0, 0
	for i := range s {
		n++
		if n == letters {
			end = i
		}
		if n > letters {
			return s[:end] + "…"
		}
	}
	return s
}
