package api

import "time"

// Schedule is something that can be booked.
type Schedule struct {
	Name      string     `json:"name"`
	Kind      string     `json:"kind" enum:"pool,servers,nodes,broker"`
	Units     int64      `json:"units" doc:"Units, servers or nodes; of a broker 0."`
	Unit      string     `json:"unit,omitempty" doc:"What a unit is, for people."`
	Resources []string   `json:"resources,omitempty" doc:"Of each node."`
	Levels    []string   `json:"levels,omitempty" doc:"Levels of nodes, such as rack."`
	Of        []string   `json:"of,omitempty" doc:"The schedules of a broker."`
	Until     *time.Time `json:"until,omitempty" doc:"How far ahead it can be booked."`
	Terms     Terms      `json:"terms"`
}

// Terms say who may book a schedule, and when.
type Terms struct {
	Open    []string `json:"open,omitempty" doc:"Opening hours, as in the file of the service."`
	Longest Duration `json:"longest,omitempty"`
	Notice  Duration `json:"notice,omitempty"`
	Ahead   Duration `json:"ahead,omitempty"`
	Before  Duration `json:"before,omitempty"`
	After   Duration `json:"after,omitempty"`
	Owners  []string `json:"owners,omitempty"`
	Labels  []string `json:"labels,omitempty"`
}

// Step is a time in which the same number of units is free.
type Step struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	Free  int64     `json:"free"`
}

// Outage is units, servers or nodes that are closed for a time, or with Added were added.
type Outage struct {
	ID       uint64     `json:"id"`
	Schedule string     `json:"schedule"`
	Start    time.Time  `json:"start"`
	End      *time.Time `json:"end,omitempty" doc:"Left out until further notice."`
	Units    int64      `json:"units,omitempty"`
	Servers  []int      `json:"servers,omitempty" doc:"Servers or nodes."`
	Title    string     `json:"title,omitempty"`
	Added    bool       `json:"added,omitempty"`
}

// Close is the body of an outage.
type Close struct {
	Schedule string     `json:"schedule" minLength:"1" maxLength:"256"`
	Start    *time.Time `json:"start,omitempty" doc:"Now if left out."`
	End      *time.Time `json:"end,omitempty" doc:"Until further notice if left out."`
	Units    int64      `json:"units,omitempty" minimum:"0" doc:"Of a pool."`
	Servers  []int      `json:"servers,omitempty" maxItems:"4096" doc:"Servers or nodes."`
	Title    string     `json:"title,omitempty" maxLength:"1024"`
	Priority int64      `json:"priority,omitempty"`
	Preempt  string     `json:"preempt,omitempty" enum:"lower,anybody" doc:"Whose bookings move, or are displaced. Nobody's if left out: they stay where they are."`
}

// Closed is the answer to a Close.
type Closed struct {
	Outage
	Notify []Event `json:"notify" doc:"The bookings that moved or were displaced, and their owners."`
}

// Quota is a bound on the joint use of some bookings, and how much is in use.
type Quota struct {
	Name       string   `json:"name"`
	Owners     []string `json:"owners,omitempty" doc:"Whose bookings count; all if left out."`
	Each       bool     `json:"each,omitempty" doc:"Each owner has a bound of his own."`
	On         []string `json:"on,omitempty" doc:"The schedules that count; all if left out."`
	Label      string   `json:"label,omitempty"`
	Resource   string   `json:"resource,omitempty" doc:"Of nodes only this resource counts."`
	Text       string   `json:"text" doc:"The bound in words."`
	Units      int64    `json:"units,omitempty" doc:"The most units at once."`
	Amount     int64    `json:"amount,omitempty" doc:"The most units times seconds in each period."`
	Used       int64    `json:"used" doc:"The most units at once that the caller has booked in the window; operators see everybody."`
	UsedAmount int64    `json:"usedAmount" doc:"Units times seconds in the window."`
}

// Use is how much of a schedule an owner uses in a window.
type Use struct {
	Owner  string             `json:"owner"`
	Amount map[string]float64 `json:"amount" doc:"Units times hours; on nodes by resource."`
}

// Event is something that has happened.
type Event struct {
	Number   uint64    `json:"number" doc:"Counts up: go on behind it with Last-Event-ID."`
	At       time.Time `json:"at"`
	What     string    `json:"what" doc:"booked, moved, displaced, cancelled, started, ended, expired, closed, and so on."`
	Booking  uint64    `json:"booking,omitempty"`
	Owner    string    `json:"owner,omitempty"`
	Schedule string    `json:"schedule,omitempty"`
	Outage   uint64    `json:"outage,omitempty"`
	Series   uint64    `json:"series,omitempty"`
	From     *Window   `json:"from,omitempty" doc:"The time of the booking before."`
	To       *Window   `json:"to,omitempty" doc:"The time of the booking afterwards."`
	By       string    `json:"by,omitempty" doc:"Who has done it. Only operators see it."`
}

// Health is the state of a member.
type Health struct {
	State   string    `json:"state" enum:"ok,degraded"`
	Member  string    `json:"member"`
	Role    string    `json:"role" doc:"leader or follower"`
	Leader  string    `json:"leader,omitempty"`
	Applied uint64    `json:"applied" doc:"The last entry of the log that was carried out here."`
	Now     time.Time `json:"now" doc:"The clock of the desk."`
	Error   string    `json:"error,omitempty"`
}
