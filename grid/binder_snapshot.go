package grid

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

const kindOfBinder = "grid.Binder"

// MarshalBinary implements encoding.BinaryMarshaler. It writes the snapshot of the pool, and the
// servers of running reservations. The error wraps bookahead.ErrInvalid if the pool is not a
// bookahead.Snapshotter. It takes a snapshot of the pool, and O(n log n) for n reservations.
func (b *Binder) MarshalBinary() ([]byte, error) {
	inner, err := bookahead.Snapshot(b.pool)
	if err != nil {
		return nil, fmt.Errorf("grid: pool: %w", err)
	}
	w := snapshot.Begin(kindOfBinder)
	w.Bytes(inner)
	for res := range b.Running() {
		servers.WriteSet(w, res.Servers)
	}
	return w.End()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter says, but not
// for a zero value: the receiver must have a pool of the same kind, in any state, that is a
// bookahead.Cloner. The Binder gets a new pool, and leaves the old one unchanged. It takes an
// UnmarshalBinary of the pool, and O(n log n) for n reservations.
func (b *Binder) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kindOfBinder)
	inner := r.Bytes("pool")
	if r.Err() != nil {
		return r.Close()
	}
	pool, err := readLike("pool", b.pool, inner)
	if err != nil {
		return err
	}
	frame := pool.Frame()
	switch {
	case frame.Capacity > maxServers:
		r.Fail("capacity", frame.Capacity, fmt.Sprintf("is more than %d", maxServers))
	case changes(pool):
		r.Fail("pool", fmt.Sprintf("%T", pool), "has closures, and the Binder has none")
	}
	if r.Err() != nil {
		return r.Close()
	}
	read := newBinderOf(pool)
	all := slices.SortedFunc(pool.Reservations(frame.Window()), func(x, y bookahead.Reservation) int { return cmp.Compare(x.ID, y.ID) })
	for _, res := range all {
		if res.Start > read.now {
			read.booked[res.ID] = res
			read.waiting.ReplaceOrInsert(event{res.Start, res.ID})
		} else {
			read.run(r, res)
		}
		if r.Err() != nil {
			break
		}
	}
	if err := r.Close(); err != nil {
		return err
	}
	*b = *read
	return nil
}

// run reads the servers of a running reservation.
func (b *Binder) run(r *snapshot.Reader, res bookahead.Reservation) {
	if res.Units > int64(r.Left()) {
		r.Fail("servers", res.Units, fmt.Sprintf("is more than the %d bytes left", r.Left()))
		return
	}
	if res.Units > b.servers {
		r.Fail("servers", res.Units, fmt.Sprintf("is more than all %d servers", b.servers))
		return
	}
	for _, k := range servers.ReadSet(r, int(res.Units), b.servers) {
		if !b.free.has(int(k)) {
			r.Fail("server", k, "runs two reservations")
		}
		b.free.remove(int(k))
		res.Servers = append(res.Servers, int(k))
	}
	b.booked[res.ID] = res
	b.running.ReplaceOrInsert(event{res.End, res.ID})
}
