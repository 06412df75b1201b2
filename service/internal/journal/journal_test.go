package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/depth"
)

var small = sizes{recent: 5, perRead: 4, perSegment: 6, maxSegments: 4}

// eventNumbered returns the event of a number: the same each time, and one of three is of the clock.
func eventNumbered(n uint64) desk.Event {
	e := desk.Event{Number: n, At: bookahead.Time(n * 7), What: desk.WasBooked, Booking: desk.BookingID(n), Owner: fmt.Sprint("owner ", n, "\n\"")}
	if n*2654435761%3 == 0 {
		e = desk.Event{Number: n, At: bookahead.Time(n), What: desk.WasAdvanced}
	}
	return e
}

func isKept(n uint64) bool { return eventNumbered(n).What != desk.WasAdvanced }

// world is a journal, and what a member tells it.
type world struct {
	*testing.T
	r      *rand.Rand
	folder string
	j      *Journal
	last   uint64 // the number of the last event of the member
	sure   uint64 // the journal must have all events behind this number
}

// tell tells the journal of events up to a number, in commands of some events.
func (w *world) tell(from, to uint64) {
	for from <= to {
		n := min(to, from+w.r.Uint64N(3))
		var out desk.Outcome
		for ; from <= n; from++ {
			out.Events = append(out.Events, eventNumbered(from))
		}
		w.j.Applied(0, desk.Given{By: fmt.Sprint("by ", n), Command: desk.Cancel{}}, out)
	}
	w.last = max(w.last, to)
	require.Equal(w, w.last, w.j.Last())
	require.NoError(w, w.j.Err())
	w.forget()
}

// forget notes what the journal may have dropped: it keeps so many files, of which a restart may leave one line.
func (w *world) forget() {
	if list := w.files(); len(list) >= small.maxSegments {
		w.sure = max(w.sure, min(numberOf(list[0])-1, w.last))
	}
}

func (w *world) files() []string {
	list, err := filepath.Glob(filepath.Join(w.folder, "*.jsonl"))
	require.NoError(w, err)
	slices.Sort(list)
	return list
}

func numberOf(file string) (n uint64) {
	fmt.Sscanf(filepath.Base(file), "%d.jsonl", &n)
	return n
}

func (w *world) open() {
	var err error
	w.j, err = open(w.folder, small)
	require.NoError(w, err)
}

// check reads behind a number, and compares what comes with what the member has told.
func (w *world) check(number uint64) {
	list, _, err := w.j.After(number)
	if err != nil {
		require.ErrorIs(w, err, ErrGone)
		require.Less(w, number, w.sure, "the journal has all events behind %d", w.sure)
		return
	}
	require.LessOrEqual(w, len(list), small.perRead)
	next := number + 1
	for _, e := range list {
		for ; next < e.Number; next++ {
			require.False(w, isKept(next), "event %d is passed over behind %d", next, number)
		}
		want := eventNumbered(next)
		require.Equal(w, want, e.Event)
		require.Contains(w, e.By, "by ")
		next++
	}
	if len(list) == 0 {
		for ; next <= w.last; next++ {
			require.False(w, isKept(next), "event %d never comes behind %d", next, number)
		}
	}
}

// TestWhateverHappens tells a journal of events while it is restarted, cut off, robbed of files and passed over. What it returns is
// complete, or it says that something is gone, and it says so only if something may be.
func TestWhateverHappens(t *testing.T) {
	for seed := range uint64(depth.Cases(40)) {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := &world{T: t, r: rand.New(rand.NewPCG(seed, 1)), folder: filepath.Join(t.TempDir(), "journal")}
			w.open()
			for range 60 {
				w.step()
				for range 3 {
					w.check(w.r.Uint64N(w.last + 3))
				}
				w.check(w.sure)
				w.check(w.last)
				list, _, err := w.j.After(1<<64 - 1)
				require.NoError(t, err)
				require.Empty(t, list)
			}
			require.NoError(t, w.j.Close())
		})
		if !ok {
			return
		}
	}
}

