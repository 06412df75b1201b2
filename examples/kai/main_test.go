package main

func Example() {
	main()
	// Output:
	//                    large starts others wait, min GPUs in use
	// greedy                    65:19               28         82%
	// reserve, backfill          9:09               81         84%
	// its promise was broken 17 times, since ends are guessed
}
