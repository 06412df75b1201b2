package workload

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGamma(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range [][2]float64{{4.2, 0.94}, {312, 0.03}, {1, 5}} {
		const n = 200_000
		sum, squares := 0.0, 0.0
		for range n {
			x := gamma(rng, p[0], p[1])
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / n
		require.InEpsilon(t, p[0]*p[1], mean, 0.01)
		require.InEpsilon(t, p[0]*p[1]*p[1], squares/n-mean*mean, 0.03)
	}
}

// TestGammaMass compares with the Erlang distribution, that is gamma of whole
// shape k, whose mass beyond x is e^-x (1 + x + x²/2! + … + x^(k-1)/(k-1)!).
func TestGammaMass(t *testing.T) {
	beyond := func(k int, x float64) float64 {
		sum, term := 0.0, math.Exp(-x)
		for i := range k {
			sum += term
			term *= x / float64(i+1)
		}
		return sum
	}
	for _, k := range []int{1, 2, 8} {
		const scale = 4.0
		for x := 10.5; x < 58; x++ {
			got := gammaMass(float64(k), scale, x, x+1) / (math.Gamma(float64(k)) * math.Pow(scale, float64(k)))
			require.InEpsilon(t, beyond(k, x/scale)-beyond(k, (x+1)/scale), got, 1e-8, "shape %d, from %v", k, x)
		}
	}
}
