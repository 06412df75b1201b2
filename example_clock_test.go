package bookahead_test

import (
	"fmt"
	"log"
	"time"
	_ "time/tzdata" // the example needs the zones, wherever it runs

	"github.com/bookahead/bookahead"
)

// The same lesson from Friday to Monday. A day is not always 24 hours long, so a time
// of day becomes a tick by way of its date, and not by adding days.
func ExampleClock() {
	city, err := time.LoadLocation("America/New_York")
	if err != nil {
		log.Fatal(err)
	}
	minutes := bookahead.Clock{Epoch: time.Date(2025, time.March, 7, 0, 0, 0, 0, city), Tick: time.Minute}
	for day := 7; day <= 10; day++ { // the clocks go forward on the 9th
		lesson := time.Date(2025, time.March, day, 9, 0, 0, 0, city)
		start, err := minutes.Ceil(lesson)
		if err != nil {
			log.Fatal(err)
		}
		midnight, _ := minutes.Ceil(time.Date(2025, time.March, day, 0, 0, 0, 0, city))
		fmt.Println(lesson.Format("Mon 15:04 MST"), "is tick", start, "and", start-midnight, "after midnight")
	}
	// Output:
	// Fri 09:00 EST is tick 540 and 540 after midnight
	// Sat 09:00 EST is tick 1980 and 540 after midnight
	// Sun 09:00 EDT is tick 3360 and 480 after midnight
	// Mon 09:00 EDT is tick 4800 and 540 after midnight
}
