package main

func Example() {
	main()
	// Output:
	// training: #1 [60, 180) 6
	// four for an hour: [180, 240) 4
	// by minute 120: 4 units do not fit in [30, 90): 2 are free in [60, 90), which changes at 180; the first place is [180, 240), after the deadline 120
	// after that: #2 [30, 90) 4
	// still booked: #2 [30, 90) 4
	// free until minute 180: 4
	// bookahead: Request.Units -9 is less than 1
}
