package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tries is how often a command is run at most until nothing disturbs it.
const tries = 3

// dates is the form of the date in the head of a sitting.
const dates = "2 January 2006"

// sit measures some commands, and keeps a file for each in a folder of its own.
func sit(ctx context.Context, list []command, folder string) error {
	began := time.Now().UTC()
	folder = filepath.Join(folder, began.Format("2006-01-02T1504"))
	err := os.MkdirAll(folder, 0o777)
	if err != nil {
		return err
	}
	first := look()
	for i, c := range list {
		fmt.Printf("%d of %d: %s (after %s)\n", i+1, len(list), strings.Join(c.args, " "), time.Since(began).Round(time.Second))
		out, trouble, err := c.measure(ctx, first, look)
		if err == nil && slices.Contains(c.args, "-bench") && !bytes.Contains(out, []byte("\nBenchmark")) {
			err = errors.New("no benchmark has run")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if trouble != "" {
			fmt.Println("  disturbed:", trouble)
		}
		head := fmt.Sprintf("# %s\n# %s\n# %s\n# %s\n", began.Format(dates), machine(), strings.Join(c.args, " "), trouble)
		err = os.WriteFile(filepath.Join(folder, c.name+".txt"), append([]byte(head), out...), 0o666)
		if err != nil {
			return err
		}
	}
	return nil
}

// measure runs a command until nothing disturbs it, and returns its last output, and what disturbed that.
func (c command) measure(ctx context.Context, first state, look func() state) (out []byte, trouble string, err error) {
	before := look()
	for range tries {
		out, err = c.output(ctx)
		if err != nil {
			return nil, "", err
		}
		after := look()
		trouble = quiet([]state{first, before, after})
		if trouble == "" {
			return out, "", nil
		}
		before = after
	}
	return out, trouble, nil
}

func (c command) output(ctx context.Context) ([]byte, error) {
	var out, complaints bytes.Buffer
	run := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	run.Stdout, run.Stderr = &out, io.MultiWriter(&complaints, os.Stderr)
	err := run.Run()
	if err != nil {
		return nil, fmt.Errorf("%w: %s%s", err, out.Bytes(), complaints.Bytes())
	}
	return out.Bytes(), nil
}

// machine names the processors, as Linux does.
func machine() string {
	data, _ := os.ReadFile("/proc/cpuinfo") // missing elsewhere
	name, cores := "an unknown processor", 0
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(key) {
		case "model name":
			name = strings.TrimSpace(value)
			cores++
		}
	}
	return fmt.Sprintf("%d cores of %s", cores, name)
}
