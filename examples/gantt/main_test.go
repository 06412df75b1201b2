package main

func Example() {
	main()
	// Output:
	// Instruments, Monday
	// in use │▃▃▃▃▃▃▆▆▆▆▆▆▆▆▆▆▆▆▇▇▇▇▇▇▄▄▄▂▂▂▄▄▄▂▂▂▇▇▇▇▇▇▇▇▇▇▇▇▆▆▆▆▆▆▆▆▆▆▆▆
	//      0 │aaaaaaaaaaaaaaaaaaaaaaaa      bbbbbbbbbbbbbbbbbbcccccccccccc
	//      1 │aaaaaaaaaaaaaaaaaaaaaaaa      bbbbbbbbbbbbbbbbbbcccccccccccc
	//      2 │aaaaaaaaaaaaaaaaaaaaaaaa      bbbbbbbbbbbbbbbbbbcccccccccccc
	//      3 │aaaaaaaaaaaaaaaaaaaaaaaa      bbbbbbbbbbbbbbbbbb
	//      4 │aaaaaaaaaaaaaaaaaaaaaaaa
	//      5 │      bbbbbbbbbbbbccccccccc         aaaaaaaaaaaaaaaaaaaaaaaa
	//      6 │      bbbbbbbbbbbbccccccccc         aaaaaaaaaaaaaaaaaaaaaaaa
	//      7 │      bbbbbbbbbbbbccccccccc         aaaaaaaaaaaaaaaaaaaaaaaa
	//      8 │      bbbbbbbbbbbbccccccccc         aaaaaaaaaaaaaaaaaaaaaaaa
	//      9 │                  cccccccccdddddd   aaaaaaaaaaaaaaaaaaaaaaaa
	//     10 │                  cccccccccdddddd   aaaaaaaaaaaaaaaaaaaaaaaa
	//     11 │                           dddddd   aaaaaaaaaaaaaaaaaaaaaaaa
	//        └┬───────────┬─────▲─────┬───────────┬───────────┬───────────┬───────────
	//         08:00       10:00       12:00       14:00       16:00       18:00
	//        a physics
	//        b biology
	//        c chemistry
	//        d service
	//        ▲ now
}
