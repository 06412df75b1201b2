//go:build race

package scheduletest

const raceEnabled = true
