package replicated

import (
	"encoding/binary"
	"fmt"

	"github.com/hashicorp/raft"
)

// keyDiverged is the key of an ErrDiverged in the stable store, beside the term and the vote.
const keyDiverged = "Diverged"

// writeDiverged writes the ErrDiverged of a member to its disk. Without that, the member could start again over a wrong
// snapshot, and answer from a wrong state until the next fingerprint.
func writeDiverged(s raft.StableStore, d *divergedError) error {
	b := binary.LittleEndian.AppendUint64(nil, d.Index)
	b = append(append(b, d.Ours[:]...), d.Theirs[:]...)
	return s.Set([]byte(keyDiverged), b)
}

// checkDiverged returns the ErrDiverged that writeDiverged wrote; nil if there is none.
func checkDiverged(s raft.StableStore) error {
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
	d := &divergedError{Index: binary.LittleEndian.Uint64(b), Ours: [32]byte(b[8:]), Theirs: [32]byte(b[8+32:])}
	return fmt.Errorf("%w: replace this member", d)
}
