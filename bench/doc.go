// Package bench compares the structures of the library with each other. The package
// internal/structures lists them by name, with the promise of each: structures with the
// same promise must answer every call alike. The tests here check that with random traces.
// The benchmarks run the same operations on every structure, since two costs of a search
// can be compared only if the search is the same. Their names let benchstat put the
// structures side by side.
package bench
