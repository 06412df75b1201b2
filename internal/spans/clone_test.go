package spans

import (
	"slices"
	"sync"
	"testing"

	"github.com/bookahead/bookahead"
)

// Clones that are made at once, and beside queries, have the spans of the original and then
// their own. Run it with -race.
func TestClonesAtOnce(t *testing.T) {
	original := &world{x: &Index{width: 8}}
	for i := range bookahead.Time(2000) {
		original.add(i*7919%2000, 1+i%50)
	}
	var clones [4]*world
	var made, all sync.WaitGroup // after many writes, the race detector would forget the Clone before them
	made.Add(len(clones))
	for k := range clones {
		all.Add(2)
		go func() {
			defer all.Done()
			c := original.x.Clone()
			clones[k] = &world{&c, slices.Clone(original.want), original.last}
			made.Done()
			made.Wait()
			for i := range bookahead.Time(300) {
				clones[k].add(i*6, 1)
				clones[k].remove(t, int(i)*3)
			}
			clones[k].forget(bookahead.Time(100 * k))
		}()
		go func() {
			defer all.Done()
			for range 10 {
				original.checkWindow(t, bookahead.Interval{Start: 500, End: 700})
			}
		}()
	}
	all.Wait()
	original.remove(t, 9)
	original.check(t)
	for _, c := range clones {
		c.check(t)
	}
}
