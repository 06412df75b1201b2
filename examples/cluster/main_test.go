package main

func Example() {
	main()
	// Output:
	// #1 training: 0:00 to 24:00, 1 on 0-11
	// #2 gang: 0:00 to 6:00, 1 on 12, 2 on 13-15
	// #3 notebooks: 0:00 to 10:00, 3 on 12, 5 on 16
	// 64 GPUs: 10:00 to 22:00, 1 on 16-23
	// rack 1 is drained from 4:00 to 8:00
	//   #1 moves: 0:00 to 24:00, 1 on 0-7, 1 on 16-19
	//   #2 moves: 0:00 to 6:00, 1 on 20, 2 on 21-23
	//   #3 moves: 6:00 to 16:00, 8 on 20
	// node 3 fails at 5:00
	//   #1 moves: 6:00 to 25:00, 1 on 0-2, 1 on 4-7, 1 on 16-19, 1 on 21
	// 64 GPUs: 8:00 to 20:00, 1 on 8-15
}
