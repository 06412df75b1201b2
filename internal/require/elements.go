package require

import (
	"reflect"
	"slices"
	"strings"
)

// Contains fails if a text has no such part, a slice or an array no such element, or a map no such key.
func Contains(t TestingT, list, element any, message ...any) {
	ok, found := contains(list, element)
	if !ok || !found {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%s does not contain %#v", short(list), element)
	}
}

// NotContains fails if a text has such a part, a slice or an array such an element, or a map such a key.
func NotContains(t TestingT, list, element any, message ...any) {
	ok, found := contains(list, element)
	if !ok || found {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%s contains %#v", short(list), element)
	}
}

// Subset fails if an element of the slice subset is not in the slice list.
func Subset(t TestingT, list, subset any, message ...any) {
	lacks, ok := missing(list, subset)
	if !ok || len(lacks) > 0 {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%s lacks %v", short(list), lacks)
	}
}

// ElementsMatch fails if two slices do not have the same elements, each as often, in any order.
func ElementsMatch(t TestingT, a, b any, message ...any) {
	more, fewer, ok := unmatched(a, b)
	if !ok || len(more)+len(fewer) > 0 {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "the elements differ: only the first has %v, only the second %v", more, fewer)
	}
}

// contains reports whether list can have elements, and whether it has this one.
func contains(list, element any) (ok, found bool) {
	v := reflect.ValueOf(list)
	switch v.Kind() {
	case reflect.String:
		part := reflect.ValueOf(element)
		return part.Kind() == reflect.String, part.Kind() == reflect.String && strings.Contains(v.String(), part.String())
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if ObjectsAreEqual(key.Interface(), element) {
				return true, true
			}
		}
		return true, false
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if ObjectsAreEqual(v.Index(i).Interface(), element) {
				return true, true
			}
		}
		return true, false
	}
	return false, false
}

// elements returns the elements of a slice or an array; nil has none.
func elements(list any) (all []any, ok bool) {
	if list == nil {
		return nil, true
	}
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return nil, false
	}
	for i := range v.Len() {
		all = append(all, v.Index(i).Interface())
	}
	return all, true
}

// missing returns the elements of a slice that another does not contain.
func missing(list, subset any) (lacks []any, ok bool) {
	all, isList := elements(list)
	some, alsoList := elements(subset)
	for _, e := range some {
		if _, found := contains(all, e); !found {
			lacks = append(lacks, e)
		}
	}
	return lacks, isList && alsoList
}

// unmatched returns the elements of each of two slices that have no partner in the other.
func unmatched(a, b any) (more, fewer []any, ok bool) {
	first, isList := elements(a)
	rest, alsoList := elements(b)
	for _, e := range first {
		i := slices.IndexFunc(rest, func(other any) bool { return ObjectsAreEqual(e, other) })
		if i < 0 {
			more = append(more, e)
			continue
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return more, rest, isList && alsoList
}
