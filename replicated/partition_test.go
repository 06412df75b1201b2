package replicated

import (
	"bytes"
	"time"

	"github.com/stretchr/testify/require"
)

// requireSame waits until all members have carried out the same entries, drops them, and checks that their states have the
// same bytes, sessions included.
func (w *world) requireSame() {
	var last uint64
	for range 1000 {
		same := true
		last = 0
		for _, p := range w.peers {
			last = max(last, w.member(p.ID).machine.applied())
		}
		for _, p := range w.peers {
			same = same && w.member(p.ID).machine.applied() == last
		}
		if same {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	var first []byte
	for i, p := range w.peers {
		m := w.member(p.ID)
		w.kill(p.ID)
		require.NoError(w.t, m.machine.err())
		require.Equal(w.t, last, m.machine.applied())
		data, err := imageBytes(m.machine) // nobody else uses it any more
		require.NoError(w.t, err)
		if i == 0 {
			first = data
		}
		require.True(w.t, bytes.Equal(first, data), "members 1 and %s differ", p.ID)
	}
}
