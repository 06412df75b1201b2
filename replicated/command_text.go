package replicated

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/bookahead/bookahead/desk"
)

// commandText formats a command for people. fmt would print the address of each pointer, and hide a command behind its
// own String. Fields that are zero are left out, so that more of a long command stays:
//
//	desk.Book{Request:{Owner:"eve" Shapes:[[{On:"farm" Units:2 Duration:3 Tasks:{Each:[1 0]}}]]}}
func commandText(c desk.Command) string {
	var b strings.Builder
	appendText(&b, reflect.ValueOf(&c).Elem())
	return truncate(b.String())
}

// appendText appends a value. It ends early once the text is longer than truncate leaves it.
func appendText(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		b.WriteString(v.Elem().Type().String())
		appendText(b, v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		appendText(b, v.Elem())
	case reflect.Struct:
		b.WriteString("{")
		between := ""
		for i := 0; i < v.NumField() && b.Len() <= longestText; i++ {
			if !v.Field(i).IsZero() {
				b.WriteString(between + v.Type().Field(i).Name + ":")
				appendText(b, v.Field(i))
				between = " "
			}
		}
		b.WriteString("}")
	case reflect.Slice:
		b.WriteString("[")
		for i := 0; i < v.Len() && b.Len() <= longestText; i++ {
			if i > 0 {
				b.WriteString(" ")
			}
			appendText(b, v.Index(i))
		}
		b.WriteString("]")
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	default:
		fmt.Fprint(b, v)
	}
}
