package controller

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestTheGravestErrorDecides: if the server refuses one pod of a group and is busy with another, the pass ends.
func TestTheGravestErrorDecides(t *testing.T) {
	no := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "x", errors.New("a policy"))
	other := apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "x", errors.New("it has changed"))
	wait := apierrors.NewTooManyRequests("too many", 1)
	require.NoError(t, gravest([]error{nil, nil}))
	require.Equal(t, no, gravest([]error{nil, no}))
	require.Equal(t, other, gravest([]error{no, other, no}))
	require.Equal(t, wait, gravest([]error{no, other, nil, wait}))
	require.True(t, stops(gravest([]error{no, other})))
	require.False(t, stops(no))
}

// TestAsManyAbreastAsThereIsRoom: 40 writes of a second take 10 seconds if four may be under way, and none begins after one has failed.
func TestAsManyAbreastAsThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := make([]time.Duration, 40)
		began := time.Now()
		write := func(at *time.Duration) error {
			*at = time.Since(began)
			time.Sleep(time.Second)
			return nil
		}
		require.Len(t, eachAbreast(make(chan struct{}, 4), list, write, isError), 40)
		require.Equal(t, 10*time.Second, time.Since(began))
		for i, at := range list {
			require.Equal(t, time.Duration(i/4)*time.Second, at, "write %d", i)
		}

		fails := errors.New("no")
		n := 0
		errs := eachAbreast(make(chan struct{}, 1), list, func(*time.Duration) error {
			n++
			if n == 3 {
				return fails
			}
			return nil
		}, isError)
		require.Equal(t, []error{nil, nil, fails}, errs)

		two := make(chan struct{}, 2)
		slow := func(at *time.Duration) error {
			time.Sleep(time.Second)
			if at == &list[0] {
				return fails
			}
			return nil
		}
		began = time.Now()
		errs = eachAbreast(two, list, slow, isError)
		require.ErrorIs(t, errs[0], fails)
		require.NoError(t, errs[1], "what is under way goes on")
		require.LessOrEqual(t, len(errs), 3, "one may have begun in the same moment")
		require.Empty(t, two)
	})
}
