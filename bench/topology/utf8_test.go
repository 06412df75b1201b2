package topology

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestErrorsAreText: errors are valid UTF-8, wherever a long name is cut.
func TestErrorsAreText(t *testing.T) {
	for _, text := range []string{
		"<graphml><graph>" + strings.Repeat("é", 40) + "</" + strings.Repeat("é", 40) + ">",
		"<graphml><" + strings.Repeat("é", 40) + "></x>",
		"<graphml><a" + strings.Repeat("é", 40) + "></x>",
	} {
		_, err := ReadGraphML(strings.NewReader(text))
		if err == nil || !utf8.ValidString(err.Error()) {
			t.Errorf("%q", err)
		}
	}
}
