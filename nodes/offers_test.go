package nodes

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// offer books an offer of the oracle, or a slightly different offer, on the machine and the oracle.
func (x *world) offer(t *rapid.T) {
	n := func(below int) int { return rapid.IntRange(0, below-1).Draw(t, "of the offer") }
	id := bookahead.ID(0)
	if n(2) == 0 {
		id = x.id(t)
	}
	r := x.drawRequest(t)
	o, err := x.o.search(r, id)
	old, ok := x.o.live[id]
	if err != nil || ok && n(2) == 0 { // like it is, or nothing that makes sense
		o, r.Each, r.Head = old.Offer, old.Each, old.HeadTakes
	}
	o = o.vary(n, len(x.o.c.Nodes))
	if n(2) == 0 || id == 0 {
		x.sameOffer(t, o, r)
		return
	}
	want, wantErr := x.o.rebookOffer(id, o, r)
	got, err := x.m.RebookOffer(id, o, r)
	require.Equal(t, kindOf(wantErr), kindOf(err), "%v of %v, for %v", o, old, r.Each)
	require.Equal(t, want, got, "%v of %v, for %v", o, old, r.Each)
}

// sameOffer books an offer as a new reservation.
func (x *world) sameOffer(t *rapid.T, o Offer, r Request) {
	want, wantErr := x.o.reserveOffer(o, r)
	got, err := x.m.ReserveOffer(o, r)
	require.Equal(t, kindOf(wantErr), kindOf(err), "%v for %v", o, r.Each)
	require.Equal(t, want, got, "%v for %v", o, r.Each)
}

// offer does the same in a long run.
func (l *long) offer() {
	o, r := Offer{}, l.request()
	id := l.id()
	old, ok := l.x.o.live[id]
	if ok && !l.one(3) {
		o, r.Each, r.Head = old.Offer, old.Each, old.HeadTakes
	} else {
		o, _ = l.x.o.search(r, 0)
	}
	o = o.vary(l.rng.IntN, len(l.x.o.c.Nodes))
	if ok && l.one(2) {
		want, wantErr := l.x.o.rebookOffer(id, o, r)
		got, err := l.x.m.RebookOffer(id, o, r)
		l.same(want, got, wantErr, err, "%v of %v, for %v", o, old, r.Each)
		return
	}
	want, wantErr := l.x.o.reserveOffer(o, r)
	got, err := l.x.m.ReserveOffer(o, r)
	l.same(want, got, wantErr, err, "%v for %v", o, r.Each)
	if err == nil {
		l.ids = append(l.ids, got.ID)
	}
}
