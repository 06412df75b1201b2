package replicated

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// newRaftLog returns a logger for Raft and the log, which writes to l. While a peer is down, Raft repeats the same
// warning many times a second; a warning that is repeated within again is only counted.
func newRaftLog(l *slog.Logger) hclog.Logger {
	level := hclog.Error
	for hclog.Trace < level && l.Enabled(context.Background(), slogLevel(level-1)) {
		level--
	}
	// This logger writes nothing itself. Its level lets Raft skip lines that nobody reads.
	log := hclog.NewInterceptLogger(&hclog.LoggerOptions{Level: level, Output: io.Discard})
	log.RegisterSink(&slogSink{to: l, seen: map[string]*repeated{}})
	return log
}

// again is for how long a warning is not repeated; differ is how many warnings are remembered for that.
const (
	again  = 10 * time.Second
	differ = 64
)

// slogSink passes lines of hclog to a slog.Logger.
type slogSink struct {
	to   *slog.Logger
	mu   sync.Mutex
	seen map[string]*repeated
}

// repeated is a warning that may come again.
type repeated struct {
	since time.Time
	times int // lines that were left out since then
}

// Accept takes one line. hclog calls it for each line, also for those below the level.
func (s *slogSink) Accept(name string, level hclog.Level, msg string, args ...any) {
	ctx := context.Background()
	to := slogLevel(level)
	if !s.to.Enabled(ctx, to) {
		return
	}
	times, pass := 0, true
	if level >= hclog.Warn {
		times, pass = s.count(name, msg, args, time.Now())
	}
	if !pass {
		return
	}
	line := slog.NewRecord(time.Now(), to, msg, 0)
	if name != "" {
		line.AddAttrs(slog.String("from", name))
	}
	for i, a := range args {
		text, ok := a.(hclog.Format)
		if ok && len(text) > 0 {
			args[i] = fmt.Sprintf(fmt.Sprint(text[0]), text[1:]...)
		}
	}
	line.Add(args...)
	if times > 0 {
		line.AddAttrs(slog.Int("repeated", times))
	}
	_ = s.to.Handler().Handle(ctx, line)
}

// count reports whether a line passes, and how many equal lines were left out before it. Lines are equal if their
// text and their first value are equal; the first value is the peer, where there is one.
func (s *slogSink) count(name, msg string, args []any, now time.Time) (times int, pass bool) {
	key := name + "\x00" + msg
	if len(args) > 1 {
		key += fmt.Sprintf("\x00%v", args[1])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.seen[key]
	if r != nil && now.Sub(r.since) < again {
		r.times++
		return 0, false
	}
	if r != nil {
		times = r.times
	}
	if len(s.seen) >= differ {
		clear(s.seen)
	}
	s.seen[key] = &repeated{since: now}
	return times, true
}

// slogLevel returns the slog level. Trace is as much finer than Debug as Debug is than Info.
func slogLevel(l hclog.Level) slog.Level {
	switch l {
	case hclog.Trace:
		return slog.LevelDebug - 4
	case hclog.Debug:
		return slog.LevelDebug
	case hclog.Warn:
		return slog.LevelWarn
	case hclog.Error:
		return slog.LevelError
	}
	return slog.LevelInfo
}
