package plan

import (
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// The words as bytes: in a snapshot, and in what tells kinds apart.

func (j *Job) code(x *code.Coder) {
	x.Text("ID", (*string)(&j.ID))
	x.Text("owner", &j.Owner)
	x.Text("group", &j.Group)
	code.Number(x, "priority", &j.Priority)
	code.Number(x, "class", &j.Class)
	code.Flag(x, "preemptible", &j.Preemptible)
	code.Number(x, "submitted", &j.Submitted)
	code.Number(x, "not before", &j.NotBefore)
	code.List(x, "after", &j.After, func(id *ID, x *code.Coder) { x.Text("ID", (*string)(id)) })
	code.List(x, "shapes", &j.Shapes, (*Shape).code)
}

func (s *Shape) code(x *code.Coder) { code.List(x, "parts", (*[]Part)(s), (*Part).code) }

func (p *Part) code(x *code.Coder) {
	x.Text("on", &p.On)
	code.Number(x, "units", &p.Units)
	code.Number(x, "duration", &p.Duration)
	code.Number(x, "offset", &p.Offset)
	code.Ints(x, "servers", &p.Servers)
	form := p.form()
	code.Uint(x, "form", &form, moreInPieces)
	if x.Reads() {
		p.become(form)
	}
	if p.Tasks != nil {
		codeTasks(p.Tasks, x)
	}
	if form >= moreTasks {
		p.codeMore(x)
		if p.form() != form {
			x.Fail("form", form, "is one for more than there is")
		}
	}
	if p.Pieces != nil {
		code.Number(x, "least", &p.Pieces.Least)
		code.Number(x, "gap", &p.Pieces.Gap)
		code.Number(x, "restart", &p.Pieces.Restart)
	}
	if p.Volume != nil {
		code.Number(x, "least", &p.Volume.Least)
	}
}

// The forms of parts whose tasks have more words.
const (
	moreTasks    = 9
	moreInPieces = 10
)

// form says which words of a part follow: 1 for tasks, 2 for tasks that are exclusive, 3 more for pieces, and 6 more for a volume.
func (p *Part) form() (form uint8) {
	t := p.Tasks
	if t != nil && (t.Patience != 0 || t.Bundle != 0 || t.Bundled != "" || p.Swap) {
		if p.Pieces != nil {
			return moreInPieces
		}
		return moreTasks
	}
	if p.Tasks != nil {
		form = 1
		if p.Tasks.Exclusive {
			form = 2
		}
	}
	if p.Pieces != nil {
		form += 3
	}
	if p.Volume != nil {
		form += 6
	}
	return min(form, 8) // no part has all of them
}

// become makes the words that follow.
func (p *Part) become(form uint8) {
	if form >= moreTasks {
		p.Tasks = &nodes.Request{}
		if form == moreInPieces {
			p.Pieces = &pieces.Rule{}
		}
		return
	}
	if form%3 > 0 {
		p.Tasks = &nodes.Request{Exclusive: form%3 == 2}
	}
	switch form / 3 {
	case 1:
		p.Pieces = &pieces.Rule{}
	case 2:
		p.Volume = &volume.Request{}
	}
}

// codeMore codes the words that few tasks have.
func (p *Part) codeMore(x *code.Coder) {
	t := p.Tasks
	code.Flag(x, "exclusive", &t.Exclusive)
	code.Number(x, "patience", &t.Patience)
	code.Number(x, "bundle", &t.Bundle)
	x.Text("bundled", &t.Bundled)
	code.Flag(x, "swap", &p.Swap)
}

func codeTasks(t *nodes.Request, x *code.Coder) {
	code.Numbers(x, "each", (*[]int64)(&t.Each))
	code.Number(x, "per node", &t.PerNode)
	code.Numbers(x, "head", (*[]int64)(&t.Head))
	code.Ints(x, "nodes", &t.Nodes)
	x.Text("set", &t.Set)
	code.Ints(x, "except", &t.Except)
	x.Text("within", &t.Within)
	x.Text("together", &t.Together)
}

func (p *Place) code(x *code.Coder) {
	x.Text("on", &p.On)
	code.Span(x, &p.Interval)
	code.Number(x, "units", &p.Units)
	code.Ints(x, "servers", &p.Servers)
	code.List(x, "nodes", &p.Nodes, func(s *nodes.Share, x *code.Coder) {
		code.Number(x, "node", &s.Node)
		code.Number(x, "tasks", &s.Tasks)
	})
	code.Number(x, "head", &p.Head)
}
