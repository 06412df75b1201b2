package replicated

import (
	"encoding/base64"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
)

// Config.Applied may change its arguments: they share nothing with the desk, whose state stays that of the golden
// log.
func TestAppliedMayChangeWhatItIsTold(t *testing.T) {
	data, err := os.ReadFile(goldenFile())
	require.NoError(t, err)
	f := newFeed(t, goldenConfig())
	f.onApplied = func(_ uint64, c desk.Command, out desk.Outcome) {
		clearShared(reflect.ValueOf(&c).Elem())
		clearShared(reflect.ValueOf(&out).Elem())
	}
	for line := range strings.Lines(string(data)) {
		want, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		raw, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		e, err := readEntry(raw, nil)
		require.NoError(t, err)
		f.give(t, e)
		require.Equal(t, want, goldenPrint(t, f.machine), "entry %d", f.index)
	}
}

// clearShared clears all memory that a value shares with copies of it.
func clearShared(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			clearShared(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				clearShared(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			clearShared(v.Index(i))
			if v.Index(i).Kind() != reflect.Interface {
				v.Index(i).SetZero()
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			clearShared(v.MapIndex(k))
			v.SetMapIndex(k, reflect.Value{})
		}
	case reflect.Pointer:
		if !v.IsNil() {
			clearShared(v.Elem())
			v.Elem().SetZero()
		}
	}
}
