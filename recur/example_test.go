package recur_test

import (
	"fmt"
	"log"
	"time"
	_ "time/tzdata" // the example needs the zones, wherever it runs

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/recur"
)

// A class meets every second Tuesday from 9 to 11 in Berlin, but not in the holidays. The clocks go forward on 29 March: on
// the wall it is 9 on each day, and in ticks a day of the change has 23 hours.
func ExampleRule() {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		log.Fatal(err)
	}
	class := recur.Rule{
		Start: time.Date(2026, time.March, 3, 9, 0, 0, 0, berlin), Length: 2 * time.Hour,
		Freq: recur.Weekly, Interval: 2, Days: []time.Weekday{time.Tuesday}, Count: 5,
		Except: []time.Time{time.Date(2026, time.March, 31, 9, 0, 0, 0, berlin)},
	}
	fmt.Println(class)
	for start, end := range class.Between(time.Time{}, time.Time{}) {
		fmt.Println(start.Format("Mon 2 Jan 15:04"), "to", end.Format("15:04 MST"))
	}

	// Schedules count ticks: here the quarters of an hour since March began.
	clock := bookahead.Clock{Epoch: time.Date(2026, time.March, 1, 0, 0, 0, 0, berlin), Tick: 15 * time.Minute}
	at, err := class.Occurrences(clock, bookahead.Interval{Start: 0, End: bookahead.MaxTime})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(at)
	// Output:
	// FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;COUNT=5
	// Tue 3 Mar 09:00 to 11:00 CET
	// Tue 17 Mar 09:00 to 11:00 CET
	// Tue 14 Apr 09:00 to 11:00 CEST
	// Tue 28 Apr 09:00 to 11:00 CEST
	// [[228, 236) [1572, 1580) [4256, 4264) [5600, 5608)]
}

// A laboratory is open from 8 to 20 on weekdays, and from 10 to 14 on Saturdays. A tick is an hour, and tick 0 is midnight of
// a Friday.
func ExampleHours() {
	friday := time.Date(2026, time.March, 6, 0, 0, 0, 0, time.UTC)
	weekdays, err := recur.ParseRule("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", friday.Add(8*time.Hour), 12*time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	saturdays, err := recur.ParseRule("FREQ=WEEKLY;BYDAY=SA", friday.Add(34*time.Hour), 4*time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	open, err := recur.Hours(bookahead.Clock{Epoch: friday, Tick: time.Hour}, bookahead.Interval{Start: 0, End: 5 * 24}, weekdays, saturdays)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(open)
	// Output:
	// [[8, 20) [34, 38) [80, 92) [104, 116)]
}
