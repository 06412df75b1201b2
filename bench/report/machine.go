package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

const unknown = "unknown"

// facts are about the machine that measures, and what it measures.
func facts(root string) []fact {
	return []fact{
		{"Processor", processor()},
		{"Cores", fmt.Sprint(runtime.NumCPU())},
		{"System", runtime.GOOS + "/" + runtime.GOARCH},
		{"Go", runtime.Version()},
		{"Commit", commit(root)},
		{"Measured", time.Now().UTC().Format("2006-01-02 15:04 UTC")},
	}
}

// model is the line of Linux that names the processor.
var model = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)

// processor is the model of the CPU, on Linux and macOS.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // missing elsewhere
	if m := model.FindSubmatch(info); m != nil {
		return string(m[1])
	}
	name, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
	if err != nil {
		return unknown
	}
	return strings.TrimSpace(string(name))
}

// commit is what git says of the module's folder.
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
func writeMachine(folder, root string) error {
	rows := [][]string{{"name", "text"}}
	for _, x := range facts(root) {
		rows = append(rows, []string{x.Name, x.Text})
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, machine), text.Bytes(), 0o644)
}

// readMachine reads the facts of the machine that measured. Where there are none,
// they are unknown: it need not be this one.
func readMachine(folder string) []fact {
	t, err := readTable(folder, machine)
	if err != nil || len(t.header) != 2 {
		return []fact{{"Processor", unknown}, {"Cores", unknown}, {"Go", unknown}, {"Commit", unknown}}
	}
	var all []fact
	for _, row := range t.rows {
		all = append(all, fact{row[0], row[1]})
	}
	return all
}
