package main

func Example() {
	main()
	// Output:
	// genomes  100 Gb/s, Mon 06:00 to Mon 07:20
	// climate  100 Gb/s, Mon 07:20 to Mon 09:47
	// backup   100 Gb/s, Mon 04:00 to Mon 04:54
	// movie    bookahead: no capacity for the request
	//    as 80 units of "line" are taken by #1, #5, #2, #3, #4, and free at 09:47
	//    or  80 Gb/s, Mon 09:47 to Mon 13:49, 145 TB
	//    or  30 Gb/s, Mon 00:00 to Mon 03:02, 41 TB
	// genomes  bookahead: no capacity for the request
	//    as quota "day" has 8000 of 20000 unit-ticks in use by #3, and room for 13340 at 20:00
	//    or  20 Gb/s, Mon 10:00 to Mon 19:07, 82 TB
	//    or  10 Gb/s, Mon 10:00 to Mon 21:07, 50 TB
	// genomes  100 Gb/s, Tue 04:00 to Tue 06:14
	// genomes has 60 of 150 TB on Monday
	// the calendar, after a restart from 734 bytes:
	// Mon 00:00 │
	// Mon 01:00 │█████████████████
	// Mon 02:00 │█████████████████
	// Mon 03:00 │█████████████████
	// Mon 04:00 │█████████████████████████
	// Mon 05:00 │█████████████████████████
	// Mon 06:00 │█████████████████████████
	// Mon 07:00 │█████████████████████████
	// Mon 08:00 │█████████████████████████
	// Mon 09:00 │█████████████████████████
	// Mon 10:00 │
	// Mon 11:00 │
}
