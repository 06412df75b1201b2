package replicated

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
)

// goldenConfig is the Config of the machine of the golden log. It remembers bookings for long, so that they stay in
// the fingerprint.
func goldenConfig() Config {
	return Config{Desk: desk.Config{Keep: 150}}
}

// goldenFile has a log of this Version. Each line is an entry, and the state behind it:
//
//	first 8 bytes of the fingerprint, in hex │ bytes of the entry, in base64
//
// `go test -run TestGoldenLog -update .` draws a new log. Draw one for a Version that has just risen, or that was
// never released. The file of a Version that members run must stay as it is.
func goldenFile() string { return filepath.Join("testdata", fmt.Sprintf("v%d.log", Version)) }

// All builds of one Version must decide alike. So a log that an older build has written must take this build to the
// same state, entry by entry. The fingerprint of the state has all bookings, quotas and outages, and the last answer
// of each session, but not the texts of errors, which are for people.
func TestGoldenLog(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(goldenFile(), goldenLog(t, 25, 900), 0o644))
	}
	data, err := os.ReadFile(goldenFile())
	require.NoError(t, err, "Version has risen: write a log of the new one with -update")
	f := newFeed(t, goldenConfig())
	all := covered{}
	f.onApplied = all.note
	for line := range strings.Lines(string(data)) {
		want, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		raw, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		e, err := readEntry(raw, nil)
		require.NoError(t, err)
		require.Equal(t, raw, e.append(nil), "entries are written otherwise than before: raise Version")
		f.give(t, e)
		got := goldenPrint(t, f.machine)
		if got != want {
			t.Fatalf("entry %d is carried out otherwise than before, so members of two builds would not agree: raise Version\n%s",
				f.index, entryText(&e))
		}
	}
	all.check(t)
}

// The log depends on nothing but its seed.
func TestGoldenLogIsDrawnFromASeed(t *testing.T) {
	require.Equal(t, goldenLog(t, 3, 60), goldenLog(t, 3, 60))
	require.NotEqual(t, goldenLog(t, 3, 60), goldenLog(t, 4, 60))
}

// goldenLog draws a log of n entries.
func goldenLog(t testing.TB, seed uint64, n int) []byte {
	var to bytes.Buffer
	d := newGoldenDraw(t, seed)
	for range n {
		e := d.entry()
		d.give(t, e)
		fmt.Fprintln(&to, goldenPrint(t, d.machine), base64.StdEncoding.EncodeToString(e.append(nil)))
	}
	return to.Bytes()
}

// goldenPrint returns the first bytes of the fingerprint of a state.
func goldenPrint(t testing.TB, x *machine) string {
	sum, err := x.image().fingerprint(x.prints.stop)
	require.NoError(t, err)
	return hex.EncodeToString(sum[:8])
}

// entryText formats an entry for a person.
func entryText(e *entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "now %d, jump %d, room %d", e.now, e.jump, e.room)
	for _, c := range e.calls {
		fmt.Fprintf(&b, "\nop %d, session %d, number %d", c.op, c.session, c.number)
		command, err := desk.UnmarshalCommand(c.body)
		if c.op != doCommand || err != nil {
			continue
		}
		b.WriteString(": " + commandText(command))
	}
	return b.String()
}

// covered counts the commands that a log has carried out, by name, and its events.
type covered map[string]int

func (c covered) note(_ uint64, command desk.Command, out desk.Outcome) {
	c[fmt.Sprintf("%T", command)]++
	batch, _ := command.(desk.Batch)
	for i, one := range batch.Commands {
		c.note(0, one, out.Batch[i])
	}
	book, _ := command.(desk.Book)
	if out.Booking.State == desk.Waiting && slices.ContainsFunc(book.Shapes, func(s desk.Shape) bool { return isTooLate(&book.Request, s) }) {
		c["waits with a shape that is too late"]++
	}
	for _, e := range out.Events {
		c[e.What.String()]++
	}
}

// check requires each command and each event at least once, so that a new log does not test less.
func (c covered) check(t testing.TB) {
	t.Log(map[string]int(c))
	for _, command := range []desk.Command{
		desk.AddSchedule{}, desk.Book{}, desk.Commit{}, desk.Change{}, desk.Cancel{}, desk.End{}, desk.Overrun{}, desk.Close{}, desk.Reopen{},
		desk.Extend{}, desk.BookSeries{}, desk.Continue{}, desk.CancelSeries{}, desk.SetTerms{}, desk.SetQuota{}, desk.DropQuota{}, desk.Advance{}, desk.Batch{},
	} {
		require.GreaterOrEqual(t, c[fmt.Sprintf("%T", command)], 3, "%T", command)
	}
	require.GreaterOrEqual(t, c["waits with a shape that is too late"], 3)
	for what := desk.WasAdded; what <= desk.WasDropped; what++ {
		require.GreaterOrEqual(t, c[what.String()], 3, "events: %v", what)
	}
}
