package require

import (
	"errors"
	"strings"
)

// NoError fails if there is an error.
func NoError(t TestingT, err error, message ...any) {
	if err != nil {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "an error: %v", err)
	}
}

// Error fails if there is no error.
func Error(t TestingT, err error, message ...any) {
	if err == nil {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "no error")
	}
}

// ErrorIs fails if no error in the chain of err is the target.
func ErrorIs(t TestingT, err, target error, message ...any) {
	if !errors.Is(err, target) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "the error is %v, not %v", err, target)
	}
}

// NotErrorIs fails if an error in the chain of err is the target.
func NotErrorIs(t TestingT, err, target error, message ...any) {
	if errors.Is(err, target) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "the error %v is %v", err, target)
	}
}

// ErrorAs fails if no error in the chain of err has the type to which target points; if one has, it stores that error.
func ErrorAs(t TestingT, err error, target any, message ...any) {
	if !errors.As(err, target) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "the error %v (%T) is no %T", err, err, target)
	}
}

// ErrorContains fails if the text of the error does not contain a part.
func ErrorContains(t TestingT, err error, part string, message ...any) {
	if err == nil || !strings.Contains(err.Error(), part) {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "the error %v does not contain %q", err, part)
	}
}

// EqualError fails if the error does not have this text.
func EqualError(t TestingT, err error, want string, message ...any) {
	if err == nil || err.Error() != want {
		if h, ok := t.(helper); ok {
			h.Helper()
		}
		fail(t, message, "the error is not equal:\nexpected: %s\n  actual: %v", want, err)
	}
}
