package main

func Example() {
	main()
	// Output:
	// stage in  alone from 0
	// north     alone from 90
	// south     alone from 20
	// line      alone from 20
	// stage out alone from 80
	// archive   alone from 80
	// together from 145
	// stage in  #2 [145, 165) 30
	// north     #2 [165, 225) [0 1 2 3 4 5 6 7]
	// south     #2 [165, 225) 32
	// line      #3 [165, 225) 10
	// stage out #4 [225, 240) 40
	// archive   #1 [225, 240) 1
	// another by 300: bookahead: no capacity for the request true
	// another, if it may wait: 240
}
