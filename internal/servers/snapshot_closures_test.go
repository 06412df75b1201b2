package servers

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// withClosures is a snapshot of four servers at 5, with a horizon of 60 and no reservation, and
// with the given closures: the last ID; for each closure the step from the ID before, 1 if it is
// an extension, its start, its length, and its servers; 0 for no more; and how many servers were
// added.
func withClosures(list ...uint64) []byte {
	return snapshot.Numbers(kindClosed, append([]uint64{4, 5, 60, 0, 0}, list...)...)
}

// goodClosures has server 3 added from 20 to 50, and servers 0 and 2 closed from 3 to 12.
func goodClosures() []byte {
	return withClosures(2, 1, 0, 3, 9, 2, 0, 1, 1, 1, 20, 30, 3, 1, 0, 1)
}

func hostileClosures() map[string][]byte {
	const most = 1<<64 - 1
	return map[string][]byte{
		"none":                                 withClosures(0, 0),
		"cut off":                              withClosures(2, 1, 0, 3, 9, 2, 0),
		"one without servers":                  withClosures(1, 1, 0, 3, 9, 0, 0, 0),
		"one that is over":                     withClosures(1, 1, 0, 3, 2, 1, 0, 0, 0),
		"one that ends behind the axis":        withClosures(1, 1, 0, 3, 1<<63-1, 1, 0, 0, 0),
		"an ID behind the last":                withClosures(1, 2, 0, 3, 9, 1, 0, 0, 0),
		"a server that there is not":           withClosures(1, 1, 0, 3, 9, 1, 4, 0, 0),
		"an extension of none":                 withClosures(1, 1, 1, 3, 9, 3, 0, 0, 1),
		"an extension of more than all":        withClosures(1, 1, 1, 3, 9, 3, 2, 0, 1),
		"an extension far away":                withClosures(1, 1, 1, 3, 9, most, 1, 0, 1),
		"an extension of those from the start": withClosures(1, 1, 1, 3, 9, 2, 2, 0, 1),
		"an extension that leaves a gap":       withClosures(1, 1, 1, 3, 9, 3, 1, 0, 2),
		"all servers added":                    withClosures(1, 1, 1, 3, 9, 0, 4, 0, 4),
		"more added than the extensions have":  withClosures(1, 1, 1, 3, 9, 2, 1, 0, 2),
		"a closure before the extension":       withClosures(2, 1, 0, 3, 9, 1, 3, 1, 1, 3, 9, 3, 1, 0, 1),
		"two extensions in disorder":           withClosures(2, 1, 1, 3, 9, 3, 1, 1, 1, 3, 9, 0, 1, 0, 2),
		"too many servers":                     snapshot.Numbers(kindClosed, Max, 5, 60, 0, 0, 1, 1, 1, 3, 9, 1, Max-1, 0, Max-1),
		"a reservation before the extension": snapshot.Numbers(kindClosed,
			4, 5, 60, 1, 1, 10, 4, 1, 3, 0, 1, 1, 1, 20, 30, 3, 1, 0, 1), // from 10 to 14 on server 3
	}
}

func TestHostileClosuresAreRefused(t *testing.T) {
	for name, data := range hostileClosures() {
		_, err := unpack(data)
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
	}
	for name, data := range map[string][]byte{ // these are good, though they differ little
		"good":                           goodClosures(),
		"added by one that is over":      withClosures(2, 1, 1, 3, 9, 2, 1, 0, 2),
		"a gap, by one that is over":     withClosures(2, 2, 1, 3, 9, 3, 1, 0, 2),
		"a closure behind the extension": withClosures(2, 1, 1, 3, 9, 3, 1, 1, 0, 3, 9, 1, 3, 0, 1),
		"a closure that tells of others": withClosures(3, 2, 0, 3, 9, 1, 2, 1, 0, 3, 9, 1, 3, 0, 2),
		"a reservation in the extension": snapshot.Numbers(kindClosed,
			4, 5, 60, 1, 1, 30, 4, 1, 3, 0, 1, 1, 1, 20, 30, 3, 1, 0, 1), // from 20 to 24
	} {
		s, err := unpack(data)
		require.NoError(t, err, name)
		require.NoError(t, s.Verify(), name)
		require.Equal(t, data, pack(t, &s), name)
	}
}

// An extension of many servers takes a few bytes: reading it may not take more memory for that.
func TestFewBytesAskForFewServers(t *testing.T) {
	for n := uint64(1); n <= Max; n *= 2 {
		data := snapshot.Numbers(kindClosed, n+1, 5, 60, 0, 0, 1, 1, 1, 3, 9, 1, n, 0, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = unpack(data)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(80<<20), n)
	}
}

// Each case breaks an invariant of closed.go, and the error names it.
func TestVerifyNamesTheInvariant(t *testing.T) {
	for _, c := range []struct {
		invariant string
		spoil     func(*closed)
	}{
		{"S1", func(x *closed) { x.set(0, lane{}, 5) }},
		{"S1", func(x *closed) { x.set(1, lane{cover: cover{{7, 1}, {8, 0}}}, 5) }},
		{"S2", func(x *closed) { x.set(0, lane{x.lanes[0].cover, nil}, 5) }},
		{"S2", func(x *closed) { x.set(1, lane{held: stretches{span(7, 8)}}, 5) }},
		{"S3", func(x *closed) { x.open++ }},
		{"S4", func(x *closed) { x.next = 13 }},
		{"S6", func(x *closed) { x.added = []extent{{span(5, 9), 4, 5}} }},
	} {
		s, err := unpack(snapshot.Numbers(kindClosed,
			4, 5, 60, 1, 1, 0, 4, 1, 0, 0, 1, 1, 0, 3, 9, 2, 0, 1, 0, 0)) // from 5 to 9 on server 0
		require.NoError(t, err)
		require.NoError(t, s.Verify())
		c.spoil(s.closed)
		require.ErrorContains(t, s.Verify(), c.invariant+": ")
	}
}
