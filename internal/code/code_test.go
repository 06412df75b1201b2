package code

import (
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// animal is an interface that two types implement.
type animal interface{ legs() int }

type bird struct{ Wings int64 }

func (bird) legs() int { return 2 }

type cat struct{ Name string }

func (cat) legs() int { return 4 }

type fish struct{}

func (fish) legs() int { return 0 }

// all has a field of each sort.
type all struct {
	Near     int64
	From     bookahead.Time
	To       bookahead.Time
	Count    uint64
	Small    uint32
	Is, Has  bool
	Word     uint8
	Text     string
	Blob     []byte
	Span     bookahead.Interval
	Ints     []int
	Steps    []int
	Counters []bookahead.ID
	Numbers  []int64
	Texts    []string
	Spans    []bookahead.Interval
	One      *all
	Many     []all
	Animal   animal
}

const words = 3

var animals = []func(*Coder, animal) animal{
	nil,
	As[animal](func(b *bird, x *Coder) { Number(x, "wings", &b.Wings) }),
	As[animal](func(c *cat, x *Coder) { x.Text("name", &c.Name) }),
}

func (v *all) code(x *Coder) {
	Number(x, "near", &v.Near)
	Number(x, "from", &v.From)
	NumberFrom(x, "to", &v.To, v.From)
	Counter(x, "count", &v.Count)
	Uint(x, "small", &v.Small, math.MaxUint32)
	Flag(x, "is", &v.Is)
	has := x.Has("has", v.Has)
	if x.Reads() {
		v.Has = has
	}
	x.Word("word", &v.Word, words)
	x.Text("text", &v.Text)
	x.Blob("blob", &v.Blob)
	Span(x, &v.Span)
	Ints(x, "ints", &v.Ints)
	Steps(x, "steps", &v.Steps)
	Counters(x, "counters", &v.Counters)
	Numbers(x, "numbers", &v.Numbers)
	Texts(x, "texts", &v.Texts)
	Intervals(x, "spans", &v.Spans)
	Optional(x, "one", &v.One, (*all).code)
	List(x, "many", &v.Many, (*all).code)
	kind := uint8(0)
	switch v.Animal.(type) {
	case bird:
		kind = 1
	case cat, fish:
		kind = 2
	}
	x.Word("animal", &kind, len(animals)-1)
	if x.OK() {
		v.Animal = animals[kind](x, v.Animal)
	}
}

// draw draws a value; depth is how deep others lie within it.
func draw(t *rapid.T, depth int) all {
	number := rapid.Int64()
	v := all{
		Near: number.Draw(t, "near"), From: bookahead.Time(number.Draw(t, "from")), To: bookahead.Time(number.Draw(t, "to")),
		Count: rapid.Uint64Max(snapshot.MaxID).Draw(t, "count"), Small: rapid.Uint32().Draw(t, "small"), Is: rapid.Bool().Draw(t, "is"), Has: rapid.Bool().Draw(t, "has"),
		Word: rapid.Uint8Range(1, words).Draw(t, "word"), Text: string(rapid.SliceOf(rapid.Byte()).Draw(t, "text")), Blob: rapid.SliceOf(rapid.Byte()).Draw(t, "blob"),
		Span:   bookahead.Interval{Start: bookahead.Time(number.Draw(t, "start")), End: bookahead.Time(number.Draw(t, "end"))},
		Ints:   rapid.SliceOf(rapid.Int()).Draw(t, "ints"),
		Steps:  someOf(t, rapid.Int()),
		Texts:  someOf(t, rapid.String()),
		Animal: bird{number.Draw(t, "wings")},
	}
	v.Numbers = someOf(t, number)
	for _, n := range v.Numbers {
		v.Counters = append(v.Counters, bookahead.ID(uint64(n)>>1))
		v.Spans = append(v.Spans, bookahead.Interval{Start: 3, End: bookahead.Time(n)})
	}
	if rapid.Bool().Draw(t, "no ints") {
		v.Ints = nil
	}
	if depth > 0 {
		one := draw(t, depth-1)
		v.One, v.Many, v.Animal = &one, []all{one, draw(t, depth-1)}, cat{v.Text}
	}
	return v
}

// someOf draws a list, which is nil if it has no items.
func someOf[T any](t *rapid.T, item *rapid.Generator[T]) []T {
	return append([]T(nil), rapid.SliceOfN(item, 0, 100).Draw(t, "list")...)
}

// A value is the same after it was written and read, and gives the same bytes again, also with memory that is shared.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := draw(t, 2)
		data, err := Append([]byte("before"), v.code)
		require.NoError(t, err)
		var read all
		require.NoError(t, Read("value", data[len("before"):], read.code))
		require.Equal(t, v, read)
		again, err := Append(nil, read.code)
		require.NoError(t, err)
		require.Equal(t, data[len("before"):], again)

		x, s := NewReader("value", again[1:]), &sharer{}
		x.Share(s)
		read = all{}
		read.code(x)
		require.NoError(t, x.Close())
		require.Equal(t, v, read)
		require.Positive(t, s.rooms)
	})
}

