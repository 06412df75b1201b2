//go:build !race

package scheduletest

const raceEnabled = false
