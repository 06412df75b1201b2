package idletree

import "github.com/bookahead/bookahead"

// Lists keeps a list of idle periods for each server, and a search reads all lists.
// It is the simple form by which the others are measured. The first servers found are
// those of lowest index.
type Lists struct{ schedule }

var _ form = (*Lists)(nil)

// NewLists returns a schedule of capacity servers, at most 1<<24. The error
// wraps bookahead.ErrInvalid. O(N) for N servers, of some 50 bytes each; see Config.Booked.
func NewLists(capacity int64, c Config) (*Lists, error) {
	s, f, err := open(capacity, c)
	if err != nil {
		return nil, err
	}
	f.first = lowestServer
	return &Lists{newSchedule(s, f)}, nil
}

// Clone implements bookahead.Cloner. O(N + p) for N servers with p idle periods.
func (l *Lists) Clone() bookahead.Schedule { return &Lists{l.clone()} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. A Config.Prefer of the caller's own cannot be written: such a snapshot is
// read only by a Lists that has been made with one. O(p log p) for p idle periods.
func (l *Lists) UnmarshalBinary(data []byte) error {
	s, f, err := decode(data, kindOfLists, false, l.roster().calendars().prefer)
	if err != nil {
		return err
	}
	f.first = lowestServer
	*l = Lists{newSchedule(s, f)}
	return nil
}

func (f *fleet) clone() roster {
	c := f.copied()
	return &c
}

func (f *fleet) kind() (string, []uint64) { return kindOfLists, nil }
