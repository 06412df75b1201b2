package scheduletest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// fingerprint is a hash of all the memory of a few worlds, except for the variables of closures,
// which cannot be read. Worlds with equal fingerprints answer all further calls alike: every
// field is equal, exported or not, caches and spare room included, and so is the pattern in which
// the worlds share memory.
type fingerprint [16]byte

// walker writes the canonical form of a state. Addresses differ from one run to the
// next, so the walker writes a reference as the number of its region, and numbers regions
// in the order in which it reaches them:
//
//	clone shares the array    p.free ──► region 3, offset 0     q.free ──► region 3, offset 0
//	clone copies the array    p.free ──► region 3, offset 0     q.free ──► region 7, offset 0
//
// A region is a stretch of memory that references cover together: two slices of one
// array are one region, even if they begin at different elements.
type walker struct {
	form  []byte
	seen  map[reference]int // the number of each reference whose content is written
	spans []region          // the memory of each reference, in the order of the walk
	types map[reflect.Type]int
	known map[reflect.Type]traits
	// opaque says that the state holds a value that cannot be read: such a state
	// equals no other.
	opaque bool
}

// reference is a pointer or a slice.
type reference struct {
	at  uintptr
	len int
	typ reflect.Type
}

func newWalker() *walker {
	return &walker{seen: map[reference]int{}, types: map[reflect.Type]int{}, known: map[reflect.Type]traits{}}
}

// fingerprint returns the fingerprint of the worlds, and false if a part of them cannot
// be read.
func (w *walker) fingerprint(worlds []world) (fingerprint, bool) {
	w.form, w.spans, w.opaque = w.form[:0], w.spans[:0], false
	clear(w.seen)
	for _, each := range worlds {
		w.oracle(each.o)
		w.dynamic(reflect.ValueOf(each.s))
	}
	w.regions()
	sum := sha256.Sum256(w.form)
	return fingerprint(sum[:16]), !w.opaque
}

func (w *walker) uint(n uint64) { w.form = binary.AppendUvarint(w.form, n) }

func (w *walker) int(n int64) { w.form = binary.AppendVarint(w.form, n) }

// oracle writes the part of an oracle on which its answers depend. The rest is the past,
// which the oracle keeps, and which would keep states apart.
func (w *walker) oracle(o *oracle.Oracle) {
	w.int(int64(o.Now()))
	w.uint(uint64(o.Last))
	live := o.List()
	w.uint(uint64(len(live)))
	for _, res := range live {
		w.uint(uint64(res.ID))
		w.offer(res.Offer)
	}
	w.uint(uint64(o.Frame().Servers))
	for c := range o.Closures() {
		w.form = append(w.form, inWords(c)...)
	}
	busy := o.Busy()
	w.int(int64(busy))
	for t := o.Now(); t < busy; t++ {
		a, _ := o.RangeQuery(bookahead.Interval{Start: t, End: t + 1})
		w.int(a.Free)
		w.servers(a.Servers)
	}
}

func (w *walker) offer(o bookahead.Offer) {
	w.int(int64(o.Start))
	w.int(int64(o.End))
	w.int(o.Units)
	w.servers(o.Servers)
}

func (w *walker) servers(list []int) {
	w.uint(uint64(len(list)))
	for _, k := range list {
		w.uint(uint64(k))
	}
}

// value writes a value without its type, because the place of the value gives the type; only an
// interface needs its type written. So no two states have the same form.
func (w *walker) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		w.form = strconv.AppendBool(w.form, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		w.uint(math.Float64bits(v.Float()))
	case reflect.String:
		w.uint(uint64(v.Len()))
		w.form = append(w.form, v.String()...)
	case reflect.Array:
		if v.CanAddr() && w.traits(v.Type()).flat {
			w.memory(v.Addr(), v.Type().Size())
			return
		}
		w.elements(v)
	case reflect.Struct:
		w.structure(v, w.traits(v.Type()))
	case reflect.Interface:
		w.dynamic(v.Elem())
	case reflect.Pointer:
		w.pointer(v)
	case reflect.Slice:
		w.slice(v)
	case reflect.Map:
		w.mapping(v)
	case reflect.Func: // the address of its code; the variables of a closure cannot be read
		w.uint(uint64(v.Pointer()))
	default: // a channel, an unsafe pointer, a complex number
		w.opaque = w.opaque || !v.IsZero()
	}
}

// memory writes the bytes that a pointer or a slice leads to.
func (w *walker) memory(v reflect.Value, size uintptr) {
	w.form = append(w.form, unsafe.Slice((*byte)(v.UnsafePointer()), size)...)
}

func (w *walker) elements(v reflect.Value) {
	structs := v.Type().Elem().Kind() == reflect.Struct
	x := w.traits(v.Type().Elem()) // once for all elements: this lookup takes longer than the rest
	for i := range v.Len() {
		if structs {
			w.structure(v.Index(i), x)
			continue
		}
		w.value(v.Index(i))
	}
}

