package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// errChanged says that an object is not as it was when the pass began: the next pass starts from new objects.
var errChanged = errors.New("the objects have changed")

// verdict is what an error of a write means.
type verdict uint8

const (
	done    verdict = iota
	changed         // the object is another or gone: plan again
	busy            // the server or the way to it: try again
	refuses         // the server will not take this write, however often it is asked
)

// judge returns what an error of the API server means.
func judge(err error) verdict {
	switch {
	case err == nil:
		return done
	case apierrors.IsConflict(err), apierrors.IsNotFound(err), apierrors.IsGone(err):
		return changed
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err), apierrors.IsRequestEntityTooLargeError(err), apierrors.IsMethodNotSupported(err):
		return refuses
	}
	return busy
}

// told is an error with the write that met it.
func told(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case judge(err) == changed:
		return fmt.Errorf("controller: %s: %w: %w", what, errChanged, err)
	}
	return fmt.Errorf("controller: %s: %w", what, err)
}

// backoff is how long a pass waits after errors in a row.
type backoff struct{ times int }

const (
	firstWait = 100 * time.Millisecond
	longest   = 10 * time.Second
)

// after returns how long to wait after an error, and counts it. A server that says how long it wants to be left alone is obeyed.
func (b *backoff) after(err error) time.Duration {
	wait := min(longest, firstWait<<min(b.times, 10))
	b.times++
	if errors.Is(err, errChanged) {
		b.times = min(b.times, 3) // others write too, which is no fault
	}
	if s, ok := apierrors.SuggestsClientDelay(err); ok {
		wait = max(wait, time.Duration(s)*time.Second)
	}
	return wait
}

// stopped reports whether an error is the end of ctx.
func stopped(ctx context.Context, err error) bool { return err != nil && ctx.Err() != nil }
