package gantt

import (
	"hash/fnv"
	"slices"
	"sync"
)

// palette has fills that are seen on white and on black, and on which dark letters are
// legible. The first is for bars without a key.
var palette = [...]string{
	"#b6c1cc",
	"#7fb2e5", "#f4b36a", "#86ca8c", "#ef8f8f", "#b9a2e3", "#c9a98a",
	"#f2a4d0", "#c6c96a", "#74cdd4", "#e8cf5c", "#97a6f0", "#6dc4a4",
}

const colours = len(palette) - 1

// Colours gives a key the same colour in all charts of a page: the colour that the key gets in the
// first chart drawn with it. The first twelve keys have twelve colours, and further keys share them.
//
//	page := new(gantt.Colours)
//	monday.Colours, tuesday.Colours = page, page
//
// The zero value is ready for use. Several goroutines may draw charts at once; then keys get their
// colours in the order in which the charts are drawn.
type Colours struct {
	mu    sync.Mutex
	place map[string]int // the places of keys in the palette, of at most as many keys as colours
	taken [colours]bool
}

// places returns the places of some keys in the palette. A key keeps its place. A new key gets the place
// of its hash, or the next place that is free.
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

// give returns the place of a new key. When all colours are taken, the place is that of the hash alone, so
// that the key need not be remembered.
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
