// Package described tests the description of the API against others: answers and requests by a validator, the document by a linter,
// and a client that another generator makes of it. It is a module of its own, so that a service needs none of that.
package described
