package bookahead

// LatestSearcher is a Schedule that can find the last place for a request: for
// what must be ready just in time, and for plans that are made backwards from a
// deadline.
type LatestSearcher interface {
	Schedule

	// SearchLatest returns the offer with the latest start, under the rules of
	// Search. Without a deadline it is the last one that the horizon allows.
	SearchLatest(r Request) (Offer, error)
}
