package sim

import "math/rand/v2"

// Random sends a task to any provider, each as likely as the others (Kurowski et
// al., §5.1). Batch and AR tasks draw from different streams of a seed.
type Random struct{ Seed uint64 }

func (Random) validate(int) error { return nil }

func (r Random) open(stream uint64) chooser {
	rng := rand.New(rand.NewPCG(r.Seed, stream))
	return func(among []*candidate) *candidate { return among[rng.IntN(len(among))] }
}
