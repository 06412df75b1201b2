// Package bench compares the structures of the library with each other. Structures
// lists them all by name, with what each promises: those with the same promise must
// answer every call alike, and the tests replay random traces to see that they do.
// The benchmarks run the same operations on each under names that benchstat can put
// side by side, since the cost of a search says little unless it is the same search.
package bench
