package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

const module = "github.com/bookahead/bookahead"

// measure runs the commands of the chapters one after the other, so that none disturbs the
// times of another, and keeps their files in the folder. If a command fails, a file there
// says why, and that is no error.
func measure(folder string, chapters []chapter, stderr io.Writer) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("finding the module %s: %w", module, err)
	}
	dir := strings.TrimSpace(string(root))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	before, known := loadNow()
	progress := trial.NewProgress(stderr)
	for i, c := range chapters {
		if c.apart {
			continue
		}
		progress.Done("%d of %d: %s", i+1, len(chapters), c.title)
		if err := c.measure(filepath.Join(folder, c.id), dir, stderr); err != nil {
			return err
		}
	}
	progress.Done("all is measured")
	return writeMachine(folder, dir, loadSince(before, known))
}

// measure runs the chapter's command.
func (c chapter) measure(folder, root string, stderr io.Writer) error {
	err := os.MkdirAll(folder, 0o755)
	if err != nil {
		return err
	}
	err = os.RemoveAll(filepath.Join(folder, failure)) // of an earlier run
	if err != nil {
		return err
	}
	err = os.WriteFile(filepath.Join(folder, commanded), []byte(c.shown()+"\n"), 0o644)
	if err != nil {
		return err
	}
	var out, said bytes.Buffer
	command := exec.Command("go", c.arguments(folder)...)
	command.Dir, command.Stdout, command.Stderr = root, &out, io.MultiWriter(stderr, &said)
	failed := command.Run()
	if failed != nil {
		fmt.Fprintf(stderr, "report: %s: %v\n", c.shown(), failed)
		text := said.String()
		if c.output == benchmarks {
			text = out.String() // where go test says which test failed
		}
		why := fmt.Sprintf("%s failed: %v\n\n%s", c.shown(), failed, tail(text))
		return os.WriteFile(filepath.Join(folder, failure), []byte(why), 0o644)
	}
	if c.output == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(folder, c.output), out.Bytes(), 0o644)
}

// arguments splits the command. A word may stand in single quotes, as in a shell, and has no space.
func (c chapter) arguments(folder string) []string {
	words := strings.Fields(c.command)
	for i, word := range words {
		if word == "%s" {
			word = folder
		}
		words[i] = strings.Trim(word, "'")
	}
	return words
}

const tailBytes = 2000

// tail returns the last lines of a text, at most tailBytes bytes.
func tail(text string) string {
	n := len(text) - tailBytes
	if n > 0 {
		text = text[n:]
		text = text[strings.IndexByte(text, '\n')+1:] // lines as a whole
	}
	return strings.TrimSpace(text)
}
