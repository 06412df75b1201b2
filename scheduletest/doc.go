// Package scheduletest checks that a structure keeps the contract of
// bookahead.Schedule. A structure's own test file needs a few lines:
//
//	var target = scheduletest.Target{Name: "mine", New: newMine}
//
//	func TestMine(t *testing.T)      { scheduletest.Run(t, target) }
//	func FuzzMine(f *testing.F)      { scheduletest.Fuzz(f, target) }
//	func BenchmarkMine(b *testing.B) { scheduletest.Benchmark(b, target) }
//
// Run makes one subtest for each of
//
//   - Model: random operations on the structure and on an oracle side by side. The oracle has one
//     cell for each tick, or for each tick and server, and is as simple as possible. After every
//     operation each tick is compared, and the invariants of the structure are checked: by
//     CheckInvariants() error, which a _test.go file may declare, or else by Verify() error, if
//     it has either.
//   - Crowded: the same on schedules with a few hundred reservations.
//   - Small: every short sequence of operations over a tiny domain, with two units or servers and
//     five ticks, clones and snapshots among the operations, beside the oracle. Sequences that
//     lead to the same memory, caches included, go on as one. So a structure must be
//     deterministic, and keep its state in itself.
//   - Laws: the nine laws of bookahead.Schedule and the promises of Keeper, each checked on its
//     own, on schedules with a random history. The laws need no oracle, except for reservations
//     from the start (Target.Booked). Behind bookahead.Locked a schedule must give the same
//     answers. The race detector sees more of law 8.
//   - Hunt: histories of 30 calls with numbers at the edges, from 0 to 2^61, the largest int64 and
//     their neighbours, beside an oracle whose work does not depend on the size of a number. All
//     functions of package bookahead that take a schedule are called. No call may panic, hang, or
//     allocate memory in proportion to a number; an error must leave all answers as they were. The
//     sizes that New is given are hunted too: New refuses those that make no sense, and those for
//     which it has no room, with ErrInvalid. Memory is not measured under the race detector.
//   - Invalid: a table of bad calls, each of which must fail in the right way
//     and change nothing.
//   - Known: the faults of other planners, a test for each.
//
// The five methods of bookahead.Schedule suffice. A Keeper is tested as a Keeper, and other
// abilities, such as Profiler, Cloner and Snapshotter, are tested where bookahead.View finds
// them. Where a schedule is Closable, a Tracker or a Displacer, half of the runs of Model close,
// extend, end and displace, and the laws do so in the histories that they draw. Openings, Offers
// and SearchLatest are compared for every schedule, both by its own methods and by the methods of
// Schedule alone. For a structure that reads snapshots,
//
//	func FuzzMineSnapshot(f *testing.F) { scheduletest.FuzzSnapshot(f, target) }
//
// lets the fuzzer make up snapshots.
//
// Small runs 15 000 operations: all sequences of up to three, and a sample of those of four. Model draws 8 000 operations on a
// pool, and 4 000 on servers, brokers and binders. Hunt draws 50 histories. The environment variable BOOKAHEAD_OPS has another
// number in the place of 20 000, and all others change in proportion. -short divides them by four. On a pool, Small runs all
// sequences of up to four with 140 000, and all of up to five with 2 000 000. A failure prints the shortest sequence of
// operations that shows it, and the flag that reruns it.
package scheduletest
