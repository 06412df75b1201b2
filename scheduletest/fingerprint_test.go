package scheduletest

import (
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// remembers is a schedule with a field of any kind.
type remembers struct {
	oracle.Oracle
	memory any
}

// printOf returns the fingerprint of two worlds with these memories.
func printOf(t *testing.T, memories ...any) fingerprint {
	var worlds []world
	for _, m := range memories {
		p, err := oracle.New(oracle.Rules{Capacity: 1})
		require.NoError(t, err)
		worlds = append(worlds, world{&remembers{*p, m}, p})
	}
	w := newWalker()
	print, ok := w.fingerprint(worlds)
	again, _ := w.fingerprint(worlds)
	require.True(t, ok)
	require.Equal(t, print, again)
	return print
}

type list struct {
	value int
	next  *list
}

type notes struct {
	cache atomic.Pointer[list]
	count atomic.Int64
	by    map[string]*list
	note  func() int
	spare sync.Pool
	mu    sync.Mutex
}

// Memory with the same content has the same fingerprint, wherever it lies.
func TestFingerprintsOfEqualMemory(t *testing.T) {
	for name, remember := range map[string]func() any{
		"a number":  func() any { return 7 },
		"a pointer": func() any { return &list{1, &list{2, nil}} },
		"a circle": func() any {
			l := &list{1, nil}
			l.next = l
			return l
		},
		"a map": func() any {
			m := map[string]*list{}
			for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
				m[key] = &list{len(m), nil}
			}
			return m
		},
		"much": func() any {
			n := &notes{by: map[string]*list{"a": {}}, note: func() int { return 1 }}
			n.cache.Store(&list{1, nil})
			n.spare.Put(new(list))
			return n
		},
		"floats, bytes and empty ones": func() any { return []any{1.5, "text", []byte("text"), []int{}, nil, new(struct{}), [2]bool{}} },
	} {
		require.Equal(t, printOf(t, remember()), printOf(t, remember()), name)
	}
}

type padded struct {
	tick   int64
	server int32
}

// The bytes between fields do not count: a copy may leave any bytes there.
func TestFingerprintsIgnorePadding(t *testing.T) {
	clean, dirty := []padded{{1, 2}}, []padded{{1, 2}}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&dirty[0])), unsafe.Sizeof(dirty[0]))
	if len(bytes) == 12 {
		t.Skip("there is no padding on this machine")
	}
	bytes[len(bytes)-1] = 1
	require.Equal(t, printOf(t, clean), printOf(t, dirty))
}

// Memory that differs somewhere has another fingerprint, and so has memory that is
// shared in another way.
func TestFingerprintsOfUnequalMemory(t *testing.T) {
	full := []int{1, 2, 3, 4}
	cached := func(l *list) any {
		n := new(notes)
		n.cache.Store(l)
		return n
	}
	counted := new(notes)
	counted.count.Add(1)
	locked := new(notes)
	locked.mu.Lock()
	one, two := &list{1, nil}, &list{1, nil}
	circle := &list{1, nil}
	circle.next = circle
	for name, c := range map[string][2]fingerprint{
		"a value":               {printOf(t, 1), printOf(t, 2)},
		"a type":                {printOf(t, 1, int8(1)), printOf(t, 1, 1)},
		"the end of a list":     {printOf(t, &list{1, one}), printOf(t, &list{1, &list{2, nil}})},
		"nil":                   {printOf(t, []int(nil)), printOf(t, []int{})},
		"capacity":              {printOf(t, full[:2]), printOf(t, full[:2:2])},
		"what lies behind":      {printOf(t, []int{1, 2}[:1]), printOf(t, []int{1, 3}[:1])},
		"a key":                 {printOf(t, map[int]int{1: 1}), printOf(t, map[int]int{2: 1})},
		"a value of a map":      {printOf(t, map[int]int{1: 1}), printOf(t, map[int]int{1: 2})},
		"an atomic pointer":     {printOf(t, cached(one)), printOf(t, cached(&list{2, nil}))},
		"an atomic number":      {printOf(t, new(notes)), printOf(t, counted)},
		"a lock":                {printOf(t, new(notes)), printOf(t, locked)},
		"a function":            {printOf(t, &notes{note: func() int { return 1 }}), printOf(t, &notes{note: func() int { return 2 }})},
		"a pointer in common":   {printOf(t, one, one), printOf(t, one, two)},
		"an array in common":    {printOf(t, full, full), printOf(t, full, []int{1, 2, 3, 4})},
		"a part in common":      {printOf(t, full[:2:2], full[2:]), printOf(t, full[:3:3], full[2:])},
		"where it is in common": {printOf(t, full, full[:1:1]), printOf(t, full, append(full[:0:0], full...)[:1:1])},
		"a field in common":     {printOf(t, one, &one.value), printOf(t, one, &two.value)},
		"a map in common":       {printOf(t, counted.by, counted.by), printOf(t, map[string]*list{}, map[string]*list{})},
		"a circle":              {printOf(t, circle), printOf(t, &list{1, &list{1, nil}})},
	} {
		require.NotEqual(t, c[0], c[1], name)
	}
}

// A state with memory that cannot be read equals no other.
func TestOpaqueStates(t *testing.T) {
	for name, m := range map[string]any{
		"a channel":                make(chan int),
		"a map with pointers":      map[*list]int{{}: 1},
		"a complex number":         1i,
		"an interface as map key":  map[any]int{new(list): 1},
		"a channel in a structure": &struct{ c chan int }{make(chan int)},
	} {
		p, err := oracle.New(oracle.Rules{Capacity: 1})
		require.NoError(t, err)
		_, ok := newWalker().fingerprint([]world{{&remembers{*p, m}, p}})
		require.False(t, ok, name)
	}
}
