package desk_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/bookahead/bookahead/desk"
)

// store is a desk in a folder: a snapshot, and the log of all commands since.
type store struct {
	folder string
	file   *os.File
	desk   *desk.Desk
	log    *desk.Log
	unsent []desk.Event // the events whose notices were not sent before a crash
}

// openStore rebuilds the desk. The notices of events up to the number sent were sent.
func openStore(folder string, c desk.Config, sent uint64) (*store, error) {
	s := &store{folder: folder}
	var err error
	s.desk, err = readSnapshot(filepath.Join(folder, "snapshot"), c)
	if err != nil {
		return nil, err
	}
	s.file, err = os.OpenFile(filepath.Join(folder, "log"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	good, err := desk.Replay(s.file, s.desk, func(_ desk.Entry, out desk.Outcome) {
		for _, e := range out.Events {
			if e.Number > sent {
				s.unsent = append(s.unsent, e)
			}
		}
	})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		fmt.Println("a torn write is cut off")
		err = s.file.Truncate(good)
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err == nil {
		err = syncFolder(folder) // the log file may be new
	}
	if err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	s.log = desk.NewLog(s.desk, synced{s.file})
	return s, nil
}

func readSnapshot(name string, c desk.Config) (*desk.Desk, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return desk.New(c)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return desk.Read(f, c)
}

// synced is a file of which each Write is on the disk when it returns.
type synced struct{ *os.File }

func (f synced) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return n, err
}

// compact puts a snapshot in the place of the log. No command is under way meanwhile, and all notices are sent.
func (s *store) compact() error {
	temporary := filepath.Join(s.folder, "snapshot.new")
	f, err := os.Create(temporary)
	if err != nil {
		return err
	}
	_, err = s.desk.WriteTo(f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temporary, filepath.Join(s.folder, "snapshot"))
	}
	if err == nil {
		err = syncFolder(s.folder)
	}
	if err == nil { // a crash before this leaves entries that Replay passes over
		err = s.file.Truncate(0)
	}
	if err == nil {
		err = s.file.Sync()
	}
	s.log = desk.NewLog(s.desk, synced{s.file})
	return err
}

func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// A desk that survives crashes and restarts.
func ExampleLog() {
	folder, err := os.MkdirTemp("", "desk")
	check(err)
	defer os.RemoveAll(folder)
	config := desk.Config{Keep: 1000}
	book := desk.Book{Key: "job 1", Request: desk.Request{
		Owner: "ann", Shapes: []desk.Shape{{{On: "gpus", Units: 8, Duration: 60}}},
	}}

	s, err := openStore(folder, config, 0)
	check(err)
	out, err := s.log.Do(desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}})
	check(err)
	sent := out.Events[0].Number // a service keeps it in a file
	out, err = s.log.Do(book)
	check(err)
	fmt.Println(out.Booking)
	_, err = s.file.WriteString("E\x40") // the machine stops in the middle of a write, and ann was told nothing
	check(err)
	check(s.file.Close())

	s, err = openStore(folder, config, sent)
	check(err)
	for _, e := range s.unsent {
		fmt.Printf("to %s: #%d %v\n", e.Owner, e.Booking, e.What)
		sent = e.Number
	}
	out, err = s.log.Do(book) // asked again
	check(err)
	fmt.Println(out.Booking, len(out.Events), "events")
	check(s.compact())
	_, err = s.log.Do(desk.Advance{Now: 10})
	check(err)
	check(s.file.Close())

	s, err = openStore(folder, config, sent) // from the snapshot and the log
	check(err)
	out, err = s.log.Do(desk.End{ID: 1})
	check(err)
	fmt.Println(out.Booking, "at", s.desk.Now())
	check(s.file.Close())
	// Output:
	// #1 running [0, 60)
	// a torn write is cut off
	// to ann: #1 booked
	// to ann: #1 started
	// #1 running [0, 60) 0 events
	// #1 ended [0, 10) at 10
}

// check ends the example on an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
