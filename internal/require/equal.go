package require

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
)

// ObjectsAreEqual reports whether two values have the same type and content. Slices of bytes are compared as
// bytes, and nil equals nothing but nil.
func ObjectsAreEqual(expected, actual any) bool {
	want, ok := expected.([]byte)
	if !ok {
		return reflect.DeepEqual(expected, actual)
	}
	have, ok := actual.([]byte)
	return ok && (want == nil) == (have == nil) && bytes.Equal(want, have)
}

func isFunc(v any) bool { return v != nil && reflect.TypeOf(v).Kind() == reflect.Func }

// equalValues compares numbers in the larger of their types, so that nothing wraps around, and other values
// in the type of the actual one.
func equalValues(expected, actual any) bool {
	if ObjectsAreEqual(expected, actual) {
		return true
	}
	want, have := reflect.ValueOf(expected), reflect.ValueOf(actual)
	if !want.IsValid() || !have.IsValid() || !want.CanConvert(have.Type()) {
		return false
	}
	if !isNumber(want) || !isNumber(have) {
		return reflect.DeepEqual(want.Convert(have.Type()).Interface(), actual)
	}
	if want.Type().Size() >= have.Type().Size() {
		return have.Convert(want.Type()).Interface() == expected
	}
	return want.Convert(have.Type()).Interface() == actual
}

func isNumber(v reflect.Value) bool {
	return v.CanInt() || v.CanUint() || v.CanFloat() || v.CanComplex()
}

// exportedEqual compares two values of one type, and passes over fields that are not exported.
func exportedEqual(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).IsExported() && !exportedEqual(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return exportedEqual(a.Elem(), b.Elem())
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !exportedEqual(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func samePointer(a, b any) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	return v.Kind() == reflect.Pointer && w.Kind() == reflect.Pointer && v.Type() == w.Type() && a == b
}

// shown is how much of a value a failure prints.
const shown = 4000

// short returns a value as text of a bearable length.
func short(v any) string {
	s := fmt.Sprintf("%#v", v)
	if len(s) > shown {
		return s[:shown] + "..."
	}
	return s
}

// difference prints both values, and the first place where they differ.
func difference(expected, actual any) string {
	var b strings.Builder
	want, wantOK := expected.(string)
	have, haveOK := actual.(string)
	if wantOK && haveOK && strings.Contains(want+have, "\n") {
		line, w, h := firstLine(want, have)
		fmt.Fprintf(&b, "\nexpected:\n%s\nactual:\n%s\nfirst in line %d:\n  %q\n  %q", want, have, line, w, h)
		return b.String()
	}
	fmt.Fprintf(&b, "\nexpected: %s\n  actual: %s", short(expected), short(actual))
	if reflect.TypeOf(expected) != reflect.TypeOf(actual) {
		fmt.Fprintf(&b, "\n  types: %T, %T", expected, actual)
		return b.String()
	}
	place, w, h, found := firstPlace("", reflect.ValueOf(expected), reflect.ValueOf(actual), 0)
	if found && place != "" {
		fmt.Fprintf(&b, "\n  first: %s is %s, not %s", place, h, w)
	}
	return b.String()
}

// firstLine returns the first line in which two texts differ.
func firstLine(want, have string) (line int, w, h string) {
	a, b := strings.Split(want, "\n"), strings.Split(have, "\n")
	for i := 0; i < len(a) || i < len(b); i++ {
		w, h = "(nothing)", "(nothing)"
		if i < len(a) {
			w = a[i]
		}
		if i < len(b) {
			h = b[i]
		}
		if w != h {
			return i + 1, w, h
		}
	}
	return 0, "", ""
}

// deepest bounds the walk to the first difference, because values may lead back to themselves.
const deepest = 16

// firstPlace returns the path to the first part in which two values differ, such as
// .Places[2].Servers[0], and that part of each.
func firstPlace(path string, a, b reflect.Value, depth int) (place, w, h string, found bool) {
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return path, brief(a), brief(b), a.IsValid() || b.IsValid()
	}
	if depth > deepest {
		return "", "", "", false
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			place, w, h, found = firstPlace(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i), depth+1)
			if found {
				return place, w, h, true
			}
		}
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return path, brief(a), brief(b), a.IsNil() != b.IsNil()
		}
		return firstPlace(path, a.Elem(), b.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for i := range min(a.Len(), b.Len()) {
			place, w, h, found = firstPlace(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i), depth+1)
			if found {
				return place, w, h, true
			}
		}
		return "the length of " + path, fmt.Sprint(a.Len()), fmt.Sprint(b.Len()), a.Len() != b.Len()
	case reflect.Map:
		for _, key := range a.MapKeys() {
			place, w, h, found = firstPlace(fmt.Sprintf("%s[%v]", path, key), a.MapIndex(key), b.MapIndex(key), depth+1)
			if found {
				return place, w, h, true
			}
		}
		return "the length of " + path, fmt.Sprint(a.Len()), fmt.Sprint(b.Len()), a.Len() != b.Len()
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return "", "", "", false
	default:
		return path, brief(a), brief(b), !a.Equal(b)
	}
	return "", "", "", false
}

// brief returns a part of a value as a short text.
func brief(v reflect.Value) string {
	s := fmt.Sprintf("%+v", v)
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}
