package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the most bytes of a name of an owner or a group.
const maxName = 256

// CheckName checks the name of an owner, a group or a schedule: 1 to 256 bytes of UTF-8 that can be seen, so that no two names look
// alike by marks that turn the direction of writing or show nothing.
func CheckName(name string) error {
	switch {
	case name == "" || len(name) > maxName:
		return fmt.Errorf("has %d bytes, and a name has 1 to %d", len(name), maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, hidden):
		return fmt.Errorf("%q has bytes or characters that cannot be seen", name)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("%q begins or ends with a space", name)
	}
	return nil
}

// hidden reports whether a character is a control, a mark without a picture, or an end of a line.
func hidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
