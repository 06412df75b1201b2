package office

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/who"
)

// Over returns an operator's look at a desk that no member keeps: of a folder, or of a backup. Its queries take as many steps as
// they need.
func Over(c *config.Config, d *desk.Desk) *Look {
	o := &Office{clock: clock{c.Clock()}, Config: c}
	return &Look{clock: o.clock, office: o, caller: who.Caller{Role: who.Operator}, desk: d, schedules: d.Schedules(), effort: bookahead.Effort{}}
}
