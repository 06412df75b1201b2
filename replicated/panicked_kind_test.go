package replicated

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/desk"
)

// fragile is a schedule of a caller's own, which panics on a request of 3 units.
type fragile struct{ *carts.Indexed }

func (f fragile) Clone() bookahead.Schedule { return fragile{f.Indexed.Clone().(*carts.Indexed)} }

func (f fragile) Adopt(clone bookahead.Schedule) { f.Indexed.Adopt(clone.(fragile).Indexed) }

func (f fragile) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Units == 3 {
		panic("three units")
	}
	return f.Indexed.Search(r)
}

func (f fragile) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if r.Units == 2 {
		panic("two units")
	}
	return f.Indexed.Reserve(r)
}

// Schedules of a caller's own panic when they are searched, and when they are written to.
func TestAKindPanics(t *testing.T) {
	kinds := map[string]func([]byte, bookahead.Time) (bookahead.Keeper, error){
		"fragile": func(_ []byte, origin bookahead.Time) (bookahead.Keeper, error) {
			x, err := carts.NewIndexed(4, carts.Config{Origin: origin})
			return fragile{x}, err
		},
	}
	inBubble(t, 3, Config{Desk: desk.Config{Kinds: kinds}}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, desk.AddSchedule{Name: "own", Kind: desk.Own{Kind: "fragile"}})
		require.NoError(t, err)
		for range 2 {
			for i, why := range []string{"", "two units", "three units", ""} {
				_, err = w.any(i).Do(ctx, book("own", int64(i+1), 5))
				if why == "" {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, ErrPanicked)
				require.ErrorContains(t, err, why)
			}
			w.alike(ctx)
			w.stop("1")
			w.open("1")
		}
	})
}
