// Package account says what an owner may use, and from when. It knows owners as text, labels, schedules by number, resources
// by name, and intervals with amounts. Whoever books something says how much of it each rule counts.
//
//	rule.go      what a quota counts, and its bounds
//	accounts.go  the use that all rules count
//	past.go      use of which only the accounts know, and use that no longer matters
//	set.go       rules that come into force, take the place of others, and go
//	verify.go    whether accounts have a use
//	claims.go    the first start that all rules allow
//	trial.go     accounts as they would be, and whether that breaks a bound
//
// A rule has an account for each owner, or one for all owners. An account is a step function over time:
//
//	rule "gpus", for each owner      ann   ▒▒▒▒▒▒▒▒░░░▒▒▒▒
//	                                 bob   ░░░░▒▒▒▒▒
//	rule "all"                       ""    ▒▒▒▒▓▓▓▓▓░░▒▒▒▒       the sum
//
// Only the last ticks before the clock matter to a rule: a window behind the clock, and the period that contains the clock.
// No answer depends on earlier use, whether an account still has it or has forgotten it.
package account
