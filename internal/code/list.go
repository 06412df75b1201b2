package code

import "github.com/bookahead/bookahead"

// trustItems is for how many items of a list a reader makes room at once. A longer list gets room as its items come.
const trustItems = 64

// List codes the items of a list, of which each takes a byte or more. No items are read as nil.
func List[T any](x *Coder, name string, s *[]T, item func(*T, *Coder)) {
	n := x.length(name, len(*s))
	if x.Reads() && n > 0 {
		makeRoom(x, s, min(n, trustItems))
	}
	for i := 0; i < n && x.OK(); i++ {
		if x.Reads() {
			*s = append(*s, *new(T))
		}
		item(&(*s)[i], x)
	}
}

// makeRoom makes room for n items of a list, unless it has some.
func makeRoom[T any](x *Coder, s *[]T, n int) {
	if x.share != nil {
		x.share.Room(s, n)
	}
	if *s == nil {
		*s = make([]T, 0, n)
	}
}

// Ints codes a list of numbers, of which nil is not the same as none. Each is written as its distance to the one before,
// since servers and nodes mostly ascend.
func Ints[S ~[]E, E ~int | ~int64](x *Coder, name string, s *S) {
	if !x.Has(name, *s != nil) {
		return
	}
	n := x.length(name, len(*s))
	if x.Reads() {
		*s = make(S, 0, min(n, trustItems))
	}
	steps(x, name, s, n)
}

// Steps codes a list of numbers, of which nil is the same as none. Each is written as its distance to the one before.
func Steps(x *Coder, name string, s *[]int) { steps(x, name, s, x.length(name, len(*s))) }

func steps[S ~[]E, E ~int | ~int64](x *Coder, name string, s *S, n int) {
	last := E(0)
	for i := 0; i < n && x.OK(); i++ {
		if x.Reads() {
			*s = append(*s, 0)
		}
		NumberFrom(x, name, &(*s)[i], last)
		last = (*s)[i]
	}
}

// Counters codes a list of numbers that only count up.
func Counters[T ~uint64](x *Coder, name string, s *[]T) {
	List(x, name, s, func(n *T, x *Coder) { Counter(x, "number", n) })
}

// Numbers codes a list of numbers of either sign, of which nil is the same as none.
func Numbers(x *Coder, name string, s *[]int64) {
	List(x, name, s, func(n *int64, x *Coder) { Number(x, "number", n) })
}

// Texts codes a list of texts.
func Texts(x *Coder, name string, s *[]string) {
	List(x, name, s, func(text *string, x *Coder) { x.Text("text", text) })
}

// Intervals codes a list of intervals.
func Intervals(x *Coder, name string, s *[]bookahead.Interval) {
	List(x, name, s, func(w *bookahead.Interval, x *Coder) { Span(x, w) })
}
