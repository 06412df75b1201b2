package scheduletest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallRun runs the small scope on a target that may fail.
func smallRun(target Target, budget int) (rec *recorder, got reach) {
	rec = &recorder{}
	defer func() {
		if p := recover(); p != nil && p != (stop{}) {
			panic(p)
		}
	}()
	return rec, small(rec, target, budget)
}

func TestSmallCatchesFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			target := f.target()
			rec, got := smallRun(target, 20_000)
			t.Log(rec.failed, got, len(rec.operations()), strings.Join(rec.log, "\n"))
			require.True(t, rec.failed)
		})
	}
}
