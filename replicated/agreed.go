package replicated

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
)

// setting is a field of Config on whose value all members must agree, since their desks decide by it. The value is a
// text. A field that came after the first logs is not listed while it has its default value, so these logs still agree.
type setting struct{ field, value string }

// agreedSettings returns the settings on which all members must agree. Sessions, AnswerBytes and MaxJump are not among
// them: each entry has those of its leader.
func (c *Config) agreedSettings() []setting {
	epoch, tick := noClock, noClock
	if c.Clock != nil {
		epoch, tick = c.Clock.Epoch.UTC().Format(time.RFC3339Nano), fmt.Sprint(cmp.Or(c.Clock.Tick, time.Second))
	}
	list := []setting{
		{"Config.Clock.Epoch", epoch},
		{tickField, tick},
		{"Config.Desk.Origin", fmt.Sprint(c.Desk.Origin)},
		{"Config.Desk.Keep", fmt.Sprint(c.Desk.Keep)},
	}
	most, usual := &c.Desk.Limits, desk.DefaultLimits()
	for _, one := range []struct {
		field    string
		n, usual int64
	}{
		{"Config.Desk.Effort", c.Desk.Effort, desk.DefaultEffort},
		{"Config.Desk.Limits.Servers", most.Servers, usual.Servers},
		{"Config.Desk.Limits.Nodes", most.Nodes, usual.Nodes},
		{"Config.Desk.Limits.Groups", most.Groups, usual.Groups},
		{"Config.Desk.Limits.Open", most.Open, usual.Open},
		{"Config.Desk.Limits.Occurrences", most.Occurrences, usual.Occurrences},
		{"Config.Desk.Limits.Parts", most.Parts, usual.Parts},
	} {
		if one.n != 0 && one.n != one.usual {
			list = append(list, setting{one.field, fmt.Sprint(one.n)})
		}
	}
	return list
}

// tickField is the setting that says whether there is a clock. Its value is noClock if there is none.
const (
	tickField = "Config.Clock.Tick"
	noClock   = "none"
)

// disagree returns an ErrSettings for the first setting whose settled value is not ours; nil if there is none.
func disagree(ours, settled []setting) error {
	for _, s := range slices.Concat(ours, settled) {
		one, other := valueOf(ours, s.field), valueOf(settled, s.field)
		if one != other {
			return &settingsError{Field: s.field, Ours: one, Settled: other}
		}
	}
	return nil
}

// valueOf returns the value of a setting; "default" if it is not listed.
func valueOf(list []setting, field string) string {
	i := slices.IndexFunc(list, func(s setting) bool { return s.field == field })
	if i < 0 {
		return "default"
	}
	return list[i].value
}

// deskField is the setting with the ID of the desk. The ID tells the logs of two desks apart. Raft compares only
// indexes and terms, and these are alike in any two young logs. The ID is drawn for the first entry, so it is no
// field of Config.
const deskField = "Status.Desk"

func withDesk(list []setting, id uint64) []setting {
	if id == 0 {
		return list
	}
	return append(slices.Clip(list), setting{deskField, deskText(id)})
}

func deskText(id uint64) string { return fmt.Sprintf("%016x", id) }

// deskOf returns the desk ID in a list of settings; 0 if there is none.
func deskOf(list []setting) uint64 {
	i := slices.IndexFunc(list, func(s setting) bool { return s.field == deskField })
	if i < 0 {
		return 0
	}
	id, err := strconv.ParseUint(list[i].value, 16, 64)
	if err != nil {
		return 0
	}
	return id
}

func (s *setting) code(x *code.Coder) {
	x.Text("field", &s.field)
	x.Text("value", &s.value)
}
