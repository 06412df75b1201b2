package scheduletest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// runSmall runs the small scope on a target that may fail.
func runSmall(target Target, budget int) (rec *recorder) {
	rec = &recorder{}
	defer func() {
		if p := recover(); p != nil && p != (stop{}) {
			panic(p)
		}
	}()
	small(rec, target, budget)
	return rec
}

// outOfScope are the faults that need more than the tiny domain, with the reason.
var outOfScope = map[string]string{
	"late start":                                 "shows without a horizon",
	"negative units":                             "shows in bad calls: see TestTablesCatchFaults",
	"sum wraps":                                  "shows at the largest capacity",
	"too many units are invalid":                 "shows in bad calls: see TestLawsCatchFaults",
	"too long is invalid":                        "shows in bad calls: see TestLawsCatchFaults",
	"foreign servers are unavailable":            "shows in bad calls: see TestLawsCatchFaults",
	"rebook of a running one may end by now":     "shows in bad calls: see TestLawsCatchFaults",
	"rebook of too many units is invalid":        "shows in bad calls: see TestLawsCatchFaults",
	"rebook looks at the ID last":                "shows in bad calls: see TestTablesCatchFaults",
	"rebook with foreign servers is unavailable": "shows in bad calls: see TestLawsCatchFaults",
	"rebook chooses the highest":                 "needs a third server",
	"clone that takes the cells":                 "shows where clones are made at once: see TestLawsCatchFaults",
	"damaged snapshot is read":                   "shows where bytes are damaged",
	"snapshot half read":                         "shows where bytes are damaged",
	"snapshot that is cut off is read":           "shows where bytes are damaged",
	"snapshot with more behind it is read":       "shows where bytes are damaged",
}

// TestSmallCatchesFaults checks that Small finds every fault that its domain can show,
// in a sequence of no more than four operations and a query.
func TestSmallCatchesFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			if why, ok := outOfScope[f.name]; ok {
				t.Skip(why)
			}
			if slices.ContainsFunc(changeFaults, func(c fault) bool { return c.name == f.name }) {
				t.Skip("needs closures, which the small scope has not")
			}
			rec := runSmall(f.target(), 20_000)
			require.True(t, rec.failed)
			t.Logf("caught by\n%s", strings.Join(rec.log, "\n"))
			require.LessOrEqual(t, len(rec.operations()), 5)
		})
	}
}

// panics panics if nothing is left after an Advance.
type panics struct{ spoiltPool }

func (p *panics) Release(id bookahead.ID) error {
	err := p.spoiltPool.Release(id)
	if err == nil && p.Clock > p.Origin && len(p.Booked) == 0 {
		panic("nothing is left")
	}
	return err
}

func TestSmallLogsASequenceThatPanics(t *testing.T) {
	target := fault{"panics", false, func(t Target, c Config) bookahead.Schedule { return &panics{spoil(t, c)} }}.target()
	rec := &recorder{}
	require.PanicsWithValue(t, "nothing is left", func() { small(rec, target, 20_000) })
	require.Len(t, rec.operations(), 2, "%v", rec.log)
	require.Equal(t, "a panic ends Release (number 0, ID 1) in the schedule", rec.log[len(rec.log)-1])
}

// Two orders of the same calls are two sequences. They lead to one state if nothing tells them
// apart.
func TestSmallCounts(t *testing.T) {
	x := &scope{states: []state{{next: []way{{0, 2}, {1, 3}}}, {next: []way{{0, 1}, {1, 1}}}}}
	require.Equal(t, uint64(0), x.sequences(0))
	require.Equal(t, uint64(5), x.sequences(1))
	require.Equal(t, uint64(5+2*5+3*2), x.sequences(2))
}
