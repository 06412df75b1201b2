// Package trial is what the repetitions of the papers' experiments share:
// means with their confidence intervals, lists of numbers as arguments, and tables
// as files. A claim of a paper is judged by numbers that scatter from seed to seed:
// it holds, or does not, only where the interval leaves no doubt, and is
// inconclusive otherwise.
package trial
