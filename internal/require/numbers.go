package require

import (
	"cmp"
	"math"
	"reflect"
	"time"
)

// Greater fails unless a > b. Both have the same type: a number, a text or a time.
func Greater(t TestingT, a, b any, message ...any) {
	c, ok := compare(a, b)
	if !ok || c <= 0 {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%v is not greater than %v", a, b)
	}
}

// GreaterOrEqual fails unless a >= b. Both have the same type: a number, a text or a time.
func GreaterOrEqual(t TestingT, a, b any, message ...any) {
	c, ok := compare(a, b)
	if !ok || c < 0 {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%v is less than %v", a, b)
	}
}

// Less fails unless a < b. Both have the same type: a number, a text or a time.
func Less(t TestingT, a, b any, message ...any) {
	c, ok := compare(a, b)
	if !ok || c >= 0 {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%v is not less than %v", a, b)
	}
}

// LessOrEqual fails unless a <= b. Both have the same type: a number, a text or a time.
func LessOrEqual(t TestingT, a, b any, message ...any) {
	c, ok := compare(a, b)
	if !ok || c > 0 {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%v is greater than %v", a, b)
	}
}

// Positive fails unless a > 0.
func Positive(t TestingT, a any, message ...any) {
	c, ok := compare(a, zeroOf(a))
	if !ok || c <= 0 {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%v is not positive", a)
	}
}

// Negative fails unless a < 0.
func Negative(t TestingT, a any, message ...any) {
	c, ok := compare(a, zeroOf(a))
	if !ok || c >= 0 {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%v is not negative", a)
	}
}

// InDelta fails if two numbers differ by more than delta, or one of them is no number. An infinity does not differ from itself.
func InDelta(t TestingT, expected, actual any, delta float64, message ...any) {
	a, b, ok := floats(expected, actual)
	if !ok || math.IsNaN(a) != math.IsNaN(b) || math.Abs(a-b) > delta {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%v and %v differ by more than %v", expected, actual, delta)
	}
}

// InEpsilon fails if two numbers differ by more than epsilon times the first, which is not 0.
func InEpsilon(t TestingT, expected, actual any, epsilon float64, message ...any) {
	a, b, ok := floats(expected, actual)
	if !ok || !(a != 0 && math.Abs(a-b)/math.Abs(a) <= epsilon) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "%v and %v differ by more than %v of the first", expected, actual, epsilon)
	}
}

func zeroOf(a any) any {
	if a == nil {
		return nil
	}
	return reflect.Zero(reflect.TypeOf(a)).Interface()
}

// compare compares two values of one type, and reports whether they have an order. NaN has none.
func compare(a, b any) (order int, ok bool) {
	if a == nil || reflect.TypeOf(a) != reflect.TypeOf(b) {
		return 0, false
	}
	if t, isTime := a.(time.Time); isTime {
		return t.Compare(b.(time.Time)), true
	}
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case v.CanInt():
		return cmp.Compare(v.Int(), w.Int()), true
	case v.CanUint():
		return cmp.Compare(v.Uint(), w.Uint()), true
	case v.CanFloat():
		return cmp.Compare(v.Float(), w.Float()), !math.IsNaN(v.Float()) && !math.IsNaN(w.Float())
	case v.Kind() == reflect.String:
		return cmp.Compare(v.String(), w.String()), true
	}
	return 0, false
}

// floats returns two numbers of any types as floats.
func floats(a, b any) (x, y float64, ok bool) {
	x, xIs := float(a)
	y, yIs := float(b)
	return x, y, xIs && yIs
}

func float(a any) (float64, bool) {
	v := reflect.ValueOf(a)
	switch {
	case a == nil:
		return 0, false
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}
