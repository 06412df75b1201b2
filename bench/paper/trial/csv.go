package trial

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
)

// Row is a row of a table: names first, then numbers, to six digits.
func Row(names []string, numbers ...float64) []string {
	row := names
	for _, x := range numbers {
		row = append(row, strconv.FormatFloat(x, 'g', 6, 64))
	}
	return row
}

// WriteCSV writes a table to a file in a folder, which it makes if it is not there.
// It does nothing if the folder is "".
func WriteCSV(folder, file string, rows [][]string) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, file), text.Bytes(), 0o644)
}
