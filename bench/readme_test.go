package bench_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBenchmarksOfREADMERunAlone: a benchmark that the README names does not run all
// tests first.
func TestBenchmarksOfREADMERunAlone(t *testing.T) {
	for _, path := range []string{"../README.md", "README.md"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		commands := regexp.MustCompile("go test [^`\n]*-bench [^`\n]*").FindAllString(string(text), -1)
		require.NotEmpty(t, commands, path)
		for _, c := range commands {
			require.Contains(t, c, "-run '^$'", path)
		}
	}
}
