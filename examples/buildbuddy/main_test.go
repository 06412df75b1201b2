package main

func Example() {
	main()
	// Output:
	//                tests wait, s at most, s others wait, s cores in use
	// strict FIFO              248           579           211          80%
	// naive backfill           200           391            19          90%
	// EASY(1)                   61           116            10          91%
	// broken promises: 0
}
