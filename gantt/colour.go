package gantt

import (
	"hash/fnv"
	"slices"
)

// palette has fills that are seen on white and on black, and on which dark letters are
// legible. The first is for bars without a key.
var palette = [...]string{
	"#b6c1cc",
	"#7fb2e5", "#f4b36a", "#86ca8c", "#ef8f8f", "#b9a2e3", "#c9a98a",
	"#f2a4d0", "#c6c96a", "#74cdd4", "#e8cf5c", "#97a6f0", "#6dc4a4",
}

const colours = len(palette) - 1

// places returns the places of some keys in the palette. A key gets the place of its hash, or the next place that is
// free. When all colours are taken, further keys share them by their hashes alone.
func places(keys []string) map[string]int {
	var taken [colours]bool
	place := map[string]int{"": 0}
	for i, key := range keys {
		h := fnv.New32a()
		h.Write([]byte(key))
		at := int(h.Sum32() % uint32(colours))
		for i < colours && taken[at] {
			at = (at + 1) % colours
		}
		taken[at], place[key] = true, at+1
	}
	return place
}

// places returns the places of the keys of some bars in the palette, which Colour may choose.
func (c *Chart) places(bars []Bar) map[string]int {
	keys := keysOf(bars)
	if c.Colour == nil {
		return places(keys)
	}
	place := map[string]int{"": 0}
	for _, key := range keys {
		place[key] = 1 + int(c.Colour(key)%uint(colours))
	}
	return place
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
