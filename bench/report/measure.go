package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const module = "github.com/bookahead/bookahead"

// measure runs the programs of the chapters one after the other, so that none
// disturbs another's times, and writes what they say to the folder. A program that
// fails is told of there, and is no error.
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
	if err := writeMachine(folder, dir); err != nil {
		return err
	}
	began := time.Now()
	for i, c := range chapters {
		fmt.Fprintf(stderr, "%4.0f s  %d of %d: %s\n", time.Since(began).Seconds(), i+1, len(chapters), c.title)
		if err := c.measure(filepath.Join(folder, c.id), dir, stderr); err != nil {
			return err
		}
	}
	fmt.Fprintf(stderr, "%4.0f s  all is measured\n", time.Since(began).Seconds())
	return nil
}

// measure runs the chapter's program.
func (c chapter) measure(folder, root string, stderr io.Writer) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(folder, failure)); err != nil { // of an earlier run
		return err
	}
	args := strings.Fields(c.run())
	if i := slices.Index(args, "%s"); i >= 0 {
		args[i] = folder
	}
	shown := "go " + strings.Replace(c.run(), "%s", "out/"+c.id, 1)
	if err := os.WriteFile(filepath.Join(folder, commanded), []byte(shown+"\n"), 0o644); err != nil {
		return err
	}
	var out, said bytes.Buffer
	command := exec.Command("go", args...)
	command.Dir, command.Stdout, command.Stderr = root, &out, io.MultiWriter(stderr, &said)
	failed := command.Run()
	if failed != nil {
		fmt.Fprintf(stderr, "report: %s: %v\n", c.program(), failed)
		why := fmt.Sprintf("%s failed: %v\n\n%s", c.program(), failed, tail(said.String()))
		return os.WriteFile(filepath.Join(folder, failure), []byte(why), 0o644)
	}
	if c.output == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(folder, c.output), out.Bytes(), 0o644)
}

const tailBytes = 2000

// tail returns the last lines of a text, tailBytes of them at most.
func tail(text string) string {
	if n := len(text) - tailBytes; n > 0 {
		text = text[n:]
		text = text[strings.IndexByte(text, '\n')+1:] // lines as a whole
	}
	return strings.TrimSpace(text)
}
