package replicated

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
)

// fillAll sets each field that a caller can reach to a value other than zero, and each list to two such values, down
// to some depth.
func fillAll(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fillAll(v.Field(i), depth)
			}
		}
	case reflect.Slice:
		if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fillAll(v.Index(0), depth-1)
			fillAll(v.Index(1), depth-1)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(v.Elem(), depth)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	default:
		v.SetInt(1)
	}
}

// shared returns the fields of two values that lie in the same memory, as far as a caller can reach them.
func shared(a, b reflect.Value, at string) (fields []string) {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if f.IsExported() {
				fields = append(fields, shared(a.Field(i), b.Field(i), at+"."+f.Name)...)
			}
		}
	case reflect.Slice:
		if a.Len() > 0 && a.Pointer() == b.Pointer() {
			return []string{at}
		}
		for i := range a.Len() {
			fields = append(fields, shared(a.Index(i), b.Index(i), at)...)
		}
	case reflect.Pointer:
		if !a.IsNil() && a.Pointer() == b.Pointer() {
			return []string{at}
		}
		if !a.IsNil() {
			return shared(a.Elem(), b.Elem(), at)
		}
	}
	return fields
}

func TestCopyOfAnOutcomeSharesNothing(t *testing.T) {
	var o desk.Outcome
	fillAll(reflect.ValueOf(&o).Elem(), 4)
	require.NotEmpty(t, o.Batch[1].Booking.Shapes[1][1].Tasks)
	c := copyOf(o)
	require.Equal(t, o, c)
	require.Empty(t, shared(reflect.ValueOf(o), reflect.ValueOf(c), "Outcome"))
	require.Equal(t, desk.Outcome{}, copyOf(desk.Outcome{}))
}

// spoil changes an answer wherever a caller can.
func spoil(o desk.Outcome) {
	o.Booking.Places[0].On, o.Booking.Places[0].Start = "changed", 77
	o.Booking.Shapes[0][0].Units = 99
}

// A caller that changes an answer, and a Config.Applied that does, change neither the desk nor the answer to a retry.
// Otherwise the leader would diverge, and stop itself.
func TestAnAnswerIsTheCallers(t *testing.T) {
	inBubble(t, 3, Config{CheckEvery: time.Minute, Applied: func(_ uint64, c desk.Command, out desk.Outcome) {
		if b, books := c.(desk.Book); books {
			b.Shapes[0][0].Units = 99
			spoil(out)
		}
	}}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		m := w.leader()
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		s, err := m.NewSession(ctx)
		require.NoError(t, err)
		c := Call{s, 1, booking("a")}
		for range 2 {
			out, err := m.DoOnce(ctx, c)
			require.NoError(t, err)
			require.Equal(t, "line", out.Booking.Places[0].On)
			spoil(out)
		}
		time.Sleep(3 * time.Minute)
		for _, p := range w.peers {
			v, err := w.member(p.ID).Read(ctx, Local)
			require.NoError(t, err)
			k, err := v.ByKey("a")
			require.NoError(t, err)
			require.Equal(t, "line", k.Places[0].On)
			require.NoError(t, v.Verify())
			require.NoError(t, w.member(p.ID).Status().Err)
		}
		w.requireSame()
	})
}

// size returns how many bytes the lists and texts of a value have.
func size(v reflect.Value) (n uint64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				n += size(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += uint64(v.Type().Elem().Size()) + size(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			n += uint64(v.Type().Elem().Size()) + size(v.Elem())
		}
	case reflect.String:
		n = uint64(v.Len())
	}
	return n
}

// The weight of an answer is about its memory.
func TestWeightOfAnOutcome(t *testing.T) {
	for depth := range 5 {
		var o desk.Outcome
		fillAll(reflect.ValueOf(&o).Elem(), depth)
		is := size(reflect.ValueOf(o)) + uint64(reflect.TypeOf(o).Size())
		require.InEpsilon(t, is, weigh(&o), 0.5, "down to %d lists", depth)
	}
}