func (w *walker) structure(v reflect.Value, x traits) {
	switch {
	case x.flat && v.CanAddr():
		w.memory(v.Addr(), v.Type().Size())
	case x.atomicPointer:
		w.pointer(atomicPointer(v))
	case x.syncPool: // may lose its content at any time, so no answer depends on it
	default:
		for i := range x.fields {
			w.value(v.Field(i))
		}
	}
}

// traits say how to write a type.
type traits struct {
	flat                    bool // values lead to no other memory, and are written as bytes
	atomicPointer, syncPool bool
	fields                  int // of a structure
}

func (w *walker) traits(t reflect.Type) traits {
	x, ok := w.known[t]
	if !ok {
		x = traits{
			flat:          flat(t),
			atomicPointer: t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer["),
			syncPool:      t.PkgPath() == "sync" && t.Name() == "Pool",
		}
		if t.Kind() == reflect.Struct {
			x.fields = t.NumField()
		}
		w.known[t] = x
	}
	return x
}

// flat reports whether values of a type lead to no other memory, and have no padding between
// their fields. A copy may leave any bytes in padding.
func flat(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		size := uintptr(0)
		for i := range t.NumField() {
			f := t.Field(i).Type
			if !flat(f) {
				return false
			}
			size += f.Size()
		}
		return size == t.Size()
	default:
		return k >= reflect.Bool && k <= reflect.Complex128 && k != reflect.Uintptr
	}
}

// atomicPointer returns the pointer in an atomic.Pointer. The first field of an atomic.Pointer is
// there only for its type.
func atomicPointer(v reflect.Value) reflect.Value {
	to := v.Type().Field(0).Type.Elem().Elem()
	return reflect.NewAt(to, v.FieldByName("v").UnsafePointer())
}

// dynamic writes the value in an interface, after the number of its type.
func (w *walker) dynamic(v reflect.Value) {
	if !v.IsValid() {
		w.uint(0)
		return
	}
	n, ok := w.types[v.Type()]
	if !ok {
		n = len(w.types) + 1
		w.types[v.Type()] = n
	}
	w.uint(uint64(n))
	w.value(v)
}

func (w *walker) pointer(v reflect.Value) {
	if v.IsNil() {
		w.uint(0)
		return
	}
	w.uint(1)
	if w.first(reference{v.Pointer(), 1, v.Type()}, v.Type().Elem().Size()) {
		w.value(v.Elem())
	}
}

// slice writes a slice up to its capacity, because append writes there, and a longer slice
// of the same array reads there.
func (w *walker) slice(v reflect.Value) {
	if v.IsNil() {
		w.uint(0)
		return
	}
	w.uint(uint64(v.Len()) + 1)
	w.uint(uint64(v.Cap()))
	elem := v.Type().Elem()
	size := uintptr(v.Cap()) * elem.Size()
	switch {
	case !w.first(reference{v.Pointer(), v.Cap(), v.Type()}, size):
	case w.traits(elem).flat:
		w.memory(v, size)
	default:
		w.elements(v.Slice(0, v.Cap()))
	}
}

// first notes a reference to size bytes, and reports whether the walk has not met the
// reference before: then its content must be written.
func (w *walker) first(r reference, size uintptr) bool {
	if size > 0 { // a reference to no bytes shares nothing
		w.spans = append(w.spans, region{r.at, r.at + size})
	}
	n, ok := w.seen[r]
	if !ok {
		n = len(w.seen) + 1
		w.seen[r] = n
		w.uint(0)
		return true
	}
	w.uint(uint64(n))
	return false
}

// mapping writes the entries of a map in the order of their keys, as the keys are written.
func (w *walker) mapping(v reflect.Value) {
	if v.IsNil() {
		w.uint(0)
		return
	}
	w.uint(uint64(v.Len()) + 1)
	if !w.first(reference{v.Pointer(), 0, v.Type()}, 1) {
		return
	}
	type entry struct {
		key   []byte
		value reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	from, spans := len(w.form), len(w.spans)
	for i := v.MapRange(); i.Next(); {
		w.value(i.Key())
		entries = append(entries, entry{bytes.Clone(w.form[from:]), i.Value()})
		w.form = w.form[:from]
	}
	w.opaque = w.opaque || len(w.spans) > spans // a key is a pointer, which has no order
	slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	for _, e := range entries {
		w.form = append(w.form, e.key...)
		w.value(e.value)
	}
}

// region is a stretch of memory that references cover together.
type region struct{ start, end uintptr }

// regions writes the region of each reference of the walk, and the offset in the region.
func (w *walker) regions() {
	order := make([]int, len(w.spans))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(w.spans[i].start, w.spans[j].start) })
	leader := make([]int, len(w.spans)) // the first reference, by address, of the same region
	for i, end := 0, uintptr(0); i < len(order); i++ {
		s := w.spans[order[i]]
		leader[order[i]] = order[i]
		if i > 0 && s.start < end {
			leader[order[i]] = leader[order[i-1]]
		}
		end = max(end, s.end)
	}
	number := map[int]int{}
	for i, s := range w.spans {
		n, ok := number[leader[i]]
		if !ok {
			n = len(number)
			number[leader[i]] = n
		}
		w.uint(uint64(n))
		w.uint(uint64(s.start - w.spans[leader[i]].start))
	}
}
