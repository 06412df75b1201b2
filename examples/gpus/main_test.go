package main

func Example() {
	main()
	// Output:
	// without maintenance: 216.8 hours of waiting
	// day 1,  0:00: 249.9
	// day 1,  6:00: 254.0
	// day 1, 12:00: 272.2
	// day 1, 18:00: 233.3
	// day 2,  0:00: 274.1
	// day 2, 18:00: 227.9
	// maintenance: #37 [3960, 4680) 16
	// the last place before day 5: day 3, 23:00
}
