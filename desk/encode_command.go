package desk

import (
	"reflect"
	"slices"

	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// commandForms are the coders of the commands. The index of a command is its number in the bytes, so it may
// never change; new commands come last.
var commandForms = []struct {
	verb string
	code func(coder, Command) Command
}{
	{},
	{"add", as[Command, AddSchedule]},
	{"book", as[Command, Book]},
	{"commit", as[Command, Commit]},
	{"change", as[Command, Change]},
	{"cancel", as[Command, Cancel]},
	{"end", as[Command, End]},
	{"overrun", as[Command, Overrun]},
	{"close", as[Command, Close]},
	{"reopen", as[Command, Reopen]},
	{"extend", as[Command, Extend]},
	{"advance", as[Command, Advance]},
	{"batch", nil}, // codeCommand codes it; within a batch there is none
	{"bookSeries", as[Command, BookSeries]},
	{"continue", as[Command, Continue]},
	{"cancelSeries", as[Command, CancelSeries]},
	{"setTerms", as[Command, SetTerms]},
	{"setQuota", as[Command, SetQuota]},
	{"dropQuota", as[Command, DropQuota]},
}

// batchNumber is that of a Batch.
const batchNumber = 12

// verbs are the names of the commands, by number.
var verbs = func() (list []string) {
	for _, f := range commandForms {
		list = append(list, f.verb)
	}
	return list
}()

// codeCommand codes a command with its name.
func codeCommand(x coder, c *Command) {
	number := verbOf(*c)
	x.word("do", &number, verbs)
	switch {
	case !x.ok():
	case number == batchNumber:
		*c = as[Command, Batch](x, *c)
	default:
		*c = commandForms[number].code(x, *c)
	}
}

// codeOne codes a command of a batch, which is no batch itself: so no reader recurses as deep as forged bytes nest.
func codeOne(x coder, c *Command) {
	number := verbOf(*c)
	x.word("do", &number, verbs)
	if x.ok() && number == batchNumber {
		x.fail("do", "batch", "is within a batch already")
	}
	if x.ok() {
		*c = commandForms[number].code(x, *c)
	}
}

// verbOf returns the number of a command; 0 for nil.
func verbOf(c Command) uint8 {
	if c == nil {
		return 0
	}
	return uint8(max(0, slices.Index(verbs, c.verb())))
}

func (c *AddSchedule) code(x coder) {
	x.text("name", &c.Name)
	x.open("kind")
	codeKind(x, &c.Kind)
	x.close()
}

func (c *Book) code(x coder) {
	x.text("key", &c.Key)
	c.Request.code(x)
	number(x, "hold", &c.Hold)
	c.Force.code(x)
	number(x, "wait", &c.Wait)
}

func (c *Commit) code(x coder) { counter(x, "id", &c.ID) }

func (c *Change) code(x coder) {
	counter(x, "id", &c.ID)
	object(x, "to", &c.To)
	c.Force.code(x)
}

func (c *Cancel) code(x coder) { counter(x, "id", &c.ID) }

func (c *End) code(x coder) { counter(x, "id", &c.ID) }

func (c *Overrun) code(x coder) {
	counter(x, "id", &c.ID)
	number(x, "until", &c.Until)
	c.Force.code(x)
}

func (c *Close) code(x coder) {
	x.text("on", &c.On)
	span(x, &c.Interval)
	number(x, "units", &c.Units)
	ints(x, "servers", &c.Servers)
	x.text("title", &c.Title)
	c.Force.code(x)
	number(x, "priority", &c.Priority)
}

func (c *Reopen) code(x coder) {
	counter(x, "id", &c.ID)
	number(x, "at", &c.At)
}

func (c *Extend) code(x coder) {
	x.text("on", &c.On)
	span(x, &c.Interval)
	number(x, "units", &c.Units)
	list(x, "nodes", &c.Nodes, func(n *nodes.Added) { object(x, "", (*addedNode)(n)) })
	x.text("title", &c.Title)
}

func (c *Advance) code(x coder) { number(x, "now", &c.Now) }

func (f *Force) code(x coder) { x.text("force", (*string)(f)) }

func (r *Request) code(x coder) {
	x.text("owner", &r.Owner)
	x.text("title", &r.Title)
	texts(x, "labels", &r.Labels)
	number(x, "priority", &r.Priority)
	number(x, "ready", &r.Ready)
	number(x, "deadline", &r.Deadline)
	list(x, "shapes", &r.Shapes, func(s *Shape) { objects(x, "", (*[]Part)(s)) })
}

func (p *Part) code(x coder) {
	x.text("on", &p.On)
	number(x, "units", &p.Units)
	number(x, "duration", &p.Duration)
	number(x, "offset", &p.Offset)
	optional(x, "after", &p.After)
	ints(x, "servers", &p.Servers)
	tasks := (*tasks)(p.Tasks)
	optional(x, "tasks", &tasks)
	if x.reads() {
		p.Tasks = (*nodes.Request)(tasks)
	}
}

func (g *Gap) code(x coder) {
	number(x, "least", &g.Least)
	numberFrom(x, "most", &g.Most, g.Least)
}

// tasks is a request for nodes without its times and its number of tasks, since the part has these.
type tasks nodes.Request

func (t *tasks) code(x coder) {
	ints(x, "each", &t.Each)
	number(x, "perNode", &t.PerNode)
	ints(x, "head", &t.Head)
	ints(x, "nodes", &t.Nodes)
	x.text("set", &t.Set)
	ints(x, "except", &t.Except)
	x.text("within", &t.Within)
	x.text("together", &t.Together)
}

func (c *Batch) code(x coder) {
	list(x, "commands", &c.Commands, func(one *Command) {
		x.open("")
		plain := plainCommand(*one)
		codeOne(x, &plain)
		x.close()
		if x.reads() {
			*one = plain
		}
	})
}

// MarshalCommand returns a command as bytes, which begin with a version. The error wraps bookahead.ErrInvalid if no desk
// could make sense of the command. O(n) for n bytes.
func MarshalCommand(c Command) ([]byte, error) {
	err := limits.CheckNil("command", c)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, err
	}
	c = plainCommand(c)
	return appendBinary(nil, func(x coder) { codeCommand(x, &c) })
}

// UnmarshalCommand reads the output of MarshalCommand. The error wraps bookahead.ErrInvalid if no desk could make sense
// of the bytes. It takes time and memory in proportion to them.
func UnmarshalCommand(data []byte) (Command, error) {
	var c Command
	err := readBinary("command", data, func(x coder) { codeCommand(x, &c) })
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// plainCommand returns the value to which a pointer to a command points.
func plainCommand(c Command) Command {
	v := reflect.ValueOf(c)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		plain, ok := v.Elem().Interface().(Command)
		if ok {
			return plain
		}
	}
	return c
}
