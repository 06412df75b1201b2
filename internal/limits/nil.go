package limits

import (
	"fmt"
	"reflect"
)

// IsNil reports whether an interface is nil, or holds a pointer that is nil.
func IsNil(v any) bool {
	p := reflect.ValueOf(v)
	return !p.IsValid() || p.Kind() == reflect.Pointer && p.IsNil()
}

// CheckNil returns an error that wraps ErrInvalid if an interface is nil, or holds a
// pointer that is nil.
func CheckNil(field string, v any) error {
	if IsNil(v) {
		return Invalid(field, fmt.Sprintf("%T", v), "is nil")
	}
	return nil
}
