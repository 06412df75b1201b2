package gantt

import (
	"strings"
	"unicode"
)

// How wide letters of 11 pixels are, in most fonts rather more than less.
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

// measure returns about how wide s is.
func measure(s string) int {
	width := 0
	for _, r := range s {
		width += letterWidth(r)
	}
	return width
}

// fit shortens s to a width; to nothing, if not even a letter has room.
func fit(s string, width int) string {
	end, at := 0, 0 // where s is cut if it must be, and how wide it is so far
	for i, r := range s {
		if at+wideLetter <= width {
			end = i
		}
		if at += letterWidth(r); at > width {
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
		if n++; n == letters {
			end = i
		}
		if n > letters {
			return s[:end] + "…"
		}
	}
	return s
}
