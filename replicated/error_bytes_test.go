package replicated

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
)

// sent returns an error as another member receives it.
func sent(t *testing.T, err error) error {
	var got error
	require.NoError(t, decode("error", errorBytes(t, err), func(x *code.Coder) { codeError(x, &got) }))
	return got
}

func TestErrorsSurvive(t *testing.T) {
	require.NoError(t, sent(t, nil))
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	do := func(c desk.Command) error {
		_, err := d.Do(c)
		return err
	}
	require.NoError(t, do(addPool))
	keyed := book("pool", 1, 1)
	keyed.Key = "k"
	require.NoError(t, do(keyed))
	keyed.Shapes = book("pool", 2, 2).Shapes
	list := []error{
		do(keyed), do(addPool), do(desk.Cancel{ID: 9}), do(book("pool", 9, 1)), do(desk.Batch{Commands: []desk.Command{desk.Cancel{ID: 9}}}),
		do(desk.Batch{Commands: []desk.Command{addPool}}), &JumpError{3, 9}, &NotLeaderError{}, &NotLeaderError{Peer{ID: "2", Address: "a:1"}},
		fmt.Errorf("%w: %w", ErrUnknown, context.DeadlineExceeded), errors.New("another one"), errors.New(""),
		fmt.Errorf("%w: log: entry 7: %w", ErrDamaged, errors.New("its sum is wrong")), &divergedError{Index: 7},
	}
	list = append(list, portableErrors[:]...)
	for _, err := range list {
		require.Error(t, err)
		for _, got := range []error{portable(err), sent(t, err), sent(t, sent(t, err)), portable(sent(t, err))} {
			require.EqualError(t, got, err.Error())
			for _, one := range portableErrors {
				require.Equal(t, errors.Is(err, one), errors.Is(got, one), "%v is %v", err, one)
			}
			require.Equal(t, errorBytes(t, err), errorBytes(t, got), "%v", err)
		}
		for _, plain := range portableErrors {
			if err == plain {
				require.True(t, sent(t, err) == err && portable(err) == err, "%v", err)
			}
		}
	}
	require.ErrorIs(t, list[0], desk.ErrKey)

	var invalid, was *bookahead.InvalidError
	require.ErrorAs(t, list[5], &was)
	require.ErrorAs(t, sent(t, list[5]), &invalid)
	require.Equal(t, was.Field, invalid.Field)
	require.Equal(t, was.Error(), invalid.Error())
	var jump *JumpError
	require.ErrorAs(t, sent(t, list[6]), &jump)
	require.Equal(t, JumpError{3, 9}, *jump)
	var leader *NotLeaderError
	require.ErrorAs(t, sent(t, list[8]), &leader)
	require.Equal(t, "a:1", leader.Leader.Address)
}

// The value of an invalid argument may be a slice of the caller. A text that changed with the slice would differ
// between members.
func TestKeptTextsDoNotChange(t *testing.T) {
	value := []int{1, 2}
	err := portable(&bookahead.InvalidError{Field: "servers", Value: value, Reason: "are none"})
	before := err.Error()
	value[0] = 9
	require.EqualError(t, err, before)
}

// FuzzError reads all bytes that are an error, and writes the error again unchanged.
func FuzzError(f *testing.F) {
	for _, err := range []error{nil, ErrFull, &JumpError{1, 2}, &NotLeaderError{Peer{ID: "1"}}, &bookahead.InvalidError{Field: "f", Value: 1, Reason: "r"}} {
		f.Add(errorBytes(f, err))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var err error
		if decode("error", data, func(x *code.Coder) { codeError(x, &err) }) != nil {
			return
		}
		require.Equal(t, data, errorBytes(t, err))
		if err != nil {
			_ = err.Error()
			require.Equal(t, data, errorBytes(t, portable(err)))
		}
	})
}

// Each error of a desk that a caller tells from others keeps its identity, on the member that carries the command out and on
// all others.
func TestErrorsOfADeskSurvive(t *testing.T) {
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	for _, c := range []desk.Command{addPool, desk.BookSeries{Request: book("pool", 1, 1).Request, At: desk.Occurrences{{Start: 1, End: 9}}, Needs: 5}} {
		_, err = d.Do(c)
		require.NoError(t, err)
	}
	_, err = d.Do(desk.Continue{ID: 1, Needed: 4, At: desk.Occurrences{{Start: 11, End: 19}}})
	_, none := d.Do(desk.BookSeries{Request: book("pool", 1, 1).Request, At: desk.Occurrences{{Start: 1, End: 9}, {Start: 20, End: 21}}, Key: "x"})
	require.NoError(t, none)
	_, none = d.Do(desk.BookSeries{Request: book("pool", 1<<40, 1).Request, At: desk.Occurrences{{Start: 20, End: 21}}})
	for _, got := range []error{portable(none), sent(t, none)} {
		var window, want *desk.OccurrenceError
		require.ErrorAs(t, none, &want)
		require.ErrorAs(t, got, &window)
		require.Equal(t, want, window)
		require.ErrorIs(t, got, bookahead.ErrUnavailable)
	}
	_, changed := d.Do(desk.Given{ID: 1, Sum: 1, Command: desk.Cancel{ID: 1}})
	require.ErrorIs(t, portable(changed), desk.ErrChanged)
	require.ErrorIs(t, sent(t, changed), desk.ErrChanged)
	for _, err := range []error{err, changed, desk.ErrNeeded, desk.ErrKey} {
		for _, got := range []error{portable(err), sent(t, err)} {
			require.EqualError(t, got, err.Error())
			require.Equal(t, errors.Is(err, desk.ErrNeeded), errors.Is(got, desk.ErrNeeded))
			require.Equal(t, errors.Is(err, desk.ErrKey), errors.Is(got, desk.ErrKey))
			require.ErrorIs(t, got, bookahead.ErrInvalid)
		}
	}
	require.ErrorIs(t, err, desk.ErrNeeded)
}
