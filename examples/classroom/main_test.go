package main

func Example() {
	main()
	// Output:
	// statistics  Mon 4 Jan 10:00 EST to 12:00, last Mon 22 Mar 10:00 EDT to 12:00
	// compilers   in week 1: bookahead: no capacity for the request
	// geography   Mon 4 Jan 12:00 EST to 13:30, last Mon 22 Mar 12:00 EDT to 13:30
	// compilers   Wed 6 Jan 09:00 EST to 11:00, last Wed 24 Mar 09:00 EDT to 11:00
	//  6 students: Mon 4 Jan 09:45 EST to 11:45
	//  2 students: Mon 4 Jan 09:45 EST to 11:45
	//  8 students: Mon 4 Jan 11:45 EST to 13:45
	// 12 students: Mon 4 Jan 13:30 EST to 15:30
	// eight more cannot start now: 0 are free in Mon 4 Jan 10:00 EST to 11:45
}
