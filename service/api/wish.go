package api

import "time"

// Wish is what somebody asks for: some units of one or several schedules, all together or not at all.
type Wish struct {
	Owner    string     `json:"owner,omitempty" maxLength:"256" doc:"Whose booking it is: the caller, or a group of the caller. An operator may name anybody. The caller if left out."`
	Title    string     `json:"title,omitempty" maxLength:"1024"`
	Labels   []string   `json:"labels,omitempty" maxItems:"16" doc:"Texts such as team=blue, by which quotas and terms tell bookings apart."`
	Priority int64      `json:"priority,omitempty" minimum:"-1000" maximum:"1000" doc:"Bookings of lower priority give way first. Only an operator may give one above 0."`
	Ready    *time.Time `json:"ready,omitempty" doc:"The earliest start; now if left out."`
	Deadline *time.Time `json:"deadline,omitempty" doc:"The time by which all is over; none if left out."`

	Parts []Part   `json:"parts,omitempty" maxItems:"16" doc:"What is booked together."`
	Or    [][]Part `json:"or,omitempty" maxItems:"15" doc:"Other forms, such as fewer units for longer. The form that ends first is booked."`

	Volume *Volume `json:"volume,omitempty" doc:"Instead of parts: an amount of work whose rate follows what is free."`
	Pieces *Pieces `json:"pieces,omitempty" doc:"The only part may stop and go on: how."`
}

// Part is units of one schedule for a time.
type Part struct {
	Schedule string   `json:"schedule" minLength:"1" maxLength:"256" doc:"The name of a schedule."`
	Units    int64    `json:"units,omitempty" minimum:"1" maximum:"1000000000" default:"1" doc:"How many units, servers or tasks."`
	Duration Duration `json:"duration" maxLength:"32" doc:"ISO 8601, such as PT2H."`
	Offset   Duration `json:"offset,omitempty" maxLength:"32" doc:"How much later than the first part it starts."`
	After    *Gap     `json:"after,omitempty" doc:"It starts so long after the end of the parts before it."`
	Servers  []int    `json:"servers,omitempty" maxItems:"4096" doc:"Only these servers."`

	Each    map[string]int64 `json:"each,omitempty" doc:"On nodes: how much of each resource one task takes. One of the first resource if left out."`
	PerNode int64            `json:"perNode,omitempty" minimum:"0" maximum:"1000000000" doc:"On nodes: the most tasks on one node; 0 for as many as fit."`
	Nodes   []int            `json:"nodes,omitempty" maxItems:"4096" doc:"On nodes: only these."`
	Within  string           `json:"within,omitempty" maxLength:"256" doc:"On nodes: all tasks in one group of this level, such as rack."`
	Packed  string           `json:"packed,omitempty" maxLength:"256" doc:"On nodes: in as few groups of this level as possible."`
}

// Gap bounds a time between two steps.
type Gap struct {
	Least Duration `json:"least,omitempty" maxLength:"32"`
	Most  Duration `json:"most" maxLength:"32"`
}

// Volume is an amount of work on a pool, such as a transfer over a link.
type Volume struct {
	Schedule  string `json:"schedule" minLength:"1" maxLength:"256" doc:"A pool."`
	Amount    int64  `json:"amount" minimum:"1" maximum:"1000000000000" doc:"Units times seconds: on a link of Gbit/s, Gbit."`
	Most      int64  `json:"most,omitempty" minimum:"0" doc:"The most units at once; 0 for any number."`
	Least     int64  `json:"least,omitempty" minimum:"0" doc:"The fewest units while it runs; 0 lets it pause."`
	Stretches int    `json:"stretches,omitempty" minimum:"0" maximum:"64" doc:"How many stretches of steady units at the most; 0 for as many as it takes."`
}

// Pieces says how work may stop and go on.
type Pieces struct {
	Least   Duration `json:"least,omitempty" maxLength:"32" doc:"The shortest piece, but for the last."`
	Gap     Duration `json:"gap,omitempty" maxLength:"32" doc:"The longest time between two pieces; any if left out."`
	Restart Duration `json:"restart,omitempty" maxLength:"32" doc:"How long each later piece takes before the work goes on."`
}
