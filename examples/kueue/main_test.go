package main

func Example() {
	main()
	// Output:
	//               large waits others wait, min GPU-h evicted GPUs in use
	// best effort       15 h 32               26            19         72%
	// planned            1 h 46               51             0         74%
	//
	// workload  told to wait   waited
	// w5               0 min    0 min
	// large          176 min  106 min
	// w35             52 min   24 min
	// w65            140 min  140 min
	// w95            140 min  135 min
	// w125             0 min    0 min
	// off by 35 min in the mean; 150 of 150 start by the time that they were told
}
