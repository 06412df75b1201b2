package limits

import (
	"fmt"
	"reflect"
)

// CheckNil returns an error that wraps ErrInvalid if an interface is nil, or holds a
// pointer that is nil.
func CheckNil(field string, v any) error {
	if v == nil {
		return Invalid(field, "<nil>", "is nil")
	}
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
		return Invalid(field, fmt.Sprintf("%T", v), "is nil")
	}
	return nil
}
