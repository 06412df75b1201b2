package replicated

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
)

// Begin makes the folder Config.Dir from the bytes of a desk, as View.WriteTo and desk.Desk.WriteTo write them. A member that
// Open opens over the folder goes on with that desk: it has the same bookings, keys and numbers, and its first clock may jump.
// Sessions begin anew. The Config is that of Open.
//
// Where several members shall go on, Begin makes the folder of each, from the same bytes and with the same Peers, before the
// first of them is opened. The folder of a member whose desk has gone on must not be made so again, since that member would
// forget what it has acknowledged: Remove and Add it. The bytes determine the ID of the desk, so that members which have
// begun with different bytes never mix.
//
// The error wraps bookahead.ErrInvalid if Config.Dir is not empty, if Peers do not have this member among those who vote, or
// if the bytes are not those of a desk with the settings of Config.Desk. Begin leaves no folder after an error.
func Begin(c Config, from io.Reader) error {
	c, err := c.withDefaults(false)
	if err != nil {
		return err
	}
	address := cmp.Or(c.known(), c.Bind, c.ID)
	if c.Transport != nil {
		address = string(c.Transport.LocalAddr())
	}
	servers := c.firstMembers(address)
	if servers == nil {
		return limits.Invalid("Config.Peers", c.Peers, fmt.Sprintf("do not have %q among those who vote: it gets its state by Add", c.ID))
	}
	files, err := os.ReadDir(c.Dir)
	switch {
	case err == nil && len(files) > 0:
		return limits.Invalid("Config.Dir", c.Dir, "is not empty")
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	sum := sha256.New()
	d, err := desk.Read(io.TeeReader(from, sum), c.Desk)
	if err != nil {
		return err
	}
	id := max(1, binary.LittleEndian.Uint64(sum.Sum(nil)))
	state := &image{
		imageHead: imageHead{version: Version, index: 1, agreed: withDesk(c.agreedSettings(), id)},
		sessions:  newSessionTable(), desk: d, written: func(int64, time.Duration) {},
	}
	return c.publish(state, id, raft.Configuration{Servers: servers})
}

// publish writes a state as a snapshot into a folder beside Config.Dir, and gives the folder its name once it is whole.
func (c *Config) publish(state *image, id uint64, members raft.Configuration) (err error) {
	dir := filepath.Clean(c.Dir)
	err = os.MkdirAll(filepath.Dir(dir), 0o755)
	if err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	d, err := openDisk(made, c.Log)
	if err != nil {
		return err
	}
	err = cmp.Or(d.stable.SetUint64([]byte(keyTerm), 1), d.stable.SetUint64([]byte(keyDesk), id))
	if err == nil {
		_, nobody := raft.NewInmemTransport("")
		var sink raft.SnapshotSink
		sink, err = d.snaps.Create(1, 1, 1, members, 1, nobody)
		if err == nil {
			err = state.Persist(sink)
		}
	}
	err = errors.Join(err, d.close())
	if err != nil {
		return err
	}
	err = os.Remove(dir) // only if it is empty
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(made, dir)
}

// Inspect returns the state in the folder Config.Dir of a member that is not open: that of the newest snapshot, with all
// entries of the log behind it. Of several members, one may have entries at the end of its log on which the others have not
// agreed. Inspect changes nothing of the state, and repairs what a crash has left, as Open does. The errors are those of
// Open. O(n) for n bytes in the folder.
func Inspect(c Config) (v View, err error) {
	c, err = c.withDefaults(false)
	if err != nil {
		return v, err
	}
	c.Applied = nil
	_, err = os.Stat(c.Dir)
	if err != nil {
		return v, err // Open would make it
	}
	m := &Member{config: c}
	m.machine, err = newMachine(&m.config)
	if err != nil {
		return v, err
	}
	defer m.machine.close()
	m.disk, err = openDisk(c.Dir, c.Log)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, m.disk.close()) }()
	err = checkDiverged(m.disk.stable)
	if err != nil {
		return v, err
	}
	_, err = m.readNewest(m.machine)
	if err != nil {
		return v, err
	}
	first, err := m.disk.log.FirstIndex()
	if err != nil {
		return v, err
	}
	last, err := m.disk.log.LastIndex()
	if err == nil {
		err = m.carryOutLog(m.machine, first, last+1)
	}
	return m.machine.view(), err
}
