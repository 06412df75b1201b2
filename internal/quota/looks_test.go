package quota

import (
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// unlimited returns a meter that counts, and stops nothing.
func unlimited() *effort.Meter {
	m, err := effort.New(bookahead.Effort{Steps: math.MaxInt64})
	if err != nil {
		panic(err)
	}
	return &m
}
