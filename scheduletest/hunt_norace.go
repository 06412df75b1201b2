//go:build !race

package scheduletest

// raceEnabled says that the race detector allocates too.
const raceEnabled = false
