// Package client calls a service of bookahead from Go: every operation of the API, on the types of package api.
//
//	c := client.New(token, "https://a.example.org", "https://b.example.org")
//	b, err := c.Book(ctx, "", api.Book{Wish: api.Wish{Parts: []api.Part{{Schedule: "lab", Duration: "PT2H"}}}})
//	var p *api.Problem
//	if errors.As(err, &p) && p.Refusal != nil { ... } // there is no place: why, and what else there is
//
// A call that finds no answer is sent again, to the next address, as long as that does no harm: queries, changes that do the same
// twice, and whatever has a key. So callers live through the end of a member, and through the election of a leader.
//
// Files:
//
//	call.go        one call, sent until it has an answer
//	operations.go  the operations
//	watch.go       events, as they come
package client
