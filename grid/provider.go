package grid

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// provider is what a Broker knows of one of its schedules.
type provider struct {
	bookahead.Schedule
	capacity int64
	first    int // server, as the Broker counts
	servers  int // from there on; more than the capacity if it is a Broker
	live     int // reservations of the Broker
}

// horizon returns where the provider's horizon lies, or the end of the axis if it
// does not tell.
func (p *provider) horizon() bookahead.Time {
	if f, ok := p.Schedule.(bookahead.Framer); ok {
		return f.Frame().End
	}
	return bookahead.MaxTime
}

// enlist makes a schedule the next provider of a broker, which has booked nothing
// there. The error says which one it is.
func (b *Broker) enlist(s bookahead.Schedule) error {
	k := len(b.providers)
	name := fmt.Sprintf("providers[%d]", k)
	n, err := capacityOf(s)
	if err != nil {
		return fmt.Errorf("grid: %s: %w", name, err)
	}
	named, err := hasServers(s)
	if err != nil {
		return fmt.Errorf("grid: %s: %w", name, err)
	}
	if k > 0 && named != (b.servers >= 0) {
		return limits.Invalid(name, fmt.Sprintf("%T", s), "is not of one kind with those before: one has servers, one is a pool")
	}
	p := provider{Schedule: s, capacity: n}
	if named {
		p.first, p.servers = b.servers, serversOf(s, n)
		b.servers += p.servers
	} else {
		b.servers = -1
	}
	b.providers = append(b.providers, p)
	return nil
}

// greatest returns the capacity of the provider with the most.
func (b *Broker) greatest() int64 {
	most := int64(0)
	for _, p := range b.providers {
		most = max(most, p.capacity)
	}
	return most
}

// horizon returns the longest horizon of the providers.
func (b *Broker) horizon() bookahead.Time {
	longest := bookahead.Time(0)
	for _, p := range b.providers {
		longest = max(longest, p.horizon())
	}
	return longest
}
