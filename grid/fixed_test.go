package grid

import (
	"github.com/bookahead/bookahead"
)

// fixed is a schedule of this package that hides that its capacity may change: for a Broker whose
// provider's cannot, and for a Binder, whose closures name servers, as no request does.
type fixed struct{ whole }

type whole interface {
	bookahead.Keeper
	bookahead.Opener
	bookahead.Snapshotter
	bookahead.Cloner
	Verify() error
}

func (f *fixed) Clone() bookahead.Schedule { return &fixed{f.whole.Clone().(whole)} }

// fixedBinder is fixed for a Binder, which is a bookahead.LatestSearcher.
type fixedBinder struct {
	whole
	binder *Binder
}

func fixBinder(b *Binder) *fixedBinder { return &fixedBinder{b, b} }

func (f *fixedBinder) Clone() bookahead.Schedule { return fixBinder(f.binder.Clone().(*Binder)) }

func (f *fixedBinder) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	return f.binder.SearchLatest(r)
}

func fix(s bookahead.Schedule, err error) (bookahead.Schedule, error) {
	if err != nil {
		return nil, err
	}
	b, ok := s.(*Binder)
	if ok {
		return fixBinder(b), nil
	}
	return &fixed{s.(whole)}, nil
}
