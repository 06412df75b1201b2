package main

func Example() {
	main()
	// Output:
	// statistics  12 weeks, first Mon 10:00 to 12:00
	// compilers   in week 1: bookahead: no capacity for the request
	// geography   12 weeks, first Mon 12:00 to 13:30
	// compilers   12 weeks, first Wed 09:00 to 11:00
	//  6 students: Mon 09:45 to 11:45
	//  2 students: Mon 09:45 to 11:45
	//  8 students: Mon 11:45 to 13:45
	// 12 students: Mon 13:30 to 15:30
	// eight more cannot start now: 0 are free in Mon 10:00 to 11:45
}
