// Package grid makes one schedule of others.
//
// A Binder gives the reservations of a pool their servers when they start, and
// not before (Kurowski, Oleksiak, Piątek and Węglarz, "Hierarchical scheduling
// strategies for parallel tasks and advance reservations in grids", Journal of
// Scheduling 16, 2013, doi:10.1007/s10951-011-0254-9, §3.2). Numbers are enough
// to plan with then, and more can be accepted than by any schedule that fixes
// servers when it books. Four reservations of one server each, booked in the
// order A B C D:
//
//	time               0    5    10   15   20   25
//	bound when booked
//	  server 0         AAAAAAAAAA     CCCCCCCCCC
//	  server 1              BBBBBBBBBB                D finds no server
//	bound at the start
//	  server 0         AAAAAAAAAADDDDDDDDDD
//	  server 1              BBBBBBBBBBCCCCCCCCCC
package grid
