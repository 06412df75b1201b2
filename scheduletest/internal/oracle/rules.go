package oracle

import (
	"fmt"
	"math/big"

	"github.com/bookahead/bookahead"
)

// validate finds sizes with which no schedule can be made.
func (r Rules) validate() error {
	_, err := r.Origin.Add(r.Horizon)
	switch {
	case r.Capacity < 1:
		return invalid("capacity", r.Capacity)
	case r.Origin < 0:
		return invalid("Config.Origin", r.Origin)
	case r.Horizon < 0 || r.Horizon == 0 && r.Bounded || err != nil:
		return invalid("Config.Horizon", r.Horizon)
	}
	return nil
}

// Check finds mistakes in a request, in numbers that cannot overflow and without the help of
// Request.Validate. A request that is too large is no mistake (law 9).
func (o *Oracle) Check(r bookahead.Request) error {
	end := new(big.Int).Add(big.NewInt(int64(r.Ready)), big.NewInt(int64(r.Duration)))
	switch {
	case r.Units <= 0:
		return invalid("Request.Units", r.Units)
	case r.Duration <= 0 || !end.IsInt64():
		return invalid("Request.Duration", r.Duration)
	case r.Deadline != 0 && end.Cmp(big.NewInt(int64(r.Deadline))) > 0:
		return invalid("Request.Deadline", r.Deadline)
	case r.Servers == nil:
		return nil
	case !o.Servers || int64(len(r.Servers)) < r.Units:
		return invalid("Request.Servers", r.Servers)
	}
	seen := map[int]bool{}
	for _, s := range r.Servers {
		if s < 0 || s >= o.servers || seen[s] {
			return invalid("Request.Servers", s)
		}
		seen[s] = true
	}
	return nil
}

func invalid(field string, value any) error {
	return &bookahead.InvalidError{Field: field, Value: value, Reason: "is refused by the oracle"}
}

// Allows returns the reason why an offer is no answer to r, or nil.
func (o *Oracle) Allows(r bookahead.Request, offer bookahead.Offer) error {
	switch {
	case offer.Units != r.Units:
		return fmt.Errorf("offer %v has %d units, not %d", offer, offer.Units, r.Units)
	case offer.End-offer.Start != bookahead.Time(r.Duration):
		return fmt.Errorf("offer %v is %d ticks long, not %d", offer, offer.End-offer.Start, r.Duration)
	case offer.Start < r.Ready:
		return fmt.Errorf("offer %v starts before the ready time %d", offer, r.Ready)
	case offer.Start < o.Clock:
		return fmt.Errorf("offer %v starts before now, %d", offer, o.Clock)
	case r.Deadline != 0 && offer.End > r.Deadline:
		return fmt.Errorf("offer %v ends after the deadline %d", offer, r.Deadline)
	case offer.End > o.Until():
		return fmt.Errorf("offer %v ends after the horizon %d", offer, o.Until())
	}
	_, able, n := o.Share(r, offer.Interval, nil)
	switch {
	case !o.Servers && offer.Servers != nil:
		return fmt.Errorf("offer %v of a pool names servers", offer)
	case !o.Servers && n < offer.Units:
		return fmt.Errorf("offer %v overbooks: %d are free", offer, n)
	case !o.Servers:
		return nil
	case int64(len(offer.Servers)) != offer.Units:
		return fmt.Errorf("offer %v names %d servers for %d units", offer, len(offer.Servers), offer.Units)
	}
	free := map[int]bool{}
	for _, k := range able {
		free[k] = true
	}
	for i, k := range offer.Servers {
		if i > 0 && k <= offer.Servers[i-1] {
			return fmt.Errorf("the servers of offer %v do not ascend", offer)
		}
		if !free[k] {
			return fmt.Errorf("offer %v takes server %d, which is taken or not allowed", offer, k)
		}
	}
	return nil
}

// rounded returns the window that a booking takes up.
func (o *Oracle) rounded(w bookahead.Interval) bookahead.Interval {
	slot := bookahead.Time(o.Slot)
	w.Start -= w.Start % slot
	if over := w.End % slot; over != 0 {
		w.End += min(slot-over, bookahead.MaxTime-w.End)
	}
	return w
}
