package replicated

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// No number is used twice, whatever the answer to its call. A session that the members have forgotten is not used
// again. Do repeats the call in a new session, but only if the call cannot have been carried out in the old one.
func TestNumbersAreUsedOnce(t *testing.T) {
	const used, dropped, opened = "used", "dropped", "opened"
	for _, c := range []struct {
		err  error
		then string
	}{
		{nil, used}, {bookahead.ErrUnavailable, used}, {desk.ErrKey, used}, {portable(fmt.Errorf("of 7: %w", bookahead.ErrNotFound)), used},
		{&NotLeaderError{}, used}, {notReached("at", errBusy), used}, {ErrFull, used}, {&JumpError{}, used}, {ErrSealed, used}, {context.Canceled, used},
		{ErrClosed, used}, {unknown(ErrFull), used}, {errors.New("of no list"), used},
		{ErrSession, opened}, {unknown(ErrSession), dropped},
	} {
		last, opens := SessionID(0), 0
		p := newSessionPool(1, func(context.Context) (SessionID, error) {
			last++
			opens++
			return last, nil
		})
		var sent []call
		_, err := p.do(t.Context(), nil, func(_ context.Context, q call) answer {
			sent = append(sent, q)
			if len(sent) == 1 {
				return answer{err: c.err}
			}
			return answer{}
		})
		if c.then == opened {
			require.NoError(t, err)
			require.Len(t, sent, 2, "%v", c.err)
			require.Equal(t, SessionID(2), sent[1].session)
			require.EqualValues(t, 1, sent[1].number)
			continue
		}
		require.Equal(t, c.err, err)
		s, err := p.take(t.Context())
		require.NoError(t, err)
		switch c.then {
		case used:
			require.Equal(t, session{1, 1}, s, "%v", c.err)
		case dropped:
			require.Equal(t, session{2, 0}, s, "%v", c.err)
		}
	}
}
