package trial

import (
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
	f, err := os.Create(filepath.Join(folder, file))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := csv.NewWriter(f).WriteAll(rows); err != nil {
		return err
	}
	return f.Close()
}
