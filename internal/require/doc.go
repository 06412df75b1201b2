// Package require has the checks of the tests: each fails the test at once if it does not hold.
//
// The names and the arguments are those of github.com/stretchr/testify/require, so far as the tests
// use them. That package imports net/http and a reader of YAML, which each of sixty test binaries
// compiled and linked. It also calls Helper, which walks the stack, in each check that holds; a check
// here calls Helper only when it fails, since tests compare millions of answers.
//
// The last arguments of a check are a message: a format and its values, or a single value.
package require
