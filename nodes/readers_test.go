package nodes

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// answers are the answers to one reader: to each question once, from a place on, in turn.
func answers(m *Machine, requests []Request, from int) []any {
	list := make([]any, len(requests)+7)
	questions := []func() (any, error){
		func() (any, error) { return m.SearchFor(2, requests[0]) },
		func() (any, error) {
			v, err := m.Tasks(requests[0].Each, 0)
			if err != nil {
				return nil, err
			}
			return v.RangeQuery(m.Frame().Window())
		},
		func() (any, error) { return slices.Collect(m.ReservationsOn(m.Frame().Window(), []int{1, 3})), nil },
		func() (any, error) { return slices.Collect(m.Overbooked(m.Frame().Window())), nil },
		func() (any, error) { return m.MarshalBinary() },
		func() (any, error) { return m.Clone().MarshalBinary() },
		func() (any, error) { return slices.Collect(m.Closures()), m.Verify() },
	}
	for _, r := range requests {
		questions = append(questions, func() (any, error) { return m.Search(r) })
	}
	for i := range questions {
		q := (from + i) % len(questions)
		told, err := questions[q]()
		list[q] = [2]any{told, err}
	}
	return list
}

// After each write, several readers at once get the same answers as a reader alone.
func TestReadersAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := shapes[2]
	l := newLong(t, s, 11, newReal)
	for range 200 {
		l.step()
	}
	for round := range 12 {
		m := l.x.m.(real).Machine
		var requests []Request
		for range 6 {
			requests = append(requests, l.request())
		}
		alone := answers(m.Clone(), requests, 0)
		var readers sync.WaitGroup
		told := make([][]any, 4)
		for i := range told {
			from := rng.IntN(10)
			readers.Add(1)
			go func() {
				defer readers.Done()
				told[i] = answers(m, requests, from)
			}()
		}
		readers.Wait()
		for i := range told {
			require.Equal(t, alone, told[i], "reader %d of round %d", i, round)
		}
		for range 15 {
			l.step()
		}
	}
	require.NoError(t, l.x.m.Verify())
}

// Clones are written by goroutines of their own while their original is read.
func TestClonesAreWrittenAtOnce(t *testing.T) {
	l := newLong(t, shapes[2], 12, newReal)
	for range 150 {
		l.step()
	}
	m := l.x.m.(real).Machine
	before, err := m.MarshalBinary()
	require.NoError(t, err)
	var requests []Request
	for range 8 {
		r := l.request()
		r.Deadline = 0
		requests = append(requests, r)
	}
	var writers sync.WaitGroup
	after := make([][]byte, 3)
	for i := range after {
		c := m.Clone()
		writers.Add(1)
		go func() {
			defer writers.Done()
			for _, r := range requests {
				_, _ = c.Reserve(r)
				_, _ = c.Close(bookahead.Closure{Interval: bookahead.Interval{Start: r.Ready, End: bookahead.MaxTime}, Servers: []int{0}})
			}
			after[i], _ = c.MarshalBinary()
		}()
	}
	_ = answers(m, requests, 0)
	writers.Wait()
	require.Equal(t, after[0], after[1])
	require.Equal(t, after[0], after[2])
	now, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, before, now)
}
