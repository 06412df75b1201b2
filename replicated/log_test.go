package replicated

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
)

// newTextLog returns a logger that writes to b, without times.
func newTextLog(b *bytes.Buffer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func TestRaftLogsToSlog(t *testing.T) {
	var b bytes.Buffer
	l := newRaftLog(newTextLog(&b, slog.LevelInfo))
	require.True(t, l.IsInfo())
	require.False(t, l.IsDebug())
	l.Debug("unseen")
	l.Named("net").With("peer", "2").Info("hello", "to", hclog.Fmt("%d of %d", 1, 3), "n", 7)
	l.Error("bad", "error", "gone")
	require.Equal(t, "level=INFO msg=hello from=net peer=2 to=\"1 of 3\" n=7\nlevel=ERROR msg=bad error=gone\n", b.String())

	b.Reset()
	l = newRaftLog(newTextLog(&b, slog.LevelDebug-4))
	require.True(t, l.IsTrace())
	l.Trace("fine")
	require.Equal(t, "level=DEBUG-4 msg=fine\n", b.String())
}

// A peer that is down does not fill the disk with warnings. All lines that are no warnings pass.
func TestWarningsAreNotRepeated(t *testing.T) {
	var b bytes.Buffer
	l := newRaftLog(newTextLog(&b, slog.LevelInfo))
	for range 5 {
		l.Warn("no answer", "peer", 2)
		l.Warn("no answer", "peer", 3)
		l.Info("election")
	}
	require.Equal(t, 5, bytes.Count(b.Bytes(), []byte("election")))
	require.Equal(t, 2, bytes.Count(b.Bytes(), []byte("no answer")))

	s := &slogSink{seen: map[string]*repeated{}}
	now := time.Now()
	for i, want := range []bool{true, false, false} {
		_, pass := s.count("", "down", nil, now.Add(time.Duration(i)*time.Second))
		require.Equal(t, want, pass)
	}
	times, pass := s.count("", "down", nil, now.Add(again))
	require.True(t, pass)
	require.Equal(t, 2, times)
}
