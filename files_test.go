package bookahead_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fileList matches the words before a list of files.
var fileList = regexp.MustCompile(`Read the files|# Files`)

// TestFileListsAreComplete checks that a package whose comments list its files names each of them,
// apart from doc.go and the tests.
func TestFileListsAreComplete(t *testing.T) {
	lists := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		text, names := listOf(t, dir)
		if text == "" {
			return nil
		}
		lists++
		for _, name := range names {
			named := regexp.MustCompile(`\b` + regexp.QuoteMeta(name))
			if !named.MatchString(text) {
				t.Errorf("%s is not in its package's list of files", path.Join(dir, name))
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, lists, 5)
}

// listOf returns the comments of the files of a package that list files, and the names that must
// be in a list.
func listOf(t *testing.T, dir string) (text string, names []string) {
	for name, file := range parsePackage(t, filepath.FromSlash(dir)) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if name != "doc.go" {
			names = append(names, name)
		}
		for _, c := range file.Comments {
			if fileList.MatchString(c.Text()) {
				text += c.Text()
			}
		}
	}
	return text, names
}