func (w *world) step() {
	switch w.r.IntN(12) {
	default:
		w.tell(w.last+1, w.last+1+w.r.Uint64N(9))
	case 0: // a snapshot was sent instead of some entries
		w.last += 1 + w.r.Uint64N(20)
		w.sure = w.last
		w.tell(w.last+1, w.last+1)
	case 1: // a restart, after which the member tells the end of its log again
		if w.r.IntN(2) == 0 {
			require.NoError(w, w.j.Close())
		}
		w.open()
		require.Equal(w, w.last, w.j.Last())
		w.tell(max(1, w.last-min(w.last, w.r.Uint64N(5))), w.last+1)
	case 2: // a crash of the machine cuts the last file; the log goes back far enough, or does not
		w.cut()
	case 3: // somebody removes a file while the journal is open or closed
		list := w.files()
		if len(list) == 0 {
			return
		}
		k := w.r.IntN(len(list))
		require.NoError(w, os.Remove(list[k]))
		w.sure = w.last                           // what is in memory is not counted on
		if k == len(list)-1 || w.r.IntN(2) == 0 { // what is written to the last one from now on would be gone, too
			w.open()
			w.tell(w.last+1, w.last+1)
		}
	case 4: // a byte of a file is another one
		list := w.files()
		if len(list) == 0 {
			return
		}
		file := list[w.r.IntN(len(list))]
		data, err := os.ReadFile(file)
		require.NoError(w, err)
		if len(data) == 0 {
			return
		}
		data[w.r.IntN(len(data))] = '\n' // no event becomes another one by it
		require.NoError(w, os.WriteFile(file, data, 0o600))
		w.sure = w.last
		w.open()
		w.tell(w.last+1, w.last+1)
	}
}

func (w *world) cut() {
	list := w.files()
	if len(list) == 0 {
		return
	}
	file := list[len(list)-1]
	info, err := os.Stat(file)
	require.NoError(w, err)
	require.NoError(w, os.Truncate(file, w.r.Int64N(info.Size()+1)))
	w.open()
	lost := w.last - w.j.Last()
	if w.r.IntN(2) == 0 {
		w.tell(max(1, w.j.Last()), w.last+1) // the log goes back as far
		return
	}
	if lost > 0 {
		w.sure = w.last
	}
	w.tell(w.last+1, w.last+1)
}

// TestReadersBesideTheMember reads from several goroutines while events come: each reader has all events, each once, in order.
func TestReadersBesideTheMember(t *testing.T) {
	j, err := open(t.TempDir(), sizes{recent: 50, perRead: 7, perSegment: 40, maxSegments: 1 << 20})
	require.NoError(t, err)
	const n = 3000
	var readers sync.WaitGroup
	for k := range 4 {
		readers.Go(func() {
			at, again := uint64(0), 10*(k/2)
			for at < n-10 {
				list, more, err := j.After(at)
				if err != nil {
					t.Error(err)
					return
				}
				for _, e := range list {
					for at++; at < e.Number; at++ {
						if isKept(at) {
							t.Errorf("event %d is passed over", at)
						}
					}
				}
				if again > 0 && at > 0 && rand.IntN(20) == 0 {
					at, again = rand.Uint64N(at), again-1 // somebody begins anew
				}
				if len(list) == 0 {
					select {
					case <-more:
					case <-time.After(10 * time.Second):
						t.Errorf("nothing comes behind %d", at)
						return
					}
				}
			}
		})
	}
	for i := uint64(1); i <= n; i++ {
		j.Applied(i, desk.Given{By: "ann", Command: desk.Cancel{}}, desk.Outcome{Events: []desk.Event{eventNumbered(i)}})
	}
	readers.Wait()
	require.NoError(t, j.Close())
}

