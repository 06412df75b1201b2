package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
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

// processor is the model of the CPU.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		if name, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output(); err == nil {
			return strings.TrimSpace(string(name))
		}
		return unknown
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, model, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return unknown
}

// commit is what git says of the module's folder, or else what the build knows.
func commit(root string) string {
	hash, err := exec.Command("git", "-C", root, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return built()
	}
	text := strings.TrimSpace(string(hash))
	changes, err := exec.Command("git", "-C", root, "status", "--porcelain").Output()
	if err != nil || len(changes) > 0 {
		text += ", with changes"
	}
	return text
}

// built is the commit that the program was built from.
func built() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	text := unknown
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && s.Value != "" {
			text = s.Value
		}
	}
	return text
}

// writeMachine writes the facts beside the numbers.
func writeMachine(folder, root string) error {
	f, err := os.Create(filepath.Join(folder, machine))
	if err != nil {
		return err
	}
	defer f.Close()
	rows := [][]string{{"name", "text"}}
	for _, x := range facts(root) {
		rows = append(rows, []string{x.Name, x.Text})
	}
	if err := csv.NewWriter(f).WriteAll(rows); err != nil {
		return err
	}
	return f.Close()
}

// readMachine reads the facts of the machine that measured. Where there are none,
// they are unknown: it need not be this one.
func readMachine(folder string) []fact {
	t, err := readTable(folder, machine)
	if err != nil || len(t.header) != 2 {
		var all []fact
		for _, name := range []string{"Processor", "Cores", "Go", "Commit"} {
			all = append(all, fact{name, unknown})
		}
		return all
	}
	var all []fact
	for _, row := range t.rows {
		all = append(all, fact{row[0], row[1]})
	}
	return all
}
