package main

func Example() {
	main()
	// Output:
	// course has 3 mornings
	// ann has scope [2], Mon 6:00 to Wed 6:00
	// bob has scope [0], Mon 12:00 to Mon 16:00
	// cho has scope [1], Mon 12:00 to Mon 16:00
	// Mon 8:00, scope 0 is broken
	//   to course: no place for Mon 9:00 to Mon 12:00
	//   to course: now Wed 9:00 to Wed 12:00, scope [1 2]
	//   to course: now Fri 9:00 to Fri 12:00, scope [1 2]
	//   to bob: now Mon 16:00 to Mon 20:00, scope [1]
	// dee is waiting
	// Tue 15:00, scope 0 is repaired
	//   to dee: Wed 6:00 to Wed 7:00 is yours
}