func TestEventsHaveNoPlacesAndTheirSchedules(t *testing.T) {
	folder := t.TempDir()
	j, err := Open(folder)
	require.NoError(t, err)
	e := desk.Event{Number: 1, What: desk.WasMoved, Booking: 7, Owner: "ann", Before: []desk.Place{{}, {}}, After: []desk.Place{{}}}
	e.Before[0].On, e.Before[1].On, e.After[0].On = "lab", "link", "lab"
	j.Applied(3, desk.Given{By: "root by token 1234", Command: desk.Cancel{}}, desk.Outcome{Events: []desk.Event{e}})
	j.Applied(4, desk.Advance{}, desk.Outcome{Events: []desk.Event{{Number: 2, What: desk.HasEnded, Booking: 7}}})
	require.Len(t, e.Before, 2, "the answer of the member stays as it is")
	for range 2 {
		list, _, err := j.After(0)
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, []string{"lab", "link"}, list[0].On)
		require.Nil(t, list[0].Before)
		require.Equal(t, "root by token 1234", list[0].By)
		require.Empty(t, list[1].By)
		require.NoError(t, j.Close())
		j, err = Open(folder)
		require.NoError(t, err)
	}
	require.NoError(t, j.Close())
}

func TestDelivered(t *testing.T) {
	folder := t.TempDir()
	j, err := Open(folder)
	require.NoError(t, err)
	_, ok := j.DeliveredTo("chat")
	require.False(t, ok)
	j.Applied(1, desk.Given{By: Delivered("chat", 0)}, desk.Outcome{})
	n, ok := j.DeliveredTo("chat")
	require.True(t, ok, "nothing was delivered, and that is known")
	require.Zero(t, n)
	j.Applied(2, desk.Given{By: Delivered("chat", 12)}, desk.Outcome{})
	j.Applied(3, desk.Given{By: Delivered("chat to all", 5)}, desk.Outcome{})
	j.Applied(4, desk.Given{By: Delivered("chat", 9)}, desk.Outcome{})
	j.Applied(5, desk.Given{By: Delivered("chat", 99), Command: desk.Cancel{}}, desk.Outcome{}) // somebody has chosen this name
	j.Applied(6, desk.Given{By: "delivered x to chat"}, desk.Outcome{})
	for range 2 {
		n, ok = j.DeliveredTo("chat")
		require.True(t, ok)
		require.EqualValues(t, 12, n)
		n, ok = j.DeliveredTo("chat to all")
		require.True(t, ok)
		require.EqualValues(t, 5, n)
		require.NoError(t, j.Close())
		j, err = Open(folder)
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "delivered.json"), []byte("{\"cha"), 0o600))
	j, err = Open(folder)
	require.NoError(t, err)
	_, ok = j.DeliveredTo("chat")
	require.False(t, ok)
}

// TestAFullDisk goes on in memory while nothing can be written, and says what is wrong.
func TestAFullDisk(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "journal")
	j, err := open(folder, small)
	require.NoError(t, err)
	one := func(n uint64) {
		j.Applied(n, desk.Advance{}, desk.Outcome{Events: []desk.Event{{Number: n, What: desk.HasStarted}}})
	}
	one(1)
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, j.files.close()) // as if the file were full
	one(2)
	require.Error(t, j.Err())
	list, _, err := j.After(0)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.NoError(t, os.MkdirAll(folder, 0o700))
	one(3)
	require.NoError(t, j.Err(), "the disk works again")
	require.NoError(t, j.Close())
	j, err = open(folder, small)
	require.NoError(t, err)
	_, _, err = j.After(1)
	require.True(t, errors.Is(err, ErrGone))
	list, _, err = j.After(2)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

// TestEachCut cuts a file at each of its bytes. The member tells all again, and nothing is missing.
func TestEachCut(t *testing.T) {
	from := t.TempDir()
	tell := func(j *Journal) {
		for n := uint64(9); n <= 12; n++ {
			j.Applied(n, desk.Given{By: "by", Command: desk.Cancel{}}, desk.Outcome{Events: []desk.Event{eventNumbered(n)}})
		}
	}
	j, err := Open(from)
	require.NoError(t, err)
	tell(j)
	want, _, err := j.After(8)
	require.NoError(t, err)
	require.NoError(t, j.Close())
	data, err := os.ReadFile(j.files.path(9))
	require.NoError(t, err)
	for n := range data {
		folder := t.TempDir()
		j, err := Open(folder)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(j.files.path(9), data[:n], 0o600))
		j, err = Open(folder)
		require.NoError(t, err)
		tell(j)
		got, _, err := j.After(8)
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", data[:n])
		require.NoError(t, j.Close())
	}
}
