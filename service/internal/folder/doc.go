// Package folder works on the desk of a service as a whole: it looks into the folder of a service that is stopped, writes a backup of one that
// runs, and begins a service from a backup.
//
//	folder ──► Open ──┬──► Describe, Dump             what it holds, for people and for programs
//	                  └──► WriteBackup ──► backup     also by GET /v1/backup, while the service runs
//	backup ──► ReadBackup, Restore ──► a new folder   with the same bookings, keys and numbers
//
// Files:
//
//	backup.go   the form of a backup
//	dump.go     the desk for people, and as lines of JSON
package folder
