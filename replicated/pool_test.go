package replicated

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
)

// A number is used again only for a call that was not carried out, and a session whose last number nobody knows is dropped.
func TestNumbersAreUsedOnce(t *testing.T) {
	const used, free, dropped, opened = "used", "free", "dropped", "opened"
	for _, c := range []struct {
		err  error
		then string
	}{
		{nil, used}, {bookahead.ErrUnavailable, used}, {desk.ErrKey, used}, {keep(fmt.Errorf("of 7: %w", bookahead.ErrNotFound)), used},
		{&NotLeaderError{}, free}, {away("at", errBusy), free}, {ErrFull, free}, {&JumpError{}, free}, {ErrSealed, free}, {context.Canceled, free},
		{ErrClosed, free}, {unknown(ErrFull), dropped}, {errors.New("of an Own schedule"), dropped},
		{ErrSession, opened}, {limits.Invalid("Call.Number", 7, "does not follow 5"), opened},
	} {
		last, opens := SessionID(0), 0
		p := newPool(1, func(context.Context) (SessionID, error) {
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
		case free:
			require.Equal(t, session{1, 0}, s, "%v", c.err)
		case dropped:
			require.Equal(t, session{2, 0}, s, "%v", c.err)
		}
	}
}
