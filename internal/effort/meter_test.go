package effort

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func open(t *testing.T, e bookahead.Effort) Meter {
	m, err := New(e)
	require.NoError(t, err)
	return m
}

func TestNoMoreThanTheLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		e := bookahead.Effort{Steps: 1 + rng.Int64N(5000)}
		if rng.IntN(2) == 0 {
			e.Context = t.Context()
		}
		m := open(t, e)
		made, asked := int64(0), 0
		for {
			asked = rng.IntN(Chunk + 1)
			if !m.Go(asked) {
				break
			}
			made += int64(asked)
			require.False(t, m.Stopped())
		}
		require.LessOrEqual(t, made, e.Steps)
		require.Greater(t, made+int64(asked), e.Steps, "it goes on as long as it may")
		require.True(t, m.Stopped())
		require.Equal(t, made, m.Steps())
		require.Equal(t, e.Steps-made, m.Left())
		require.False(t, m.Go(0), "it stays stopped")
		require.Equal(t, made, m.Steps())
		require.True(t, m.Err() == bookahead.ErrStopped)
	}
}

func TestStopsWithinAThousandStepsOfACancel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	most := int64(0)
	for range 10_000 {
		ctx, cancel := context.WithCancelCause(t.Context())
		m := open(t, bookahead.Effort{Context: ctx})
		at := rng.Int64N(5000)
		for m.Steps() < at {
			require.True(t, m.Go(1+rng.IntN(Chunk)))
		}
		why := errors.New("why")
		cancel(why)
		before := m.Steps()
		for m.Go(1 + rng.IntN(Chunk)) {
		}
		most = max(most, m.Steps()-before)
		require.ErrorIs(t, m.Err(), bookahead.ErrStopped)
		require.ErrorIs(t, m.Err(), why)
	}
	require.LessOrEqual(t, most, int64(1024))
	require.Greater(t, most, int64(interval/2), "the test must see late stops")
}

func TestACancelThatCameFirst(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := open(t, bookahead.Effort{Context: ctx})
	require.False(t, m.Go(1))
	require.Zero(t, m.Steps())
	require.ErrorIs(t, m.Err(), context.Canceled)
}

func TestDefaultAndLimits(t *testing.T) {
	m := open(t, bookahead.Effort{})
	require.Equal(t, int64(bookahead.DefaultSteps), m.Left())
	m = open(t, bookahead.Effort{Steps: math.MaxInt64})
	require.True(t, m.Go(Chunk))
	require.Equal(t, int64(math.MaxInt64-Chunk), m.Left())
	_, err := New(bookahead.Effort{Steps: -1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.EqualError(t, err, "bookahead: Effort.Steps -1 is negative")
	var none Meter
	require.True(t, none.Go(0))
	require.False(t, none.Go(1))
}

func TestPartsCountInTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 1_000 {
		whole := open(t, bookahead.Effort{Steps: 1 + rng.Int64N(2000)})
		made := int64(0)
		for !whole.Stopped() {
			most, left := rng.Int64N(3000), whole.Left()
			part := whole.Part(most)
			require.Equal(t, min(most, left), part.Left())
			for part.Go(1 + rng.IntN(3)) {
			}
			made += part.Steps()
			whole.Add(&part)
			require.Equal(t, made, whole.Steps())
			require.False(t, whole.Stopped(), "a part that stops does not stop the whole")
			if whole.Left() >= 7 {
				require.Equal(t, whole.Left()/7, whole.Rest(7).Steps)
			}
			n := rng.Int64N(100)
			before := whole.Left()
			ok := whole.Spend(n)
			require.Equal(t, n <= before, ok)
			if ok {
				made += n
			}
		}
		require.Equal(t, made, whole.Steps())
		none := whole.Part(5)
		require.True(t, none.Stopped(), "nothing is left for a part")
		require.False(t, none.Go(1))
	}
}

func TestSpendLooksAtTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := open(t, bookahead.Effort{Context: ctx})
	require.True(t, m.Spend(100_000))
	cancel()
	require.False(t, m.Spend(interval+1))
	p := m.Part(10)
	require.False(t, p.Go(1))
	require.ErrorIs(t, p.Err(), context.Canceled)
}

func BenchmarkGo(b *testing.B) {
	m, _ := New(bookahead.Effort{Context: b.Context(), Steps: math.MaxInt64})
	for b.Loop() {
		m.Go(1)
	}
}
