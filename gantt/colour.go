package gantt

import (
	"hash/fnv"
	"slices"
)

// palette has fills on which dark letters are legible, and which themselves are
// on white and on black. The first is for bars without a key.
var palette = [...]string{
	"#b6c1cc",
	"#7fb2e5", "#f4b36a", "#86ca8c", "#ef8f8f", "#b9a2e3", "#c9a98a",
	"#f2a4d0", "#c6c96a", "#74cdd4", "#e8cf5c", "#97a6f0", "#6dc4a4",
}

const colours = len(palette) - 1

// colour maps the keys of some bars to their places in the palette: where the
// key's hash says, or the next place that is left.
func colour(bars []Bar) (keys []string, place map[string]int) {
	place = map[string]int{"": 0}
	for _, b := range bars {
		if _, ok := place[b.Key]; !ok {
			place[b.Key] = 0
			keys = append(keys, b.Key)
		}
	}
	slices.Sort(keys)
	var taken [colours]bool
	for n, key := range keys {
		h := fnv.New32a()
		h.Write([]byte(key))
		at := int(h.Sum32() % uint32(colours))
		for n < colours && taken[at] {
			at = (at + 1) % colours
		}
		taken[at] = true
		place[key] = at + 1
	}
	return keys, place
}

// explained returns the keys that a chart explains: those that are not the
// labels of their own bars, if they are few.
func explained(keys []string, bars []Bar) []string {
	apart := map[string]bool{}
	for _, b := range bars {
		if b.Key != b.Label {
			apart[b.Key] = true
		}
	}
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !apart[k] })
	if len(keys) > colours {
		return nil
	}
	return keys
}
