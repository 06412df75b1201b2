package replicated

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hashicorp/raft"
)

// keyDiverged is the key of a DivergedError in the stable store, beside the term and the vote.
const keyDiverged = "Diverged"

// condemn writes the DivergedError of this member to the disk. Without that, the member could start again over a
// wrong snapshot, and answer from a wrong state until the next fingerprint.
func (m *Member) condemn() {
	var d *DivergedError
	if !errors.As(m.cause(), &d) {
		return
	}
	b := binary.LittleEndian.AppendUint64(nil, d.Index)
	b = append(append(b, d.Ours[:]...), d.Theirs[:]...)
	err := m.disk.stable.Set([]byte(keyDiverged), b)
	if err != nil {
		m.config.Log.Warn("the member may start again with its state, which is not that of the others", "id", m.config.ID, "err", err)
	}
}

// condemned returns the DivergedError that condemn wrote; nil if there is none.
func condemned(s raft.StableStore) error {
	b, err := s.Get([]byte(keyDiverged))
	if err != nil && err.Error() != "not found" {
		return err
	}
	if len(b) == 0 {
		return nil
	}
	if len(b) != 8+32+32 {
		return fmt.Errorf("%w: %q has %d bytes", ErrDamaged, keyDiverged, len(b))
	}
	d := &DivergedError{Index: binary.LittleEndian.Uint64(b), Ours: [32]byte(b[8:]), Theirs: [32]byte(b[8+32:])}
	return fmt.Errorf("%w: replace this member", d)
}
