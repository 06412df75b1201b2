// Package disklog keeps the log, the votes and the snapshots of a member of Raft in a folder. It knows no desk: entries
// and states are bytes.
//
//	Open ─► lock ─► snapshots ─► meta file ─► each byte of the log ─► repairs ─► raft-wal
//	                └──── nothing is written: ErrDamaged ────────┘
//
// After a loss of power, a kill or an error of the disk, all that was answered is there. A byte that has changed is
// noticed at the next Open, and refused by an error with its place. Two places are no error, since nothing is lost: if
// one slot of the meta file is bad, the other slot has all, and Open writes both again; an older snapshot that is
// not whole is removed, with a warning. A full disk refuses entries, and takes them again once it has room; votes need no
// room.
//
// raft-wal writes the entries. It alone would take a damaged byte for the end of the log, start anew over missing
// files, and refuse all entries after some errors. The files around it prevent that.
//
// # Why not raft-boltdb
//
// raft-boltdb v2.2.2 on bbolt v1.4.3 took the same tests in November 2026. 12 000 bits of a log of 400 entries were
// flipped, one at a time. "And sums" has a sum for each entry and vote, and Open reads all entries and runs bbolt's own
// check. "And pages" also reads each page of bbolt by its private format, before bbolt does:
//
//	                                  disklog   raft-boltdb   and sums   and pages
//	refused, or read right             12 000         3 753     11 989      12 000
//	wrong or missing, without an error      0         8 073          0           0
//	a panic, a fault or a hang              0           174         11           0
//	lines of code around it             1 055             0        510         690
//
// bbolt has no sums in its pages. Of 1 088 flips in the counts of pages, one hid the vote and one the last entries in
// spite of sums, and 39 killed the process or kept bbolt's check busy for good. After a sync that failed, bbolt writes
// over pages that the disk still needs: a loss of power then destroyed the log in 11 of 18 runs, until a sync
// followed each error. With that sync, losses of power and full disks were survived.
//
// With 64 callers, on a busy machine, raft-boltdb with sums made 0.38 times the bookings of disklog on one member (0.35
// behind a snapshot), and 0.55 times on three. So it is fast enough, and not safe enough: sums alone do not protect it,
// and a reader of its pages would be segment_check.go again, for a format that bbolt may change.
//
// # Files
//
//	store.go          the folder: Open, and the parts that it returns
//	errors.go         its errors
//	log_check.go      the whole log is checked before it is trusted
//	segment_check.go  one file of the log is checked
//	journal.go        the log; it goes on after errors of the disk
//	wal_files.go      files of the log: whole from the start, zeros behind their end
//	meta.go           the vote and the list of segments, in a file that never grows
//	meta_bytes.go     the bytes of that file
//	snapshots.go      snapshots, whose descriptions have a sum too
//	syncer.go         bytes and names are put onto the disk
//	space_unix.go     free room on the disk; space_windows.go and space_other.go for other systems
//	lock_unix.go      one process at a time opens a folder; lock_windows.go and lock_other.go for other systems
package disklog
