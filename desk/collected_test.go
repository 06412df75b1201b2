package desk

import (
	"iter"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// collected returns the bookings of a sequence that no Effort cuts short.
func collected(seq iter.Seq2[Booking, error]) (list []Booking) {
	for k, err := range seq {
		if err != nil {
			panic(err)
		}
		list = append(list, k)
	}
	return list
}

// unlimited returns a meter that never stops.
func unlimited() *effort.Meter {
	m, err := effort.New(bookahead.Effort{Steps: math.MaxInt64})
	if err != nil {
		panic(err)
	}
	return &m
}
