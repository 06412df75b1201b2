// Package trial has the parts that the repetitions of the papers' experiments share.
// They are programs with arguments that report their progress (Program), as
// bench/cmd/compare is. Their tables are printed and written to files (Table). They
// judge the claims of a paper by numbers that scatter from seed to seed (Sample): a
// claim holds, or does not, only where the confidence interval leaves no doubt, and is
// inconclusive otherwise. A Finding is the verdict on a Claim; WriteClaims and ClaimRows
// list the findings, in the same columns for each program.
package trial
