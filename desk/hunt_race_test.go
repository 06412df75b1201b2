//go:build race

package desk

const countsBytes = false
