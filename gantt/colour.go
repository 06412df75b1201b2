package gantt

import (
	"hash/fnv"
	"slices"
	"sync"
)

// palette has fills on which dark letters are legible, and which themselves are
// on white and on black. The first is for bars without a key.
var palette = [...]string{
	"#b6c1cc",
	"#7fb2e5", "#f4b36a", "#86ca8c", "#ef8f8f", "#b9a2e3", "#c9a98a",
	"#f2a4d0", "#c6c96a", "#74cdd4", "#e8cf5c", "#97a6f0", "#6dc4a4",
}

const colours = len(palette) - 1

// Colours gives the charts of a page the same colours: a key keeps the colour that it has in the
// first chart that is drawn, whatever keys the others have. The first twelve keys have twelve colours,
// and further ones share them.
//
//	page := new(gantt.Colours)
//	monday.Colours, tuesday.Colours = page, page
//
// The zero value is ready. Charts may be drawn by several goroutines at once; then the keys get
// their colours in the order in which the charts come.
type Colours struct {
	mu    sync.Mutex
	place map[string]int // in the palette, of at most as many keys as there are colours
	taken [colours]bool
}

// places returns the places of some keys in the palette: those that they have already, or else where the
// key's hash says, or the next place that is left.
func (c *Colours) places(keys []string) map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	place := map[string]int{"": 0}
	for _, key := range keys {
		at, ok := c.place[key]
		if !ok {
			at = c.give(key)
		}
		place[key] = at
	}
	return place
}

// give returns the place of a new key. Once all colours are given away, the hash alone says where that
// is, so that the key need not be remembered.
func (c *Colours) give(key string) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	at := int(h.Sum32() % uint32(colours))
	if len(c.place) == colours {
		return at + 1
	}
	for c.taken[at] {
		at = (at + 1) % colours
	}
	if c.place == nil {
		c.place = map[string]int{}
	}
	c.taken[at], c.place[key] = true, at+1
	return at + 1
}

// keysOf returns the keys of some bars, sorted.
func keysOf(bars []Bar) []string {
	seen := map[string]bool{"": true}
	var keys []string
	for _, b := range bars {
		if !seen[b.Key] {
			seen[b.Key] = true
			keys = append(keys, b.Key)
		}
	}
	slices.Sort(keys)
	return keys
}
