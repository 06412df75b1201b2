// Package bench compares the structures of the library with each other.
package bench

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// Config is what a schedule is made with, whatever the structure.
type Config struct {
	Origin  bookahead.Time
	Horizon bookahead.Duration // in ticks; every structure takes one
}

// Structure is a structure of the library.
type Structure struct {
	Name string // package and type, such as "carts.Flat"
	// Answers names a promise: structures with the same one answer every
	// request alike. Empty promises nothing.
	Answers string
	New     func(capacity int64, c Config) (bookahead.Schedule, error)
}

// exactPool is the promise of every pool that is exact to the tick.
const exactPool = "exact pool"

// Baseline is the structure that the others are measured by.
const Baseline = "carts.Flat"

// Structures returns every structure of the library.
func Structures() []Structure {
	return []Structure{
		{"carts.Flat", exactPool, func(capacity int64, c Config) (bookahead.Schedule, error) {
			return carts.NewFlat(capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
		}},
		{"carts.BTree", exactPool, func(capacity int64, c Config) (bookahead.Schedule, error) {
			return carts.NewBTree(capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
		}},
	}
}
