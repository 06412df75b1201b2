package avail

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

const benchSlots = 10_000

// lateRun draws slots of which a share is available, with no b available slots in a row except
// the last b.
func lateRun(b int, density float64) *Vector {
	rng := rand.New(rand.NewPCG(1, 2))
	v := newVector(benchSlots)
	run := 0
	for i := range benchSlots - b - 1 {
		if rng.Float64() < density && run < b-1 {
			v.set.Set(uint(i))
			run++
		} else {
			run = 0
		}
	}
	v.Set(benchSlots-b, benchSlots)
	return v
}

// nearMisses is the worst case for a search that hops or probes: runs one slot too short, with a
// gap of one slot between any two.
func nearMisses(b int) *Vector {
	v := newVector(benchSlots)
	v.Set(0, benchSlots)
	for i := b - 1; i < benchSlots-b; i += b {
		v.Clear(i, i+1)
	}
	v.Clear(benchSlots-b-1, benchSlots-b)
	return v
}

// bitByBit is R(b), slot by slot.
func bitByBit(v *Vector, b int) (int, bool) {
	run := 0
	for i := range uint(v.Len()) {
		if !v.set.Test(i) {
			run = 0
			continue
		}
		run++
		if run == b {
			return int(i) - b + 1, true
		}
	}
	return 0, false
}

// hop is R(b) by the bit set's own search, from run to gap to run.
func hop(v *Vector, b int) (int, bool) {
	for from := uint(0); ; {
		start, ok := v.set.NextSet(from)
		if !ok {
			return 0, false
		}
		end, ok := v.set.NextClear(start)
		if !ok {
			end = uint(v.Len())
		}
		if end-start >= uint(b) {
			return int(start), true
		}
		from = end
	}
}

func BenchmarkFirstRun(b *testing.B) {
	type input struct {
		name string
		v    *Vector
		b    int
	}
	var inputs []input
	for _, length := range []int{3, 16, 24, 40, 64, 100, 300} {
		for _, density := range []float64{0.3, 0.7, 0.9} {
			inputs = append(inputs, input{fmt.Sprintf("b=%d/density=%g", length, density), lateRun(length, density), length})
		}
		inputs = append(inputs, input{fmt.Sprintf("b=%d/density=nearmiss", length), nearMisses(length), length})
	}
	for _, in := range inputs {
		list := in.v.Runs()
		for _, impl := range []struct {
			name string
			find func() (int, bool)
		}{
			{"vector", func() (int, bool) { return in.v.FirstRun(in.b) }},
			{"bits", func() (int, bool) { return bitByBit(in.v, in.b) }},
			{"hop", func() (int, bool) { return hop(in.v, in.b) }},
			{"runs", func() (int, bool) { return list.FirstRun(in.b) }},
		} {
			b.Run(fmt.Sprintf("impl=%s/%s", impl.name, in.name), func(b *testing.B) {
				for b.Loop() {
					if at, ok := impl.find(); !ok || at != benchSlots-in.b {
						b.Fatal(at, ok)
					}
				}
			})
		}
	}
}

func BenchmarkCompose(b *testing.B) {
	for _, density := range []float64{0.01, 0.7} {
		v, o := lateRun(300, density), lateRun(100, density)
		dst := newVector(benchSlots)
		list, far, into := v.Runs(), o.Runs(), &Runs{n: benchSlots}
		for _, delay := range []int{0, 4, 67, 5000} {
			name := fmt.Sprintf("density=%g/delay=%d", density, delay)
			b.Run("impl=vector/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					v.ComposeTo(dst, o, delay)
				}
			})
			b.Run("impl=bits/"+name, func(b *testing.B) {
				for b.Loop() {
					for i := range uint(benchSlots) {
						dst.set.SetTo(i, v.set.Test(i) && o.set.Test(i+uint(delay)))
					}
				}
			})
			b.Run("impl=runs/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					list.ComposeTo(into, far, delay)
				}
			})
		}
	}
}

func BenchmarkStarts(b *testing.B) {
	for _, length := range []int{16, 300} {
		v := lateRun(length, 0.7)
		list := v.Runs()
		b.Run(fmt.Sprintf("impl=vector/b=%d", length), func(b *testing.B) {
			for b.Loop() {
				v.Starts(length)
			}
		})
		b.Run(fmt.Sprintf("impl=runs/b=%d", length), func(b *testing.B) {
			for b.Loop() {
				list.Starts(length)
			}
		})
	}
}
