package trial

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Program is the repetition of a paper's experiments as a command.
type Program struct {
	Name  string
	Flags func(*flag.FlagSet)                      // declares the arguments
	Quick string                                   // the arguments that -quick stands for, such as "jobs=100 repeats=2"
	Check func() error                             // an error if the arguments make no sense
	Run   func(stdout io.Writer, p Progress) error // nil if all has been done
}

// Main runs the program, and returns the exit code: 2 for arguments that make no
// sense, and 1 if it failed. Nothing but flags is expected.
func (p Program) Main(args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	f.SetOutput(stderr)
	p.Flags(f)
	if p.Quick != "" {
		f.BoolFunc("quick", "a scale of less than a minute: "+p.Quick+"; arguments that follow count", func(text string) error {
			quick, err := strconv.ParseBool(text)
			if err != nil || !quick {
				return err
			}
			return set(f, p.Quick)
		})
	}
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	err := p.Check()
	if f.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
		return 2
	}
	if err := p.Run(stdout, NewProgress(stderr)); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
		return 1
	}
	return 0
}

// set gives arguments their values.
func set(f *flag.FlagSet, values string) error {
	for _, field := range strings.Fields(values) {
		name, value, _ := strings.Cut(field, "=")
		if err := f.Set(name, value); err != nil {
			return fmt.Errorf("-%s: %w", name, err)
		}
	}
	return nil
}

// Progress prints the step that is under way, and each step that is done, with the seconds
// so far.
type Progress struct {
	out      io.Writer
	terminal bool
	began    time.Time
}

// NewProgress begins now.
func NewProgress(out io.Writer) Progress {
	p := Progress{out: out, began: time.Now()}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// Now prints the step that is under way, if the output is a terminal.
func (p Progress) Now(format string, args ...any) {
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K"+format, args...)
	}
}

// Done prints a line about a step that is done.
func (p Progress) Done(format string, args ...any) {
	p.Now("")
	fmt.Fprintf(p.out, "%4.0f s  %s\n", time.Since(p.began).Seconds(), fmt.Sprintf(format, args...))
}
