package desk

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// grantsTo does a command, and grants places in the turns that who returns, until until is true.
func grantsTo(who func(list []turn) []turn, until func(granted bool) bool) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		e, err := d.Decide(c)
		if err != nil || e.Number == 0 {
			return d.Do(c)
		}
		e.Decision.Granted = nil
		copied := d.Clone()
		_, err = copied.Apply(e)
		if err != nil {
			return Outcome{}, err
		}
		for _, x := range who(slices.Clone(copied.b.waiting)) {
			k, _ := copied.b.booking(x.id)
			y, err := (&trial{books: &copied.b, meter: unlimited()}).find(&k.Request)
			if err == nil {
				m := Moved{k.ID, y.shape, y.places}
				err = copied.b.grant(&m)
				e.Decision.Granted = append(e.Decision.Granted, m)
			}
			if until(err == nil) {
				break
			}
		}
		return d.Apply(e)
	}
}

// grantsNobody does some commands, and grants no place after them.
func grantsNobody(which func(Command) bool) doer {
	nobody := grantsTo(func([]turn) []turn { return nil }, never)
	return func(d *Desk, c Command) (Outcome, error) {
		if which(c) {
			return nobody(d, c)
		}
		return d.Do(c)
	}
}

func never(bool) bool                    { return false }
func everybody(list []turn) []turn       { return list }
func isVerb(v string) func(Command) bool { return func(c Command) bool { return c.verb() == v } }

func byID(list []turn) []turn {
	slices.SortFunc(list, func(x, y turn) int { return int(x.id) - int(y.id) })
	return list
}

func backwards(list []turn) []turn {
	slices.Reverse(list)
	return list
}

// waiters spoils a desk on which somebody waits.
func waiters(spoil func(d *Desk, k *Booking)) doer {
	return after(func(d *Desk, c Command, out *Outcome) {
		if len(d.b.waiting) > 0 {
			k, _ := d.b.booking(d.b.waiting[0].id)
			spoil(d, k)
		}
	})
}

var waitingFaults = []fault{
	{"places granted by ID alone", grantsTo(byID, never)},
	{"places granted to the last in line first", grantsTo(backwards, never)},
	{"no place behind one that does not fit", grantsTo(everybody, func(granted bool) bool { return !granted })},
	{"one place granted at a time", grantsTo(everybody, func(granted bool) bool { return granted })},
	{"a cancellation that grants nobody", grantsNobody(isVerb("cancel"))},
	{"an early end that grants nobody", grantsNobody(isVerb("end"))},
	{"a change that grants nobody", grantsNobody(isVerb("change"))},
	{"an expiry that grants nobody", grantsNobody(isVerb("advance"))},
	{"a place granted that is not the first", func(d *Desk, c Command) (Outcome, error) {
		e, err := d.Decide(c)
		if err != nil || len(e.Decision.Granted) == 0 {
			return d.Do(c)
		}
		for i := range e.Decision.Granted[len(e.Decision.Granted)-1].Places {
			p := &e.Decision.Granted[len(e.Decision.Granted)-1].Places[i]
			p.Start, p.End = p.Start+1, p.End+1
		}
		out, err := d.Apply(e)
		if err != nil {
			return d.Do(c)
		}
		return out, nil
	}},
	{"a wait that does not lapse", waiters(func(d *Desk, k *Booking) { d.b.agenda.Remove(due{k.nextDue, k.ID}.span()) })},
	{"a wait a tick too long", instead(func(_ *Desk, c *Book) {
		if c.Wait > 0 {
			c.Wait++
		}
	})},
	{"a wait for a deadline that cannot be met", waiters(func(d *Desk, k *Booking) {
		if k.nextDue < k.Expiry {
			d.b.agenda.remove(k)
			rewrite(d, k.ID, func(k *Booking) { k.nextDue = k.Expiry })
			k, _ = d.b.booking(k.ID)
			d.b.agenda.add(k)
		}
	})},
	{"a waiting booking lost in a snapshot", waiters(func(d *Desk, k *Booking) {
		var b bytes.Buffer
		_, _ = d.WriteTo(&b)
		read, _ := Read(&b, Config{})
		lost, _ := read.b.booking(k.ID)
		read.b.forget(lost)
		d.b = read.b
	})},
	{"a list of those that wait lost in a snapshot", waiters(func(d *Desk, _ *Booking) { d.b.waiting = nil })},
	{"a waiting booking that is forgotten with its key", waiters(func(d *Desk, k *Booking) {
		if k.Key != "" {
			d.b.keys.Remove(k.Key)
		}
	})},
	{"a refusal instead of a wait", func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(Book)
		if ok {
			k.Wait = 0
			return d.Do(k)
		}
		return d.Do(c)
	}},
}

