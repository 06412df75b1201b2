package desk

import (
	"math"
	"reflect"
	"slices"

	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/volume"
)

// commandForms are the coders of the commands. The index of a command is its number in the bytes, so it may
// never change; new commands come last.
var commandForms = []struct {
	verb string
	code func(*code.Coder, Command) Command
}{
	{},
	{"add", code.As[Command]((*AddSchedule).code)},
	{"book", code.As[Command]((*Book).code)},
	{"commit", code.As[Command]((*Commit).code)},
	{"change", code.As[Command]((*Change).code)},
	{"cancel", code.As[Command]((*Cancel).code)},
	{"end", code.As[Command]((*End).code)},
	{"overrun", code.As[Command]((*Overrun).code)},
	{"close", code.As[Command]((*Close).code)},
	{"reopen", code.As[Command]((*Reopen).code)},
	{"extend", code.As[Command]((*Extend).code)},
	{"advance", code.As[Command]((*Advance).code)},
	{"batch", nil}, // codeCommand codes it; within a batch there is none
	{"bookSeries", code.As[Command]((*BookSeries).code)},
	{"continue", code.As[Command]((*Continue).code)},
	{"cancelSeries", code.As[Command]((*CancelSeries).code)},
	{"setTerms", code.As[Command]((*SetTerms).code)},
	{"setQuota", code.As[Command]((*SetQuota).code)},
	{"dropQuota", code.As[Command]((*DropQuota).code)},
	{"given", nil}, // codeCommand codes it; within another command there is none
}

// The numbers of commands that hold others.
const (
	batchNumber = 12
	givenNumber = 19
)

// verbs are the names of the commands, by number.
var verbs = func() (list []string) {
	for _, f := range commandForms {
		list = append(list, f.verb)
	}
	return list
}()

// codeCommand codes a command with its name.
func codeCommand(x *code.Coder, c *Command) { codeNested(x, c, true) }

// codeNested codes a command that may be a Batch, and a Given only if it is not within one: so no reader recurses as deep as
// forged bytes nest.
func codeNested(x *code.Coder, c *Command, outermost bool) {
	number := verbOf(*c)
	x.Word("do", &number, len(verbs)-1)
	switch {
	case !x.OK():
	case number == givenNumber && !outermost:
		x.Fail("do", verbs[number], "is within another already")
	case number == givenNumber:
		*c = code.As[Command]((*Given).code)(x, *c)
	case number == batchNumber:
		*c = code.As[Command]((*Batch).code)(x, *c)
	default:
		*c = commandForms[number].code(x, *c)
	}
}

