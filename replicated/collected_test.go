package replicated

import (
	"iter"

	"github.com/bookahead/bookahead/desk"
)

// collected returns the bookings of a sequence that no Effort cuts short.
func collected(seq iter.Seq2[desk.Booking, error]) (list []desk.Booking) {
	for k, err := range seq {
		if err != nil {
			panic(err)
		}
		list = append(list, k)
	}
	return list
}
