package window

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Request returns a window as a request for a desk, on a schedule of servers whose server k is node k. A Book of the
// request books exactly the window, or is refused with bookahead.ErrUnavailable. The caller adds an owner and a title.
//
//	node 0     ├──────┤       part 0: servers 0 and 2, 8 ticks       Ready is the start,
//	node 1     ├───┤          part 1: server 1, 5 ticks              Deadline the last end
//	node 2     ├──────┤
//
// The slots of such a window are those of a desk.Schedule. The environment has the prices that hold now, as for Commit:
// an error wraps ErrPrice if the window costs more than Window.Cost. It wraps bookahead.ErrInvalid if Commit's would, or
// if the tasks have more ends than a request may have parts, desk.MaxParts. O(n) for n tasks.
func (e *Environment) Request(on string, w Window) (desk.Request, error) {
	err := e.affords(w)
	if err != nil {
		return desk.Request{}, err
	}
	list := w.requests()
	if len(list) > desk.MaxParts {
		return desk.Request{}, limits.Invalid("Window.Tasks", len(list), fmt.Sprintf("ends are more than the %d parts of a desk.Request", desk.MaxParts))
	}
	r := around(list)
	for _, x := range list {
		r.Shapes[0] = append(r.Shapes[0], desk.Part{
			On: on, Units: x.Units, Duration: x.Duration, Offset: bookahead.Duration(x.Ready - r.Ready), Servers: x.Servers,
		})
	}
	return r, nil
}

// MachineRequest is Request for a schedule of nodes, whose node k is node k: a task of a vector on each of the window's
// nodes. The slots of such a window are those of a desk.Machine. A desk books one part of a request on each machine. So
// the error wraps bookahead.ErrInvalid also if the tasks have several ends, as those of a Rough window may.
func (e *Environment) MachineRequest(on string, each nodes.Vector, w Window) (desk.Request, error) {
	err := e.affords(w)
	if err != nil {
		return desk.Request{}, err
	}
	list := w.requests()
	if len(list) > 1 {
		return desk.Request{}, limits.Invalid("Window.Tasks", len(list), "ends are more than one: a desk books one part of a request on each machine")
	}
	r, x := around(list), list[0]
	tasks := &nodes.Request{PerNode: 1, Each: each, Nodes: x.Servers}
	r.Shapes[0] = desk.Shape{{On: on, Units: x.Units, Duration: x.Duration, Tasks: tasks}}
	return r, nil
}

// around returns a request from the first start of some fixed requests to their last end, with one shape of no parts.
func around(list []bookahead.Request) desk.Request {
	r := desk.Request{Ready: list[0].Ready, Deadline: list[0].Deadline, Shapes: make([]desk.Shape, 1)}
	for _, x := range list {
		r.Ready, r.Deadline = min(r.Ready, x.Ready), max(r.Deadline, x.Deadline)
	}
	return r
}
