package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// A command that writes to no structure of the caller's own may grant a place on one. Each of these writes fails in turn:
// the command is refused, and changes nothing.
func TestAGrantOnAnOwnThatFails(t *testing.T) {
	after := -1
	kinds := map[string]func([]byte, bookahead.Time) (bookahead.Keeper, error){
		"failing": func(_ []byte, origin bookahead.Time) (bookahead.Keeper, error) {
			pool, err := carts.NewIndexed(4, carts.Config{Origin: origin})
			return frail{pool, &after}, err
		},
	}
	whole := asks(Part{On: "pool", Units: 4, Duration: 30})
	series := BookSeries{Request: asks(Part{On: "pool", Units: 4}), At: Occurrences{ticks(2, 30)}}
	bound := Quota{On: []string{"pool"}, Units: 1}
	for name, x := range map[string]struct{ full, room Command }{
		"cancel":       {Book{Request: whole}, Cancel{1}},
		"cancelSeries": {series, CancelSeries{ID: 1}},
		"reopen":       {Close{On: "pool", Interval: ticks(0, 30), Units: 4}, Reopen{ID: 1, At: 0}},
		"extend":       {Book{Request: whole}, Extend{On: "pool", Interval: ticks(0, 30), Units: 3}},
		"setTerms":     {SetTerms{On: "pool", Terms: Terms{Longest: 1}}, SetTerms{On: "pool"}},
		"setQuota":     {SetQuota{Name: "few", Quota: bound}, SetQuota{Name: "few", Quota: Quota{On: []string{"pool"}, Units: 2}}},
		"dropQuota":    {SetQuota{Name: "few", Quota: bound}, DropQuota{"few"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := New(Config{Keep: 50, Kinds: kinds})
			require.NoError(t, err)
			wish := asks(Part{On: "pool", Units: 2, Duration: 5}, Part{On: "own", Units: 1, Duration: 5}, Part{On: "own", Units: 1, Duration: 2, Offset: 6})
			wish.Deadline = 9
			waits := Book{Key: "waits", Request: wish, Wait: 20}
			for _, c := range []Command{AddSchedule{"pool", Pool{Units: 4}}, AddSchedule{"own", Own{Kind: "failing"}}, x.full, waits} {
				must(t, d, c)
			}
			require.Len(t, turns(d), 1)
			before, failed := written(t, d), 0
			for n := 0; ; n++ {
				after = n
				_, err := d.Do(x.room)
				if after >= 0 || err == nil {
					after = -1
					require.NoError(t, err)
					break
				}
				failed++
				require.ErrorIs(t, err, errBroken)
				require.NoError(t, d.Verify(), "write %d", n)
				require.Equal(t, before, written(t, d), "write %d", n)
			}
			require.Equal(t, 4, failed, "two parts on the trial, and on the desk")
			require.NoError(t, d.Verify())
			require.Empty(t, turns(d))
		})
	}
}
