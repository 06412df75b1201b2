package trial

import (
	"fmt"
	"path/filepath"
)

// File is the path of the only file in a folder whose name matches a pattern.
func File(folder, pattern string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		return "", err
	}
	if len(paths) != 1 {
		return "", fmt.Errorf("%d files %s in %s, want one", len(paths), pattern, folder)
	}
	return paths[0], nil
}