// codeOne codes a command of a batch, which is no batch itself: so no reader recurses as deep as forged bytes nest.
func codeOne(x *code.Coder, c *Command) {
	number := verbOf(*c)
	x.Word("do", &number, len(verbs)-1)
	if x.OK() && (number == batchNumber || number == givenNumber) {
		x.Fail("do", verbs[number], "is within a batch already")
	}
	if x.OK() {
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

func (c *AddSchedule) code(x *code.Coder) {
	x.Text("name", &c.Name)
	codeKind(x, &c.Kind)
}

func (c *Book) code(x *code.Coder) {
	x.Text("key", &c.Key)
	c.Request.code(x)
	code.Number(x, "hold", &c.Hold)
	c.Force.code(x)
	code.Number(x, "wait", &c.Wait)
}

func (c *Commit) code(x *code.Coder) { code.Counter(x, "id", &c.ID) }

func (c *Change) code(x *code.Coder) {
	code.Counter(x, "id", &c.ID)
	c.To.code(x)
	c.Force.code(x)
}

func (c *Cancel) code(x *code.Coder) { code.Counter(x, "id", &c.ID) }

func (c *End) code(x *code.Coder) { code.Counter(x, "id", &c.ID) }

func (c *Overrun) code(x *code.Coder) {
	code.Counter(x, "id", &c.ID)
	code.Number(x, "until", &c.Until)
	c.Force.code(x)
}

func (c *Close) code(x *code.Coder) {
	x.Text("on", &c.On)
	code.Span(x, &c.Interval)
	code.Number(x, "units", &c.Units)
	code.Ints(x, "servers", &c.Servers)
	x.Text("title", &c.Title)
	c.Force.code(x)
	code.Number(x, "priority", &c.Priority)
}

func (c *Reopen) code(x *code.Coder) {
	code.Counter(x, "id", &c.ID)
	code.Number(x, "at", &c.At)
}

func (c *Extend) code(x *code.Coder) {
	x.Text("on", &c.On)
	code.Span(x, &c.Interval)
	code.Number(x, "units", &c.Units)
	code.List(x, "nodes", &c.Nodes, func(n *nodes.Added, x *code.Coder) { (*addedNode)(n).code(x) })
	x.Text("title", &c.Title)
}

func (c *Advance) code(x *code.Coder) { code.Number(x, "now", &c.Now) }

func (f *Force) code(x *code.Coder) { x.Text("force", (*string)(f)) }

func (r *Request) code(x *code.Coder) {
	x.Text("owner", &r.Owner)
	x.Text("title", &r.Title)
	code.Texts(x, "labels", &r.Labels)
	code.Number(x, "priority", &r.Priority)
	code.Number(x, "ready", &r.Ready)
	code.Number(x, "deadline", &r.Deadline)
	if r.bent() {
		marked := append([]Shape{nil}, r.Shapes...)
		codeShapes(x, &marked)
		r.codeBent(x)
		return
	}
	codeShapes(x, &r.Shapes)
	if x.Reads() && len(r.Shapes) > 0 && len(r.Shapes[0]) == 0 {
		r.Shapes = r.Shapes[1:]
		r.codeBent(x)
	}
}

// codeShapes codes shapes. Those of work that bends are marked by one without parts in front, which no other request has.
func codeShapes(x *code.Coder, list *[]Shape) {
	code.List(x, "shapes", list, func(s *Shape, x *code.Coder) { code.List(x, "parts", (*[]Part)(s), (*Part).code) })
}

func (r *Request) codeBent(x *code.Coder) {
	code.Optional(x, "volume", &r.Volume, func(v *volume.Request, x *code.Coder) {
		code.Number(x, "volume", &v.Volume)
		code.Number(x, "most", &v.Most)
		code.Number(x, "least", &v.Least)
		code.Number(x, "stretches", &v.Stretches)
		code.Number(x, "price", &v.Price)
	})
	code.Optional(x, "pieces", &r.Pieces, func(p *Pieces, x *code.Coder) {
		code.Number(x, "ticks", &p.Ticks)
		code.Number(x, "least", &p.Least)
		code.Number(x, "gap", &p.Gap)
		code.Number(x, "restart", &p.Restart)
		code.Number(x, "stopped", &p.Stopped)
	})
	if !r.bent() {
		x.Fail("volume", 0, "is missing, and pieces are too")
	}
}

func (p *Part) code(x *code.Coder) {
	x.Text("on", &p.On)
	code.Number(x, "units", &p.Units)
	code.Number(x, "duration", &p.Duration)
	code.Number(x, "offset", &p.Offset)
	code.Optional(x, "after", &p.After, (*Gap).code)
	code.Ints(x, "servers", &p.Servers)
	form := p.tasksForm()
	code.Uint(x, "tasks", &form, bundledTasks)
	if form == noTasks {
		return
	}
	if x.Reads() {
		p.Tasks = new(nodes.Request)
	}
	t := p.Tasks
	(*tasks)(t).code(x)
	if form >= moreTasks {
		code.Flag(x, "exclusive", &t.Exclusive)
		code.Number(x, "patience", &t.Patience)
		code.Flag(x, "swap", &p.Swap)
	}
	if form == bundledTasks {
		code.Number(x, "bundle", &t.Bundle)
		x.Text("bundled", &t.Bundled)
	}
	if p.tasksForm() != form {
		x.Fail("tasks", form, "is a form for more than there is")
	}
}

// The forms of the tasks of a part. Each has the fields of those before it, too.
const (
	noTasks = iota
	plainTasks
	moreTasks    // Exclusive, Patience and Swap
	bundledTasks // Bundle and Bundled
)

func (p *Part) tasksForm() uint8 {
	switch t := p.Tasks; {
	case t == nil:
		return noTasks
	case t.Bundle != 0:
		return bundledTasks
	case t.Exclusive || t.Patience != 0 || p.Swap:
		return moreTasks
	}
	return plainTasks
}

func (g *Gap) code(x *code.Coder) {
	code.Number(x, "least", &g.Least)
	code.NumberFrom(x, "most", &g.Most, g.Least)
}

// tasks is a request for nodes without its times and its number of tasks, since the part has these.
type tasks nodes.Request

func (t *tasks) code(x *code.Coder) {
	code.Ints(x, "each", &t.Each)
	code.Number(x, "perNode", &t.PerNode)
	code.Ints(x, "head", &t.Head)
	code.Ints(x, "nodes", &t.Nodes)
	x.Text("set", &t.Set)
	code.Ints(x, "except", &t.Except)
	x.Text("within", &t.Within)
	x.Text("together", &t.Together)
}

func (c *Given) code(x *code.Coder) {
	x.Text("by", &c.By)
	code.Counter(x, "id", &c.ID)
	code.Uint(x, "sum", &c.Sum, math.MaxUint64)
	does := c.Command != nil
	code.Flag(x, "does", &does)
	if !does {
		return
	}
	plain := plainCommand(c.Command)
	codeNested(x, &plain, false)
	if x.Reads() {
		c.Command = plain
	}
}

func (c *Batch) code(x *code.Coder) {
	code.List(x, "commands", &c.Commands, func(one *Command, x *code.Coder) {
		plain := plainCommand(*one)
		codeOne(x, &plain)
		if x.Reads() {
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
	return code.Append(nil, func(x *code.Coder) { codeCommand(x, &c) })
}

// UnmarshalCommand reads the output of MarshalCommand. The error wraps bookahead.ErrInvalid if no desk could make sense
// of the bytes. It takes time and memory in proportion to them.
func UnmarshalCommand(data []byte) (Command, error) {
	var c Command
	err := code.Read("command", data, func(x *code.Coder) { codeCommand(x, &c) })
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
