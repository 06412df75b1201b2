package controller

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// fresh remembers what this controller has written, until the source has it too. Otherwise a pass that comes before the watch would
// decide the same again, on objects that are out of date, and meet a conflict.
//
//	source has 7    written: 7 became 8, 8 became 9    use 9
//	source has 9                                       forget it
type fresh[T metav1.Object] map[types.UID]*written[T]

type written[T metav1.Object] struct {
	before map[string]bool // resourceVersions that are out of date
	now    T
}

// wrote notes that an object of some resourceVersion has become another.
func (f fresh[T]) wrote(before string, now T) {
	w := f[now.GetUID()]
	if w == nil {
		w = &written[T]{before: map[string]bool{}}
		f[now.GetUID()] = w
	} else {
		w.before[w.now.GetResourceVersion()] = true
	}
	w.before[before], w.now = true, now
}

// over returns the objects with what was written in place of what is out of date, and forgets the rest.
func (f fresh[T]) over(list []T) []T {
	used := map[types.UID]bool{}
	for i, x := range list {
		w := f[x.GetUID()]
		if w != nil && w.before[x.GetResourceVersion()] {
			list[i] = w.now
			used[x.GetUID()] = true
		}
	}
	for uid := range f {
		if !used[uid] {
			delete(f, uid)
		}
	}
	return list
}