// sharer has room for lists of all.
type sharer struct{ rooms int }

func (*sharer) Text(b []byte) string { return string(b) }

func (s *sharer) Room(list any, n int) {
	many, ok := list.(*[]all)
	if ok {
		*many = slices.Grow(*many, n)
		s.rooms++
	}
}

// TestGolden has bytes that never change.
func TestGolden(t *testing.T) {
	v := all{Near: -3, From: 100, To: 103, Count: 300, Small: 1, Is: true, Word: 2, Text: "a", Span: bookahead.Interval{Start: 2, End: 5}, Ints: []int{}, Steps: []int{7, 9}, Animal: cat{"b"}}
	data, err := Append(nil, v.code)
	require.NoError(t, err)
	require.Equal(t, "0105"+"c801"+"06"+"ac02"+"01"+"02"+"00"+"02"+"0161"+"00"+"0406"+"0100"+"020e04"+"00"+"00"+"00"+"00"+"00"+"00"+"02"+"0162", hex.EncodeToString(data))
}

func TestValuesThatAreRefused(t *testing.T) {
	good := all{Word: 1, Animal: cat{}}
	for want, change := range map[string]func(v *all){
		"count 18446744073709551615 is more than can be read back": func(v *all) { v.Count = math.MaxUint64 },
		"word 0 is unknown":      func(v *all) { v.Word = 0 },
		"word 4 is unknown":      func(v *all) { v.Word = words + 1 },
		"animal 0 is unknown":    func(v *all) { v.Animal = nil },
		"type code.fish is none": func(v *all) { v.Animal = fish{} },
	} {
		v := good
		change(&v)
		_, err := Append(nil, v.code)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

func TestBytesThatAreRefused(t *testing.T) {
	text := func(x *Coder) { x.Text("text", new(string)) }
	for _, c := range []struct {
		data string
		read func(x *Coder)
		want string
	}{
		{"", text, "value: version, before byte 0, [] is no whole number"},
		{"\x02", text, "value: version, before byte 1, 2 is not 1, the one that is known"},
		{"\x01\x03ab", text, "value: text, before byte 2, 3 bytes are more than are left"},
		{"\x01\x01ab", text, "value: end, before byte 3, 1 bytes are left over"},
		{"\x01\x80\x00", text, "is a number with zeros in front"},
		{"\x01\x02", func(x *Coder) { x.Has("has", false) }, "value: has, before byte 2, 2 is more than 1"},
		{"\x01\x00", func(x *Coder) { x.Word("word", new(uint8), 3) }, "value: word, before byte 2, 0 is unknown"},
		{"\x01\x04", func(x *Coder) { x.Word("word", new(uint8), 3) }, "value: word, before byte 2, 4 is more than 3"},
		{"\x01\x04", func(x *Coder) { Flag(x, "flag", new(bool)) }, "value: flag, before byte 2, 2 is neither 0 nor 1"},
		{"\x01\x02a", func(x *Coder) { Texts(x, "texts", new([]string)) }, "value: texts, before byte 2, 2 items are more than the 1 bytes that are left"},
		{"\x01\x09", func(x *Coder) { Uint(x, "n", new(uint64), 8) }, "value: n, before byte 2, 9 is more than 8"},
	} {
		err := Read("value", []byte(c.data), c.read)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, c.want)
	}
}

// A coder keeps its first error. After it, a reader reads only zeros.
func TestTheFirstErrorStays(t *testing.T) {
	for _, x := range []*Coder{NewReader("value", []byte{1, 2, 3}), NewWriter(nil)} {
		x.Fail("first", 7, "is wrong")
		x.Fail("second", 8, "is wrong")
		x.Check(bookahead.ErrNotFound)
		n := int64(5)
		Number(x, "n", &n)
		require.False(t, x.OK())
		require.ErrorContains(t, x.Close(), "first")
		require.Equal(t, x.Err(), x.Close())
		require.Equal(t, x.Reads(), n == 0)
	}
}

// FuzzRead reads any bytes. Bytes that are accepted are written again as they were.
func FuzzRead(f *testing.F) {
	rapid.Check(f, func(t *rapid.T) {
		v := draw(t, 1)
		data, err := Append(nil, v.code)
		require.NoError(t, err)
		f.Add(data)
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		var v all
		err := Read("value", data, v.code)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		again, err := Append(nil, v.code)
		require.NoError(t, err)
		require.Equal(t, data, again)
	})
}
