package bookahead_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// save puts a snapshot in the place of the file. Whenever the machine stops, the file has the old
// snapshot or the new one, and never a part of one.
func save(s bookahead.Schedule, name string) error {
	data, err := bookahead.Snapshot(s)
	if err != nil {
		return err
	}
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // the bytes are on the disk before the name points to them
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close()) // and so is the new name
}

// A schedule in a file that survives a crash.
func ExampleSnapshot() {
	folder, err := os.MkdirTemp("", "beds")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "beds")

	beds, _ := carts.NewIndexed(12, carts.Config{Horizon: 365})
	_, _ = beds.Reserve(bookahead.At(3, 7, 4))
	fmt.Println(save(beds, name))

	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	var restored carts.Indexed
	fmt.Println(restored.UnmarshalBinary(data))
	fmt.Println(restored.Reservation(1))
	// Output:
	// <nil>
	// <nil>
	// #1 [3, 10) 4 <nil>
}
