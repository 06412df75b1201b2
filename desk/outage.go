package desk

import "github.com/bookahead/bookahead"

// Outage is units, servers or nodes of a schedule that are closed for a time.
type Outage struct {
	ID OutageID
	Close
	closure bookahead.ClosureID // on the schedule
	added   bool                // an extension
}

func (Close) verb() string { return "close" }

func (b *books) dropOutages() {}
