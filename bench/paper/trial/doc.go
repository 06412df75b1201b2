// Package trial is what the repetitions of the papers' experiments share: they are
// programs with arguments, that tell how far they are; means with their confidence
// intervals; tables as files. A claim of a paper is judged by numbers that scatter from seed to seed:
// it holds, or does not, only where the interval leaves no doubt, and is
// inconclusive otherwise.
package trial
