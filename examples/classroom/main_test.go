package main

func Example() {
	main()
	// Output:
	// statistics  35 times:  Mon 4 Jan 10:00 EST to 12:00  Mon 15 Mar 10:00 EDT to 12:00  Mon 6 Dec 10:00 EST to 12:00
	// compilers   no place: Mon 4 Jan 11:00 EST to 13:00
	// geography   35 times:  Mon 4 Jan 12:00 EST to 13:00  Mon 15 Mar 12:00 EDT to 13:00  Mon 6 Dec 12:00 EST to 13:00
	// compilers   34 times:  Wed 6 Jan 09:00 EST to 11:00  Wed 17 Mar 09:00 EDT to 11:00  Wed 8 Dec 09:00 EST to 11:00
	// astronomy   no place: Fri 8 Jan 19:00 EST to 21:00
	// ann has 2, Mon 4 Jan 09:45 EST to 11:45
	// bob has 2, Mon 4 Jan 09:45 EST to 11:45
	// cho waits for 8
	// dee has 3, Mon 4 Jan 09:45 EST to 11:45
	// eve waits for 4
	// ann has 3, Mon 11 Jan 08:00 EST to 10:00
	// dee cancelled
	// eve booked
	// eve started
	// BEGIN:VCALENDAR
	// VERSION:2.0
	// PRODID:-//bookahead//recur//EN
	// BEGIN:VEVENT
	// UID:71@lab.example
	// DTSTAMP:20270104T050000Z
	// DTSTART:20270106T140000Z
	// DTEND:20270106T160000Z
	// SUMMARY:compilers
	// LOCATION:20 of lab
	// STATUS:CONFIRMED
	// END:VEVENT
	// and 33 more
}
