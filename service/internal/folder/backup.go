package folder

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/office"
)

// head is the first line of a backup, in JSON. The bytes of the desk follow, with sums of their own: the last of them
// marks the end, so that a backup that is cut off is no backup.
type head struct {
	Form    string    `json:"form"`
	Version int       `json:"version"`
	Epoch   time.Time `json:"epoch"` // of tick 0
	Tick    string    `json:"tick"`
	Now     time.Time `json:"now"` // the clock of the desk
}

const (
	form    = "bookahead backup"
	version = 1
	maxHead = 4096
)

// WriteBackup writes a desk, with the settings of a file that a service with that desk must have. It takes O(n) for n bookings, and
// no lock: commands go on meanwhile.
func WriteBackup(w io.Writer, c *config.Config, d *desk.Desk) error {
	clock := c.Clock()
	now, err := clock.Wall(d.Now())
	if err != nil {
		return err
	}
	line, err := json.Marshal(head{form, version, clock.Epoch, clock.Tick.String(), now})
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	_, err = out.Write(append(line, '\n'))
	if err == nil {
		_, err = d.WriteTo(out)
	}
	return errors.Join(err, out.Flush())
}

// begin reads the head of a backup, and returns the reader of the desk. The error says which setting of the file is another.
func begin(from io.Reader, c *config.Config) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(from, maxHead)
	line, err := in.ReadSlice('\n')
	var h head
	if err != nil || json.Unmarshal(line, &h) != nil || h.Form != form {
		return nil, errors.New("these bytes are no backup of bookahead")
	}
	clock := c.Clock()
	switch {
	case h.Version != version:
		return nil, fmt.Errorf("the backup has version %d, and this program reads version %d", h.Version, version)
	case !h.Epoch.Equal(clock.Epoch):
		return nil, fmt.Errorf("the backup has the epoch %v, and the file has %v: they must be the same", h.Epoch, clock.Epoch)
	case h.Tick != clock.Tick.String():
		return nil, fmt.Errorf("the backup has the tick %s, and the file has %v: they must be the same", h.Tick, clock.Tick)
	}
	return in, nil
}

// ReadBackup reads a backup to its end.
func ReadBackup(from io.Reader, c *config.Config) (*desk.Desk, error) {
	in, err := begin(from, c)
	if err != nil {
		return nil, err
	}
	return desk.Read(in, desk.Config{Keep: c.Ticks(c.Keep.Time())})
}

// warnings hears of repairs in a folder, and not of the usual.
var warnings = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))

// Open returns the desk in the folder of a service that is stopped.
func Open(c *config.Config) (*desk.Desk, error) {
	s, err := office.Settings(c)
	if err != nil {
		return nil, err
	}
	s.Log = warnings
	v, err := replicated.Inspect(s)
	return v.Desk, err
}

// Restore makes the folder of a service from a backup. Of several members each gets a folder from the same backup, before the
// first is started. The error says that the folder is not empty, or what is wrong with the backup.
func Restore(c *config.Config, from io.Reader) error {
	files, err := os.ReadDir(c.Folder)
	switch {
	case len(files) > 0:
		return fmt.Errorf("the folder %s is not empty: a service begins from a backup in a new folder", c.Folder)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	in, err := begin(from, c)
	if err != nil {
		return err
	}
	s, err := office.Settings(c)
	if err != nil {
		return err
	}
	s.Log = warnings
	err = os.MkdirAll(c.Folder, 0o700)
	if err != nil {
		return err
	}
	return replicated.Begin(s, in)
}

// Save writes a file of its own, which has its name once it is whole and on the disk.
func Save(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".new-") // mode 0600
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
