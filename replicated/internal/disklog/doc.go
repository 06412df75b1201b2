// Package disklog keeps the log, the votes and the snapshots of a member of Raft in a folder. It knows no desk: entries
// and states are bytes.
//
//	Open ─► lock ─► snapshots ─► meta file ─► each byte of the log ─► repairs ─► raft-wal
//	                └──── nothing is written: ErrDamaged ────────┘
//
// After a loss of power, a kill or an error of the disk, all that was answered is there. A byte that has changed is
// noticed at the next Open, and refused by an error with its place. A full disk refuses entries, and takes them again
// once it has room; votes need no room.
//
// raft-wal writes the entries. It alone would take a damaged byte for the end of the log, start anew over missing
// files, and refuse all entries after some errors. The files around it prevent that.
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
