package desk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead/nodes"
)

// commandForms are the coders of the commands. The index of a command is its number in the binary form,
// and the verb its name in JSON, so neither may ever change; new commands come last.
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

// kindForms are the coders of the kinds, as commandForms are those of commands.
var kindForms = []func(coder, Kind) Kind{nil, as[Kind, Pool], as[Kind, Servers], as[Kind, Nodes], as[Kind, Broker], as[Kind, Own]}

var kindNames = []string{"", "pool", "servers", "nodes", "broker", "own"}

// codeKind codes a kind with its name. All kinds that are the caller's own have one name here.
func codeKind(x coder, k *Kind) {
	number := uint8(0)
	switch (*k).(type) {
	case Pool:
		number = 1
	case Servers:
		number = 2
	case Nodes:
		number = 3
	case Broker:
		number = 4
	case Own:
		number = 5
	}
	if number == 0 && !x.reads() {
		x.fail("AddSchedule.Kind", fmt.Sprintf("%T", *k), "is none of this package")
		return
	}
	x.word("type", &number, kindNames)
	if x.ok() {
		*k = kindForms[number](x, *k)
	}
}

func (k *Pool) code(x coder) {
	number(x, "units", &k.Units)
	number(x, "horizon", &k.Horizon)
}

func (k *Servers) code(x coder) {
	number(x, "count", &k.Count)
	number(x, "horizon", &k.Horizon)
	x.text("prefer", &k.Prefer)
}

func (k *Nodes) code(x coder) {
	number(x, "horizon", &k.Horizon)
	texts(x, "resources", &k.Resources)
	list(x, "nodes", &k.Nodes, func(v *nodes.Vector) { amounts(x, v) })
	list(x, "levels", &k.Levels, func(l *nodes.Level) {
		x.open("")
		x.text("name", &l.Name)
		list(x, "groups", &l.Groups, func(group *[]int) { members(x, "", group) })
		x.close()
	})
	codeSets(x, &k.Sets)
	x.text("policy", &k.Policy)
}

// amounts codes a vector that is an item.
func amounts(x coder, v *nodes.Vector) {
	list(x, "", (*[]int64)(v), func(n *int64) { number(x, "", n) })
}

// members codes nodes of a group or a set.
func members(x coder, name string, group *[]int) {
	last := 0
	list(x, name, group, func(k *int) {
		numberFrom(x, "", k, last)
		last = *k
	})
}

// set is a named set of nodes.
type set struct {
	name  string
	nodes []int
}

// codeSets codes the sets of nodes in the order of their names.
func codeSets(x coder, sets *map[string][]int) {
	var sorted []set
	for name, list := range *sets {
		sorted = append(sorted, set{name, list})
	}
	slices.SortFunc(sorted, func(a, b set) int { return cmp.Compare(a.name, b.name) })
	list(x, "sets", &sorted, func(s *set) {
		x.open("")
		x.text("name", &s.name)
		members(x, "nodes", &s.nodes)
		x.close()
	})
	if !x.reads() || len(sorted) == 0 {
		return
	}
	*sets = map[string][]int{}
	for i, s := range sorted {
		if i > 0 && s.name <= sorted[i-1].name {
			x.fail("sets", s.name, "does not come behind the last")
		}
		(*sets)[s.name] = s.nodes
	}
}

func (k *Broker) code(x coder) {
	texts(x, "of", &k.Of)
	x.text("policy", &k.Policy)
}

func (k *Own) code(x coder) {
	x.text("kind", &k.Kind)
	config := string(k.Config)
	x.text("config", &config)
	if x.reads() && config != "" {
		k.Config = []byte(config)
	}
}
