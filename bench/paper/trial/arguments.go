package trial

import (
	"fmt"
	"strconv"
	"strings"
)

// Numbers is an argument: numbers between commas, each above 0 and at most 1000. It
// implements flag.Value.
type Numbers []float64

// Set reads the numbers.
func (n *Numbers) Set(text string) error {
	*n = nil
	for _, field := range strings.Split(text, ",") {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil || !(x > 0 && x <= 1000) {
			return fmt.Errorf("%q is not a number between 0 and 1000", field)
		}
		*n = append(*n, x)
	}
	return nil
}

// String formats the numbers as Set reads them.
func (n *Numbers) String() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint([]float64(*n)), "[]"), " ", ",")
}
