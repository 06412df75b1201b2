// Package bench compares the structures of the library with each other. The package
// internal/structures lists them by name, with the promise of each: those with the same
// promise must answer every call alike, and the tests here replay random traces to see
// that they do. The benchmarks run the same operations on each under names that benchstat
// can put side by side, since the cost of a search says little unless it is the same search.
package bench
