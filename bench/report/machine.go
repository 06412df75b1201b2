package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// loadAverage is the name of the fact that verdicts about times depend on.
const loadAverage = "Load average"

// facts are about the machine that measures, and the commit that is measured.
func facts(root string, l load) []fact {
	return []fact{
		{"Processor", processor()},
		{"Cores", fmt.Sprint(runtime.NumCPU())},
		{"System", runtime.GOOS + "/" + runtime.GOARCH},
		{"Go", runtime.Version()},
		{"Commit", commit(root)},
		{loadAverage, l.String()},
		{"Measured", time.Now().UTC().Format("2006-01-02 15:04 UTC")},
	}
}

// model is the line of Linux that names the processor.
var model = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)

// processor is the model of the CPU, on Linux and macOS.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // missing elsewhere
	m := model.FindSubmatch(info)
	if m != nil {
		return string(m[1])
	}
	name, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
	if err != nil {
		return unknown
	}
	return strings.TrimSpace(string(name))
}

// commit is the commit of the module's folder, as git knows it.
func commit(root string) string {
	hash, err := exec.Command("git", "-C", root, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return unknown
	}
	text := strings.TrimSpace(string(hash))
	changes, err := exec.Command("git", "-C", root, "status", "--porcelain").Output()
	if err != nil || len(changes) > 0 {
		text += ", with changes"
	}
	return text
}

// writeMachine writes the facts beside the numbers.
func writeMachine(folder, root string, l load) error {
	rows := [][]string{{"name", "text"}}
	for _, x := range facts(root, l) {
		rows = append(rows, []string{x.Name, x.Text})
	}
	return trial.WriteCSV(folder, machine, rows)
}

// readMachine reads the facts of the machine that measured, and its load. Without a file they are
// unknown: the machine that draws need not be the one that measured.
func readMachine(folder string) (all []fact, l load) {
	t, err := readTable(folder, machine)
	if err != nil || len(t.header) != 2 {
		return []fact{{"Processor", unknown}, {"Cores", unknown}, {"Go", unknown}, {"Commit", unknown}, {loadAverage, unknown}}, load{}
	}
	for _, row := range t.rows {
		f := fact{row[0], row[1]}
		if f.Name == loadAverage {
			l = parseLoad(f.Text)
			if l.stretch() > 1 {
				f.Text += fmt.Sprintf("; a time may be %.2g times too long", l.stretch())
			}
		}
		all = append(all, f)
	}
	return all, l
}
