package require

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"time"
)

// True fails if the value is false.
func True(t TestingT, value bool, message ...any) {
	if !value {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "not true")
	}
}

// False fails if the value is true.
func False(t TestingT, value bool, message ...any) {
	if value {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "not false")
	}
}

// Equal fails if the values differ in type or content. Slices of bytes are compared as bytes. Functions are never equal.
func Equal(t TestingT, expected, actual any, message ...any) {
	if isFunc(expected) || isFunc(actual) || !ObjectsAreEqual(expected, actual) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "not equal%s", difference(expected, actual))
	}
}

// NotEqual fails if the values have the same type and content.
func NotEqual(t TestingT, expected, actual any, message ...any) {
	if isFunc(expected) || isFunc(actual) || ObjectsAreEqual(expected, actual) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "equal: %#v", actual)
	}
}

// EqualValues fails if the values differ even when one is converted to the type of the other.
func EqualValues(t TestingT, expected, actual any, message ...any) {
	if !equalValues(expected, actual) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "not equal, nor equal when converted%s", difference(expected, actual))
	}
}

// EqualExportedValues fails if the values differ in type or in exported fields, at any depth.
func EqualExportedValues(t TestingT, expected, actual any, message ...any) {
	if reflect.TypeOf(expected) != reflect.TypeOf(actual) || !exportedEqual(reflect.ValueOf(expected), reflect.ValueOf(actual)) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "exported fields are not equal%s", difference(expected, actual))
	}
}

// Same fails if the arguments are not the same pointer.
func Same(t TestingT, expected, actual any, message ...any) {
	if !samePointer(expected, actual) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "not the same pointer: %p %#[1]v, %p %#[2]v", expected, actual)
	}
}

// NotSame fails if the arguments are the same pointer.
func NotSame(t TestingT, expected, actual any, message ...any) {
	if samePointer(expected, actual) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "the same pointer: %p %#[1]v", expected)
	}
}

// IsType fails if the values differ in type.
func IsType(t TestingT, expected, actual any, message ...any) {
	if reflect.TypeOf(expected) != reflect.TypeOf(actual) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "the type is %T, not %T", actual, expected)
	}
}

// Nil fails if the value is neither nil nor a nil pointer, slice, map, channel or function.
func Nil(t TestingT, object any, message ...any) {
	if !isNil(object) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "not nil: %#v", object)
	}
}

// NotNil fails if the value is nil, or a nil pointer, slice, map, channel or function.
func NotNil(t TestingT, object any, message ...any) {
	if isNil(object) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "nil")
	}
}

// Zero fails if the value is not the zero value of its type.
func Zero(t TestingT, object any, message ...any) {
	if object != nil && !reflect.ValueOf(object).IsZero() {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "not zero: %#v", object)
	}
}

// NotZero fails if the value is the zero value of its type.
func NotZero(t TestingT, object any, message ...any) {
	if object == nil || reflect.ValueOf(object).IsZero() {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "zero: %#v", object)
	}
}

// Empty fails if the value is not zero and, as a slice, map, channel or a pointer to one, has elements.
func Empty(t TestingT, object any, message ...any) {
	if !isEmpty(object) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "not empty: %s", short(object))
	}
}

// NotEmpty fails if the value is zero or has no elements.
func NotEmpty(t TestingT, object any, message ...any) {
	if isEmpty(object) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "empty: %#v", object)
	}
}

// Len fails if the value does not have so many elements or bytes.
func Len(t TestingT, object any, length int, message ...any) {
	n, ok := lengthOf(object)
	if !ok || n != length {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "the length is %d, not %d: %s", n, length, short(object))
	}
}

// Regexp fails if the value, as text, does not match the pattern, a string or a *regexp.Regexp.
func Regexp(t TestingT, pattern, object any, message ...any) {
	if !matches(pattern, object) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "no match of %v: %v", pattern, object)
	}
}

// NotRegexp fails if the value, as text, matches the pattern, a string or a *regexp.Regexp.
func NotRegexp(t TestingT, pattern, object any, message ...any) {
	if matches(pattern, object) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "a match of %v: %v", pattern, object)
	}
}

// FileExists fails if there is no file of this name.
func FileExists(t TestingT, path string, message ...any) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "no file %s: %v", path, err)
	}
}

// Panics fails if the call does not panic.
func Panics(t TestingT, call func(), message ...any) {
	panicked, _ := panicOf(call)
	if !panicked {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "no panic")
	}
}

// NotPanics fails if the call panics.
func NotPanics(t TestingT, call func(), message ...any) {
	panicked, value := panicOf(call)
	if panicked {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "a panic: %v", value)
	}
}

// PanicsWithValue fails if the call does not panic with this value.
func PanicsWithValue(t TestingT, expected any, call func(), message ...any) {
	panicked, value := panicOf(call)
	if !panicked || !ObjectsAreEqual(expected, value) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "panicked: %v, with %#v, not %#v", panicked, value, expected)
	}
}

// Eventually fails if the condition is not true within the wait. It asks at once, and then at each tick, on a goroutine of its own.
func Eventually(t TestingT, condition func() bool, wait, tick time.Duration, message ...any) {
	if !eventually(condition, wait, tick) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "not true within %v", wait)
	}
}

func isNil(object any) bool {
	if object == nil {
		return true
	}
	v := reflect.ValueOf(object)
	switch v.Kind() {
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

func isEmpty(object any) bool {
	return object == nil || isEmptyValue(reflect.ValueOf(object))
}

func isEmptyValue(v reflect.Value) bool {
	if v.IsZero() {
		return true
	}
	switch v.Kind() {
	case reflect.Chan, reflect.Map, reflect.Slice:
		return v.Len() == 0
	case reflect.Pointer:
		return isEmptyValue(v.Elem())
	}
	return false
}

func lengthOf(object any) (n int, ok bool) {
	v := reflect.ValueOf(object)
	switch v.Kind() {
	case reflect.Array, reflect.Chan, reflect.Map, reflect.Slice, reflect.String:
		return v.Len(), true
	}
	return 0, false
}

func matches(pattern, object any) bool {
	compiled, ok := pattern.(*regexp.Regexp)
	if !ok {
		compiled = regexp.MustCompile(fmt.Sprint(pattern))
	}
	return compiled.MatchString(fmt.Sprint(object))
}

// panicOf reports whether the call panics, and with which value. A call that ends its goroutine panics too.
func panicOf(call func()) (panicked bool, value any) {
	panicked = true
	defer func() {
		value = recover()
	}()
	call()
	return false, nil
}

func eventually(condition func() bool, wait, tick time.Duration) bool {
	late := time.NewTimer(wait)
	defer late.Stop()
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	answer := make(chan bool, 1) // so that a condition that comes late can end
	ask := func() { answer <- condition() }
	go ask()
	var next <-chan time.Time // while an answer is awaited, no further one is asked for
	for {
		select {
		case <-late.C:
			return false
		case <-next:
			next = nil
			go ask()
		case yes := <-answer:
			if yes {
				return true
			}
			next = ticks.C
		}
	}
}
