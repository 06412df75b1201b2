package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// delivered is up to which number each webhook has heard. The log of the desk says so, in notes, and a file keeps it: a member that
// starts reads only the end of its log again.
type delivered struct {
	file string
	to   map[string]uint64
}

func (d *delivered) open(folder string) error {
	d.file, d.to = filepath.Join(folder, "delivered.json"), map[string]uint64{}
	data, err := os.ReadFile(d.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if json.Unmarshal(data, &d.to) != nil || d.to == nil {
		d.to = map[string]uint64{} // the webhooks tell their receivers that they begin anew
	}
	return nil
}

// note takes a note of the log, if it is one about a webhook.
func (d *delivered) note(text string) error {
	hook, number, ok := readDelivered(text)
	before, known := d.to[hook]
	if !ok || known && number <= before {
		return nil
	}
	d.to[hook] = number
	data, err := json.Marshal(d.to)
	if err == nil {
		err = os.WriteFile(d.file+".tmp", data, 0o600)
	}
	if err == nil {
		err = os.Rename(d.file+".tmp", d.file)
	}
	return err
}

// Delivered returns the text of a note that a webhook has heard of all events up to a number.
func Delivered(hook string, number uint64) string {
	return fmt.Sprintf("delivered %d to %s", number, hook)
}

func readDelivered(text string) (hook string, number uint64, ok bool) {
	rest, is := strings.CutPrefix(text, "delivered ")
	digits, hook, both := strings.Cut(rest, " to ")
	number, err := strconv.ParseUint(digits, 10, 64)
	return hook, number, is && both && err == nil
}