// TestTheCrowdFindsFaults checks that the law of waiting bookings finds faults of commands that the oracle does not know.
func TestTheCrowdFindsFaults(t *testing.T) {
	for name, do := range map[string]doer{
		"":                               (*Desk).Do,
		"a repair that grants nobody":    grantsNobody(isVerb("reopen")),
		"a closure that grants nobody":   grantsNobody(isVerb("close")),
		"an addition that grants nobody": grantsNobody(isVerb("extend")),
		"a batch that grants nobody":     grantsNobody(isVerb("batch")),
		"force that grants nobody":       grantsNobody(isVerb("book")),
	} {
		found := false
		commands := 0
		for seed := uint64(0); commands < 24_000 && !found; seed++ {
			if name == "" && seed == 2 {
				break
			}
			b := &wrong{}
			found = b.fails(func() {
				p := newPlayer(b, seed)
				for range 300 {
					commands++
					_, err := do(p.d, p.crowded())
					if err == nil {
						crowdLaw(b, p.d)
					}
				}
			})
		}
		t.Logf("%q: found %t after %d commands", name, found, commands)
		require.Equal(t, name != "", found, name)
	}
}

// TestForgedGrants refuses entries that grant impossible places, and checks that nothing has changed.
func TestForgedGrants(t *testing.T) {
	d := crowd(t, 20)
	must(t, d, Book{Request: by(9, 2, 0), Wait: 8})
	must(t, d, Book{Request: by(9, 3, 0), Wait: 8})
	e, err := d.Decide(Cancel{1})
	require.NoError(t, err)
	require.Len(t, e.Decision.Granted, 2)
	before := written(t, d)
	for name, forge := range map[string]func(list []Moved) []Moved{
		"of nobody":        func(list []Moved) []Moved { list[0].Booking = 9; return list },
		"of the cancelled": func(list []Moved) []Moved { list[0].Booking = 1; return list },
		"twice":            func(list []Moved) []Moved { return append(list, list[0]) },
		"another's":        func(list []Moved) []Moved { list[0].Booking = 3; return list },
		"at one time":      func(list []Moved) []Moved { list[1].Places = moved(list[1].Places, -3); return list },
		"before now":       func(list []Moved) []Moved { list[0].Places = moved(list[0].Places, -1); return list },
		"nowhere":          func(list []Moved) []Moved { list[0].Places = nil; return list },
		"of no shape":      func(list []Moved) []Moved { list[0].Shape = 1; return list },
		"of no schedule": func(list []Moved) []Moved {
			list[0].Places = moved(list[0].Places, 0)
			list[0].Places[0].On = "x"
			return list
		},
		"beyond the axis": func(list []Moved) []Moved { list[0].Places = moved(list[0].Places, math.MaxInt64); return list },
	} {
		forged := e
		forged.Decision.Granted = forge(slices.Clone(e.Decision.Granted))
		for _, x := range []Entry{forged, through(t, forged)} {
			_, err := d.Apply(x)
			require.ErrorIs(t, err, bookahead.ErrInvalid, name)
			require.Equal(t, before, written(t, d), name)
		}
	}
	wait, err := d.Decide(Book{Request: by(9, 4, 0), Wait: 8})
	require.NoError(t, err)
	for name, forge := range map[string]func(x *Entry){
		"another ID":       func(x *Entry) { x.Decision.Booking++ },
		"a shape":          func(x *Entry) { x.Decision.Shape = 1 },
		"others give way":  func(x *Entry) { x.Decision.Moved = []Moved{{Booking: 1}} },
		"no wait":          func(x *Entry) { x.Command = Book{Request: by(9, 4, 0)} },
		"a wait until now": func(x *Entry) { x.Command = Book{Request: by(9, 4, 0), Wait: d.Now()} },
		"no schedule":      func(x *Entry) { x.Command = Book{Request: asks(Part{On: "x", Units: 1, Duration: 1}), Wait: 9} },
		"too late": func(x *Entry) {
			r := by(3, 4, 0)
			r.Ready = -9
			r.Deadline = 0 - 2
			x.Command = Book{Request: r, Wait: 9}
		},
	} {
		forged := wait
		forge(&forged)
		_, err := d.Apply(forged)
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.Equal(t, before, written(t, d), name)
	}
	// Grants within a batch come at its end.
	batch := Entry{Number: e.Number, Command: Batch{[]Command{Cancel{1}}}, Decision: Decision{Batch: []Decision{e.Decision}}}
	_, err = d.Apply(batch)
	require.ErrorContains(t, err, "before the end of the batch")
	batch.Decision = Decision{Batch: []Decision{{Booking: 1}}, Granted: e.Decision.Granted}
	_, err = d.Apply(batch)
	require.NoError(t, err)
	require.NoError(t, d.Verify())
}

// moved returns places a little later.
func moved(places []Place, by bookahead.Time) []Place {
	places = slices.Clone(places)
	for i := range places {
		places[i].Start, places[i].End = places[i].Start+by, places[i].End+by
	}
	return places
}

// through returns an entry as a log has it, or the entry if no log would take it.
func through(t *testing.T, e Entry) Entry {
	data, err := e.MarshalBinary()
	require.NoError(t, err)
	var read Entry
	err = read.UnmarshalBinary(data)
	if err != nil {
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		return e
	}
	return read
}
